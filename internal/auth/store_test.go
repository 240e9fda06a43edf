package auth

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustAdd(t testing.TB, s Store, token Token) (added Token, secret string) {
	t.Helper()
	added, secret, err := s.Add(token)
	if err != nil {
		t.Fatal(err)
	}
	return added, secret
}

func nameList(t testing.TB, s Store) string {
	t.Helper()
	tokens, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, token := range tokens {
		list = append(list, token.Name)
	}
	return strings.Join(list, " ")
}

func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestWhatIsAddedIsListedUntilItIsRevoked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "whelk")
	s := NewStore(dir)
	if got := nameList(t, s); got != "" {
		t.Errorf("a store that does not exist holds %q", got)
	}
	want := Token{Name: "ci", Expires: time.Now().Add(time.Hour), Tools: []string{"native"}, Policy: "/etc/p.yaml", MaxExecutions: 4}
	ci, secret := mustAdd(t, s, want)
	mustAdd(t, s, Token{Name: "ann@example.org"})
	tokens, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ci, tokens[0]); diff != "" {
		t.Errorf("the one listed differs (-added +listed):\n%s", diff)
	}
	want.ID, want.Created, want.Expires = ci.ID, ci.Created, want.Expires.UTC().Truncate(time.Second)
	if diff := cmp.Diff(want, ci); diff != "" || !idForm.MatchString(ci.ID) || time.Since(ci.Created) > time.Minute {
		t.Errorf("the one added differs (-asked for +added):\n%s", diff)
	}
	if !strings.HasPrefix(secret, "whelk_") || len(secret) != 58 {
		t.Errorf("the secret has not the form that documents promise: %d bytes", len(secret))
	}
	if got := mode(t, dir); got.Perm() != 0o700 {
		t.Errorf("the directory has the mode %v", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if got := mode(t, path); got.Perm() != 0o600 {
			t.Errorf("%s has the mode %v", entry.Name(), got)
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), secret[len(secretPrefix):]) {
			t.Errorf("%s holds the secret, or is not readable: %v", entry.Name(), err)
		}
	}
	if revoked, err := s.Revoke("ci"); err != nil || revoked.ID != ci.ID {
		t.Errorf("revoked %+v, %v", revoked, err)
	}
	if _, err := s.Revoke("ci"); err == nil {
		t.Error("it is revoked twice")
	}
	if got := nameList(t, s); got != "ann@example.org" {
		t.Errorf("left are %q", got)
	}
	if _, err := s.Revoke(tokens[1].ID); err != nil || nameList(t, s) != "" {
		t.Errorf("by its id: %v", err)
	}
}

