package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// keysFresh is how long a key set is used unasked: a key that an issuer has
	// withdrawn is refused after that time.
	keysFresh = 5 * time.Minute
	// keysStale is how long it is used when it cannot be had anew.
	keysStale = time.Hour
	// keysPause is the least time between two attempts, whatever tokens name:
	// callers must not make this server a source of load.
	keysPause = 10 * time.Second
	// fetchTime bounds one attempt.
	fetchTime = 5 * time.Second
	// mostKeySetBytes bounds a key set; a hundred keys fit.
	mostKeySetBytes = 256 << 10
)

// keySource is the key set of an issuer, had anew from time to time and when a
// token names a key that is not in it: that is how keys are rotated.
type keySource struct {
	name  string
	fetch func(ctx context.Context) ([]byte, error)
	log   *slog.Logger
	turn  chan struct{} // has room for one: whoever fetches

	mu    sync.Mutex // guards the fields below
	keys  []key
	at    time.Time // of the last success; zero: none yet
	tried time.Time // of the last attempt's end
}

// newKeySource returns the source that a path or a URL names.
func newKeySource(ctx context.Context, name string, log *slog.Logger) (*keySource, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &keySource{name: name, log: log, turn: make(chan struct{}, 1)}
	if name == "" {
		return nil, errors.New("JSON Web Tokens need the issuer's key set: a file, or its https URL (jwks_uri)")
	}
	if strings.Contains(name, "://") {
		if err := checkKeyURL(name); err != nil {
			return nil, err
		}
		s.fetch = fetchURL(name)
		return s, nil
	}
	s.fetch = func(context.Context) ([]byte, error) { return readKeyFile(name) }
	return s, s.refresh(ctx)
}

// checkKeyURL reports why a URL cannot be trusted to give the keys.
func checkKeyURL(name string) error {
	u, err := url.Parse(name)
	switch {
	case err != nil || u.Host == "":
		return errors.New("the key set's URL cannot be read")
	case u.User != nil:
		return errors.New("the key set's URL holds a name or a password; key sets are public")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return errors.New("the key set's URL is http, and anybody on the way could change the keys: use https")
	}
	return fmt.Errorf("the key set's URL has the scheme %q; https is known", u.Scheme)
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func readKeyFile(path string) ([]byte, error) {
	text, file, err := readTrusted(path, trust{forbidden: 0o022, rootToo: true, follow: true, most: mostKeySetBytes})
	if err != nil {
		return nil, err
	}
	return text, file.Close()
}

// fetchURL returns what gets a key set from a URL. Redirections are not
// followed: they could lead to http, or to a host that nobody chose.
func fetchURL(name string) func(context.Context) ([]byte, error) {
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, name, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", "application/jwk-set+json, application/json")
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the answer is %s", response.Status)
		}
		text, err := io.ReadAll(io.LimitReader(response.Body, mostKeySetBytes+1))
		if err == nil && len(text) > mostKeySetBytes {
			err = fmt.Errorf("the answer is longer than %d bytes", mostKeySetBytes)
		}
		return text, err
	}
}

// find returns the keys with that id, or all if kid is "", that are for an
// algorithm. Errors are ErrInvalid and ErrUnavailable.
func (s *keySource) find(ctx context.Context, kid, algorithm string) ([]jwt.VerificationKey, error) {
	found, age := s.known(kid, algorithm)
	if len(found) == 0 || age >= keysFresh {
		_ = s.refresh(ctx) // it is in the log
		found, age = s.known(kid, algorithm)
	}
	switch {
	case age >= keysStale:
		return nil, ErrUnavailable
	case len(found) == 0:
		return nil, ErrInvalid
	}
	return found, nil
}

// known looks into the key set at hand, and says how old that is.
func (s *keySource) known(kid, algorithm string) (found []jwt.VerificationKey, age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if k.algorithm == algorithm && (kid == "" || k.id == kid) {
			found = append(found, k.public)
		}
	}
	return found, time.Since(s.at)
}

// refresh gets the key set anew, unless that has just been tried. Others wait
// for the one who does it.
func (s *keySource) refresh(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	recent := time.Since(s.tried) < keysPause
	s.mu.Unlock()
	if recent {
		return nil
	}
	// Not the caller's own time: one who goes away must not cost others the keys.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	defer cancel()
	text, err := s.fetch(limited)
	var keys []key
	if err == nil {
		keys, err = parseKeySet(text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = time.Now()
	if err != nil {
		s.log.Error("the key set cannot be had", "from", s.name, "error", err)
		return fmt.Errorf("the key set %s: %w", s.name, err)
	}
	s.keys, s.at = keys, s.tried
	return nil
}
