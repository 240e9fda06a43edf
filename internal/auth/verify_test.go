package auth

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whelk/internal/policy"
)

// privateDir is a directory as the state directory must be.
func privateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustTokens(t testing.TB, o TokensOptions) *Tokens {
	t.Helper()
	tokens, err := NewTokens(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tokens.Close)
	return tokens
}

func TestPrincipalOfAToken(t *testing.T) {
	dir := privateDir(t)
	s := NewStore(dir)
	ann, secret := mustAdd(t, s, Token{Name: "ann", Tools: []string{"native", "tabshell"}, MaxExecutions: 3})
	tokens := mustTokens(t, TokensOptions{Dir: dir})
	p, err := tokens.Verify(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if p.ID != ann.ID || p.Name != "ann" || p.MaxExecutions != 3 || p.Policy != nil {
		t.Errorf("principal %+v", p)
	}
	if diff := cmp.Diff([]string{"native", "tabshell"}, p.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestRunningServerSeesChangesAtOnce(t *testing.T) {
	dir := privateDir(t)
	tokens := mustTokens(t, TokensOptions{Dir: dir})
	s := NewStore(dir)
	// Many in a row: versions of the file within one tick of its clock differ.
	for range 50 {
		_, secret := mustAdd(t, s, Token{Name: "ann"})
		if _, err := tokens.Verify(t.Context(), secret); err != nil {
			t.Fatalf("a new token: %v", err)
		}
		if _, err := s.Revoke("ann"); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Verify(t.Context(), secret); err != ErrInvalid {
			t.Fatalf("a revoked token: %v", err)
		}
	}
	_, secret := mustAdd(t, s, Token{Name: "ann"})
	if err := os.Remove(filepath.Join(dir, storeFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), secret); err != ErrInvalid {
		t.Errorf("without a store: %v", err)
	}
}

func TestVerificationsDuringChangesAreRight(t *testing.T) {
	dir := privateDir(t)
	s := NewStore(dir)
	_, good := mustAdd(t, s, Token{Name: "good"})
	tokens := mustTokens(t, TokensOptions{Dir: dir})
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !closed(done) {
				if p, err := tokens.Verify(t.Context(), good); err != nil || p.Name != "good" {
					t.Errorf("the good one: %+v, %v", p.Identity(), err)
					return
				}
				if _, err := tokens.Verify(t.Context(), "bad"); err != ErrInvalid {
					t.Errorf("a bad one: %v", err)
					return
				}
			}
		})
	}
	for range 20 {
		mustAdd(t, s, Token{Name: "other"})
		if _, err := s.Revoke("other"); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestRefusedTokensGiveOneError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := privateDir(t)
		s := NewStore(dir)
		tokens := mustTokens(t, TokensOptions{Dir: dir})
		_, good := mustAdd(t, s, Token{Name: "good"})
		_, short := mustAdd(t, s, Token{Name: "short", Expires: time.Now().Add(time.Hour)})
		_, revoked := mustAdd(t, s, Token{Name: "revoked"})
		if _, err := s.Revoke("revoked"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - time.Second)
		if _, err := tokens.Verify(t.Context(), short); err != nil {
			t.Errorf("a second before it expires: %v", err)
		}
		time.Sleep(time.Second)
		for name, token := range map[string]string{
			"expired": short, "revoked": revoked, "unknown": newSecret(), "empty": "", "its prefix": secretPrefix,
			"cut": good[:len(good)-1], "longer": good + "a", "in capitals": strings.ToUpper(good),
			"without its prefix": good[len(secretPrefix):], "with a line end": good + "\n", "large": strings.Repeat(good, 1000),
		} {
			p, err := tokens.Verify(t.Context(), token)
			if err != ErrInvalid || p.Name != "" {
				t.Errorf("%s: %+v, %v", name, p.Identity(), err)
			}
		}
		if _, err := tokens.Verify(t.Context(), good); err != nil {
			t.Errorf("the good one: %v", err)
		}
	})
}