func TestTokensThatCannotBeAreNotAdded(t *testing.T) {
	s := NewStore(t.TempDir())
	mustAdd(t, s, Token{Name: "ann"})
	for name, c := range map[string]struct {
		token Token
		want  string
	}{
		"no name":         {Token{}, "a token's name has 1 to 64"},
		"a blank":         {Token{Name: "a b"}, "a token's name has"},
		"a line":          {Token{Name: "a\n"}, "a token's name has"},
		"an option":       {Token{Name: "-a"}, "begins with a letter"},
		"too long":        {Token{Name: strings.Repeat("a", 65)}, "a token's name has"},
		"like an id":      {Token{Name: "0123456789abcdef"}, "looks like an id"},
		"taken":           {Token{Name: "ann"}, "there is a token named ann already"},
		"past":            {Token{Name: "b", Expires: time.Now().Add(-time.Minute)}, "expired already"},
		"negative":        {Token{Name: "b", MaxExecutions: -1}, "not negative"},
		"relative policy": {Token{Name: "b", Policy: "p.yaml"}, "absolute path"},
		"no tools":        {Token{Name: "b", Tools: []string{}}, "empty list"},
		"nameless tools":  {Token{Name: "b", Tools: []string{""}}, "no name"},
	} {
		if _, secret, err := s.Add(c.token); err == nil || !strings.Contains(err.Error(), c.want) || secret != "" {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if got := nameList(t, s); got != "ann" {
		t.Errorf("the store holds %q", got)
	}
	if _, _, err := NewStore("").Add(Token{Name: "a"}); err == nil || !strings.Contains(err.Error(), "--state-dir") {
		t.Errorf("without a state directory: %v", err)
	}
}

// spoil are the ways in which a store must not be trusted.
func spoil(t *testing.T) map[string]func(t *testing.T, dir string) {
	t.Helper()
	edit := func(change func(string) string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, storeFile)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := change(string(text))
			if changed == string(text) {
				t.Fatal("nothing has changed")
			}
			if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	replaced := func(with func(path string) error) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, storeFile)
			if err := errors.Join(os.Rename(path, path+".old"), with(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod := func(name string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	ways := map[string]func(*testing.T, string){
		"readable by the group":    chmod(storeFile, 0o640),
		"readable by all":          chmod(storeFile, 0o604),
		"writable by the group":    chmod(storeFile, 0o620),
		"directory writable":       chmod(".", 0o770),
		"empty":                    edit(func(string) string { return "" }),
		"cut":                      edit(func(s string) string { return s[:len(s)-5] }),
		"null":                     edit(func(string) string { return "null" }),
		"no list":                  edit(func(string) string { return `{"version":1}` }),
		"an unknown field":         edit(func(s string) string { return strings.Replace(s, `"id"`, `"admin": true, "id"`, 1) }),
		"another version":          edit(func(s string) string { return strings.Replace(s, `"version": 1`, `"version": 2`, 1) }),
		"something behind":         edit(func(s string) string { return s + "{}" }),
		"a short hash":             edit(func(s string) string { return strings.Replace(s, `"hash": "`, `"hash": "0`, 1) }),
		"an empty hash":            edit(func(s string) string { return s[:strings.Index(s, `"hash": "`)+9] + strings.Repeat("0", 64) + "\"}]}" }),
		"an invalid name":          edit(func(s string) string { return strings.Replace(s, `"quincy"`, `"a\u001b[31m"`, 1) }),
		"two of one name":          edit(func(s string) string { return strings.Replace(s, `"bob"`, `"quincy"`, 1) }),
		"an empty list of tools":   edit(func(s string) string { return strings.Replace(s, `"native"`, "", 1) }),
		"too long":                 edit(func(s string) string { return s + strings.Repeat(" ", mostStoreBytes) }),
		"a link to a good one":     replaced(func(path string) error { return os.Symlink(path+".old", path) }),
		"a link to nothing":        replaced(func(path string) error { return os.Symlink(path+".gone", path) }),
		"a directory":              replaced(func(path string) error { return os.Mkdir(path, 0o700) }),
		"a pipe that nobody opens": replaced(func(path string) error { return syscall.Mkfifo(path, 0o600) }),
	}
	if os.Geteuid() == 0 { // nobody else can give files away
		ways["another's"] = func(t *testing.T, dir string) {
			if err := os.Chown(filepath.Join(dir, storeFile), 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		ways["in another's directory"] = func(t *testing.T, dir string) {
			if err := os.Chown(dir, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ways
}

func TestStoreThatCannotBeTrustedIsAnErrorForAll(t *testing.T) {
	for name, way := range spoil(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			s := NewStore(dir)
			_, secret := mustAdd(t, s, Token{Name: "quincy", Tools: []string{"native"}})
			mustAdd(t, s, Token{Name: "bob"})
			running, err := NewTokens(TokensOptions{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer running.Close()
			if _, err := running.Verify(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			way(t, dir)
			if _, err := s.List(); err == nil {
				t.Error("it is listed")
			} else if strings.Contains(err.Error(), "quincy") || strings.Contains(err.Error(), "[31m") {
				t.Errorf("the error repeats what the file holds: %v", err)
			}
			if _, _, err := s.Add(Token{Name: "c"}); err == nil {
				t.Error("it is added to")
			}
			if _, err := s.Revoke("quincy"); err == nil {
				t.Error("a token in it is revoked")
			}
			if _, err := EnsureDefault(dir); err == nil {
				t.Error("it is taken for an empty one")
			}
			if _, err := NewTokens(TokensOptions{Dir: dir}); err == nil {
				t.Error("a server starts with it")
			}
			if name == "directory writable" || name == "in another's directory" {
				return // a running server still has the file that it has opened
			}
			if _, err := running.Verify(t.Context(), secret); err != ErrUnavailable {
				t.Errorf("a running server says %v", err)
			}
		})
	}
}

func TestDefaultTokenOfTheFirstStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "whelk")
	path, err := EnsureDefault(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path); got != 0o600 || filepath.Dir(path) != dir {
		t.Errorf("%s has the mode %v", path, got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := NewTokens(TokensOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tokens.Close()
	secret := strings.TrimSuffix(string(text), "\n")
	if p, err := tokens.Verify(t.Context(), secret); err != nil || p.Name != DefaultName {
		t.Errorf("its principal is %+v, %v", p.Identity(), err)
	}
	if again, err := EnsureDefault(dir); err != nil || again != path {
		t.Errorf("the second start: %q, %v", again, err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(text) {
		t.Error("the second start has made another token")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := EnsureDefault(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), secret) {
		t.Errorf("others can read it: %v", err)
	}
	s := NewStore(dir)
	mustAdd(t, s, Token{Name: "ann"})
	if _, err := s.Revoke(DefaultName); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of the revoked token: %v", err)
	}
	if other, err := EnsureDefault(dir); err != nil || other != "" || nameList(t, s) != "ann" {
		t.Errorf("with other tokens: %q, %v, %s", other, err, nameList(t, s))
	}
}

func TestConcurrentChangesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		mustAdd(t, NewStore(dir), Token{Name: fmt.Sprintf("old%d", i)})
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, _, err := NewStore(dir).Add(Token{Name: fmt.Sprintf("new%d", i)}); err != nil {
				t.Error(err)
			}
		})
		if i < 10 {
			wg.Go(func() {
				if _, err := NewStore(dir).Revoke(fmt.Sprintf("old%d", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := NewStore(dir).List(); err != nil {
				t.Errorf("a reader sees a broken store: %v", err)
			}
		})
	}
	wg.Wait()
	got := strings.Fields(nameList(t, NewStore(dir)))
	if len(got) != 20 || strings.Contains(strings.Join(got, " "), "old") {
		t.Errorf("the store holds %q", got)
	}
}

func TestWriteThatWasCutShortDisturbsNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := NewStore(dir)
	mustAdd(t, s, Token{Name: "ann"})
	if err := os.WriteFile(filepath.Join(dir, newFile), []byte(`{"ver`), 0o600); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, Token{Name: "bob"})
	if got := nameList(t, s); got != "ann bob" {
		t.Errorf("the store holds %q", got)
	}
}

func TestLockThatIsHeldIsWaitedForAndNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		unlock, err := lock(filepath.Join(dir, lockFile))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, _, err := NewStore(dir).Add(Token{Name: "ann"}); err == nil || !strings.Contains(err.Error(), lockFile) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took < lockPatience || took > lockPatience+time.Second {
			t.Errorf("it took %v", took)
		}
		go func() {
			time.Sleep(time.Second)
			unlock()
		}()
		if _, _, err := NewStore(dir).Add(Token{Name: "ann"}); err != nil {
			t.Error(err)
		}
	})
}
