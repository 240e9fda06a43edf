package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// rotating is a verifier whose key set is what the test says, in fake time.
func rotating(t *testing.T, fetch func(context.Context) ([]byte, error)) *JWT {
	t.Helper()
	j, err := NewJWT(t.Context(), JWTOptions{Issuer: testIssuer, Audience: testAudience, Keys: "https://id.example.org/keys"})
	if err != nil {
		t.Fatal(err)
	}
	j.keys.fetch = fetch
	return j
}

func TestKeysAreRotated(t *testing.T) {
	old, next := newIssuer(t), newIssuer(t)
	synctest.Test(t, func(t *testing.T) {
		set, asked := keySetOf(t, webKeyOf(t, "old", &old.ecdsa.PublicKey)), 0
		j := rotating(t, func(context.Context) ([]byte, error) { asked++; return set, nil })
		token := func(i *issuer, kid string) string {
			return sign(t, jwt.SigningMethodES256, i.ecdsa, map[string]any{"kid": kid}, claims(nil))
		}
		expect := func(what, text string, want error, times int) {
			t.Helper()
			if _, err := j.Verify(t.Context(), text); err != want {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
			if asked != times {
				t.Errorf("%s: the issuer was asked %d times, want %d", what, asked, times)
			}
		}
		expect("the first token", token(old, "old"), nil, 1)
		expect("the second", token(old, "old"), nil, 1)
		for range 100 {
			expect("keys that nobody knows", token(next, "new"), ErrInvalid, 1)
		}
		time.Sleep(keysPause)
		set = keySetOf(t, webKeyOf(t, "new", &next.ecdsa.PublicKey), webKeyOf(t, "old", &old.ecdsa.PublicKey))
		expect("a new key", token(next, "new"), nil, 2)
		set = keySetOf(t, webKeyOf(t, "new", &next.ecdsa.PublicKey))
		time.Sleep(keysFresh - time.Second)
		expect("a withdrawn key, at the end of its time", token(old, "old"), nil, 2)
		time.Sleep(time.Second)
		expect("a withdrawn key after its time", token(old, "old"), ErrInvalid, 3)
	})
}

func TestIssuerThatIsDownIsBridgedForAWhile(t *testing.T) {
	i := newIssuer(t)
	synctest.Test(t, func(t *testing.T) {
		down, asked := true, 0
		j := rotating(t, func(context.Context) ([]byte, error) {
			if asked++; down {
				return nil, errors.New("connection refused")
			}
			return i.keySet(t), nil
		})
		verify := func() error {
			_, err := j.Verify(t.Context(), sign(t, jwt.SigningMethodEdDSA, i.ed, nil, claims(nil)))
			return err
		}
		for range 10 {
			if err := verify(); err != ErrUnavailable {
				t.Fatalf("without keys: %v", err)
			}
		}
		if asked != 1 {
			t.Errorf("it was asked %d times in a moment", asked)
		}
		down = false
		time.Sleep(keysPause)
		if err := verify(); err != nil {
			t.Fatalf("when it is up: %v", err)
		}
		down = true
		time.Sleep(keysStale - time.Second)
		if err := verify(); err != nil {
			t.Errorf("down for less than %v: %v", keysStale, err)
		}
		time.Sleep(keysPause)
		if err := verify(); err != ErrUnavailable {
			t.Errorf("down for longer: %v", err)
		}
	})
}

func TestOneAsksForAllAndEndsWithoutItsCaller(t *testing.T) {
	i := newIssuer(t)
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		j := rotating(t, func(ctx context.Context) ([]byte, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second):
				return i.keySet(t), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		token := sign(t, jwt.SigningMethodEdDSA, i.ed, nil, claims(nil))
		first, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = j.Verify(first, token) })
		synctest.Wait()
		for range 20 {
			wg.Go(func() {
				if _, err := j.Verify(t.Context(), token); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		slow := rotating(t, func(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() })
		began := time.Now()
		if _, err := slow.Verify(t.Context(), token); err != ErrUnavailable || time.Since(began) != fetchTime {
			t.Errorf("an issuer that does not answer: %v after %v", err, time.Since(began))
		}
	})
}

func TestKeySetOverHTTP(t *testing.T) {
	i := newIssuer(t)
	good := i.keySet(t)
	var elsewhere atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) })
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1); _, _ = w.Write(good) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write(good)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat(" ", mostKeySetBytes)))
		_, _ = w.Write(good)
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	server := httptest.NewServer(mux)
	defer server.Close()
	token := sign(t, jwt.SigningMethodRS256, i.rsa, map[string]any{"kid": "r"}, claims(nil))
	for path, want := range map[string]error{
		"/good": nil, "/moved": ErrUnavailable, "/broken": ErrUnavailable, "/large": ErrUnavailable, "/page": ErrUnavailable, "/missing": ErrUnavailable,
	} {
		j, err := NewJWT(t.Context(), JWTOptions{Issuer: testIssuer, Audience: testAudience, Keys: server.URL + path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Verify(t.Context(), token); err != want {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if elsewhere.Load() != 0 {
		t.Error("a redirection was followed")
	}
}

func TestCertificateOfTheIssuerIsChecked(t *testing.T) {
	i := newIssuer(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(i.keySet(t)) }))
	defer server.Close()
	j, err := NewJWT(t.Context(), JWTOptions{Issuer: testIssuer, Audience: testAudience, Keys: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Verify(t.Context(), sign(t, jwt.SigningMethodEdDSA, i.ed, nil, claims(nil))); err != ErrUnavailable {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
}
