package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestListenRefusesWhatMustNotBeServed(t *testing.T) {
	encrypted, proxied := HTTPOptions{TLS: &tls.Config{MinVersion: tls.VersionTLS13}}, HTTPOptions{BehindProxy: true}
	with := func(o HTTPOptions) HTTPOptions { o.Verify = oneToken; return o }
	tests := []struct {
		name, address string
		options       HTTPOptions
		missing       string // "" = is served
	}{
		{"loopback", "127.0.0.1:0", HTTPOptions{}, ""},
		{"other loopback", "127.0.0.2:0", HTTPOptions{}, ""},
		{"name of the loopback", "localhost:0", HTTPOptions{}, ""},
		{"all addresses", ":0", HTTPOptions{}, "authentication and TLS"},
		{"all addresses of IPv4", "0.0.0.0:0", HTTPOptions{}, "authentication and TLS"},
		{"only TLS", ":0", encrypted, "authentication"},
		{"only a proxy", ":0", proxied, "authentication"},
		{"only tokens", ":0", with(HTTPOptions{}), "TLS"},
		{"tokens and TLS", ":0", with(encrypted), ""},
		{"tokens behind a proxy", ":0", with(proxied), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := Listen(t.Context(), test.address, test.options)
			if err == nil {
				l.Close()
			}
			unsafe, refused := errors.AsType[*UnsafeBindError](err)
			switch {
			case test.missing == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.missing != "" && (!refused || !strings.HasPrefix(unsafe.Missing, test.missing) || !strings.Contains(unsafe.Error(), test.address)):
				t.Errorf("got %v, want %s to be missing", err, test.missing)
			}
		})
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whelk.sock")
	start := func() *site {
		l, err := Listen(t.Context(), "unix:"+path, HTTPOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := serveOn(t, l, echoSite())
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		s.client = &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		s.url = "http://localhost" + PathMCP
		return s
	}
	s := start()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket: %v, %v", info.Mode(), err)
	}
	s.post(s.initialize(), callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
	if _, err := Listen(t.Context(), "unix:"+path, HTTPOptions{}); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a socket in use: %v", err)
	}
	s.cancel()
	<-s.ended

	t.Run("of a server that has died", func(t *testing.T) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		s := start()
		s.post(s.initialize(), callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
	})
	t.Run("in place of a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "precious")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := Listen(t.Context(), "unix:"+file, HTTPOptions{}); err == nil {
			l.Close()
			t.Error("a file was replaced")
		}
		if text, err := os.ReadFile(file); string(text) != "x" {
			t.Errorf("the file is now %q, %v", text, err)
		}
	})
}

// The mode of the socket keeps others out; this is for when it does not.
func TestConnectionOfAnotherUserIsClosed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "whelk.sock")
	var log lockedBuffer
	l, err := Listen(t.Context(), "unix:"+path, HTTPOptions{Options: Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, l, echoSite())
	for file, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, path: 0o666} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	type outcome struct {
		answer []byte
		err    error
	}
	outcomes := make(chan outcome)
	go func() {
		// The thread ends with the goroutine, and with it the change of user.
		runtime.LockOSThread()
		const nobody, same = 65534, ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, nobody, same); errno != 0 {
			outcomes <- outcome{err: errno}
			return
		}
		c, err := net.Dial("unix", path)
		if err != nil {
			outcomes <- outcome{err: err}
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		answer, err := io.ReadAll(c)
		if errors.Is(err, syscall.ECONNRESET) {
			err = nil // closed before it was read
		}
		outcomes <- outcome{answer, err}
	}()
	if o := <-outcomes; o.err != nil || len(o.answer) > 0 {
		t.Errorf("another user got %q, %v", o.answer, o.err)
	}
	if !strings.Contains(log.String(), "uid=65534") {
		t.Errorf("the log does not say who was refused: %s", log.String())
	}
	s.cancel()
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// issue makes a certificate, signed by the authority or by itself.
func (a *authority) issue(t *testing.T, name string) (certificate, key string, made *authority) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: a == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signer := &authority{template, private}
	if a != nil {
		signer = a
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, &private.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), kind)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("CERTIFICATE", der), write("EC PRIVATE KEY", secret), &authority{template, private}
}

func TestTLS(t *testing.T) {
	caFile, _, ca := (*authority)(nil).issue(t, "authority")
	certificate, key, _ := ca.issue(t, "localhost")
	clientCertificate, clientKey, _ := ca.issue(t, "client")
	caText, err := os.ReadFile(caFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(caText)
	mine, err := tls.LoadX509KeyPair(clientCertificate, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		ca     string
		client *tls.Config
		works  bool
	}{
		{"any client", "", &tls.Config{}, true},
		{"TLS 1.1", "", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, false},
		{"client without a certificate", caFile, &tls.Config{}, false},
		{"client with a certificate", caFile, &tls.Config{Certificates: []tls.Certificate{mine}}, true},
	}
	for _, test := range tests {
		for _, http2 := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				config, err := LoadTLS(certificate, key, test.ca)
				if err != nil {
					t.Fatal(err)
				}
				o := echoSite()
				o.TLS = config
				o.times = httpTimes{header: 400 * time.Millisecond, body: 400 * time.Millisecond, write: 400 * time.Millisecond}
				s := serve(t, o)
				s.url = strings.Replace(s.url, "http:", "https:", 1)
				client := test.client.Clone()
				client.RootCAs = pool
				transport := &http.Transport{TLSClientConfig: client, ForceAttemptHTTP2: http2}
				defer transport.CloseIdleConnections()
				s.client = &http.Client{Transport: transport}
				response, err := s.client.Get(strings.TrimSuffix(s.url, PathMCP) + PathHealth)
				if err != nil {
					if test.works {
						t.Fatal(err)
					}
					return
				}
				response.Body.Close()
				if !test.works || http2 != (response.ProtoMajor == 2) {
					t.Fatalf("%s over %s", response.Status, response.Proto)
				}
				// Longer than any of the limits on what the client does.
				session := s.initialize()
				stream := openStream(s, session)
				defer stream.Close()
				s.post(session, callLine("1", "sleep", `{"ms":900}`)).want(t, textAnswer("1", "slept"))
			})
		}
	}
}

func TestLoadTLSFaults(t *testing.T) {
	certificate, key, _ := (*authority)(nil).issue(t, "localhost")
	missing := filepath.Join(t.TempDir(), "missing")
	for _, files := range [][3]string{{missing, key, ""}, {certificate, missing, ""}, {key, certificate, ""}, {certificate, key, missing}, {certificate, key, key}} {
		if _, err := LoadTLS(files[0], files[1], files[2]); err == nil {
			t.Errorf("no fault in %v", files)
		}
	}
}