func TestLogSaysWhyAndNotTooOften(t *testing.T) {
	dir := privateDir(t)
	s := NewStore(dir)
	_, secret := mustAdd(t, s, Token{Name: "ann"})
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		tokens := mustTokens(t, TokensOptions{Dir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err := os.Chmod(filepath.Join(dir, storeFile), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := tokens.Verify(t.Context(), secret); err != ErrUnavailable {
				t.Fatal(err)
			}
		}
		time.Sleep(logPause)
		_, _ = tokens.Verify(t.Context(), secret)
		text := log.String()
		if n := strings.Count(text, "\n"); n != 2 || !strings.Contains(text, "chmod 600") || strings.Contains(text, secret[6:]) {
			t.Errorf("%d lines:\n%s", n, text)
		}
		if err := os.Chmod(filepath.Join(dir, storeFile), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Verify(t.Context(), secret); err != nil {
			t.Errorf("when it is mended: %v", err)
		}
	})
}

func TestPolicyOfATokenIsThatOfItsFile(t *testing.T) {
	dir := privateDir(t)
	file := filepath.Join(t.TempDir(), "p.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("deny: [rm]\n")
	s := NewStore(dir)
	_, secret := mustAdd(t, s, Token{Name: "ann", Policy: file})
	_, free := mustAdd(t, s, Token{Name: "bob"})
	tokens := mustTokens(t, TokensOptions{Dir: dir})
	decide := func(text string) policy.Decision {
		t.Helper()
		p, err := tokens.Verify(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		var r policy.Request
		r.Input.Text, r.Input.HasText, r.Input.Dir = text, true, "/w"
		return p.Policy.Decide(r).Decision
	}
	if decide("rm x") != policy.Deny || decide("ls") != policy.Allow {
		t.Error("the policy is not that of the file")
	}
	if decide("systemctl restart sshd") != policy.Allow {
		t.Error("it blocks side effects that its file does not name")
	}
	write("deny: [ls, rmdir]\n")
	if decide("rm x") != policy.Allow || decide("ls") != policy.Deny {
		t.Error("the file has changed, and the policy has not")
	}
	for name, spoil := range map[string]func(){
		"faulty":   func() { write("dney: [ls]\n") },
		"empty":    func() { write("") },
		"too open": func() { write("deny: [ls]\n"); _ = os.Chmod(file, 0o666) },
		"gone":     func() { _ = os.Remove(file) },
	} {
		_ = os.Chmod(file, 0o600)
		spoil()
		if _, err := tokens.Verify(t.Context(), secret); err != ErrUnavailable {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := tokens.Verify(t.Context(), free); err != nil {
			t.Errorf("%s: a token without it: %v", name, err)
		}
		if _, err := NewTokens(TokensOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), "p.yaml") {
			t.Errorf("%s: a server starts with it: %v", name, err)
		}
	}
}

// The store, used as operators do, against a plain model.
func TestStoreIsWhatWasAddedAndNotRevoked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := privateDir(t)
		s, tokens := NewStore(dir), mustTokens(t, TokensOptions{Dir: dir})
		defer tokens.Close()
		valid, over := map[string]string{}, []string{} // name → secret; secrets that were revoked
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			n := name.Draw(rt, "name")
			if _, taken := valid[n]; rapid.Bool().Draw(rt, "add") {
				_, secret, err := s.Add(Token{Name: n})
				if (err != nil) != taken {
					rt.Fatalf("add %s: %v", n, err)
				}
				if err == nil {
					valid[n] = secret
				}
			} else {
				_, err := s.Revoke(n)
				if (err == nil) != taken {
					rt.Fatalf("revoke %s: %v", n, err)
				}
				if taken {
					over = append(over, valid[n])
					delete(valid, n)
				}
			}
			for n, secret := range valid {
				if p, err := tokens.Verify(t.Context(), secret); err != nil || p.Name != n {
					rt.Fatalf("the token of %s is that of %q: %v", n, p.Name, err)
				}
			}
			for _, secret := range over {
				if _, err := tokens.Verify(t.Context(), secret); err != ErrInvalid {
					rt.Fatalf("a revoked token: %v", err)
				}
			}
		}
	})
}

func FuzzStoreReader(f *testing.F) {
	good, err := encode([]record{
		{Token: Token{ID: "0123456789abcdef", Name: "ann", Created: time.Unix(1, 0).UTC()}, Hash: digest{1}},
		{Token: Token{
			ID: "fedcba9876543210", Name: "bob", Created: time.Unix(2, 0).UTC(), Expires: time.Unix(3, 0).UTC(),
			Tools: []string{"native"}, Policy: "/p", MaxExecutions: 1,
		}, Hash: digest{2}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, text := range []string{"", "null", "{}", `{"version":1,"tokens":[]}`, `{"version":1,"tokens":[{}]}`, `{"version":1,"tokens":[{"hash":null}]}`, `{"version":1,"tokens":null}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := decode(text)
		if err != nil {
			if records != nil {
				t.Error("an error comes with records")
			}
			return
		}
		for i := range records {
			if r := &records[i]; r.Check() != nil || !idForm.MatchString(r.ID) || r.Hash == (digest{}) {
				t.Errorf("token %d is not one: %+v", i+1, r)
			}
		}
		again, err := encode(records)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := decode(again)
		if diff := cmp.Diff(records, back); err != nil || diff != "" {
			t.Errorf("written and read again it differs: %v\n%s", err, diff)
		}
	})
}
