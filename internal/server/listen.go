package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
)

// unixPrefix marks an address that is the path of a Unix socket.
const unixPrefix = "unix:"

// UnsafeBindError says that an address must not be served as it is configured.
// It is a fault of the configuration.
type UnsafeBindError struct {
	Address string // as it was given
	Missing string // what would make it safe
}

func (e *UnsafeBindError) Error() string {
	return fmt.Sprintf("%s can be reached from other machines, so it needs %s; or listen on 127.0.0.1", e.Address, e.Missing)
}

// Listen opens an address for [ServeHTTP]: host:port, or unix:PATH. Of the
// options it uses Verify, TLS, BehindProxy and Logger. It refuses, with an
// [UnsafeBindError], an address that other machines can reach unless callers
// are asked for a token and nobody on the way can read it: everyone who can
// call runs commands.
//
// A Unix socket can be opened by the server's own user, and root, alone.
func Listen(ctx context.Context, address string, o HTTPOptions) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return listenUnix(ctx, path, o.Options.withDefaults().Logger)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	// What counts is the address that a name stood for. Nothing has been
	// accepted yet.
	if missing := missingGuard(l.Addr(), o); missing != "" {
		_ = l.Close() // the other error counts
		return nil, &UnsafeBindError{Address: address, Missing: missing}
	}
	return l, nil
}

// missingGuard returns what an address lacks to be served, "" if nothing.
func missingGuard(address net.Addr, o HTTPOptions) string {
	tcp, ok := address.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() {
		return ""
	}
	encrypted := o.TLS != nil || o.BehindProxy
	switch {
	case o.Verify == nil && !encrypted:
		return "authentication and TLS (or a proxy in front that has it)"
	case o.Verify == nil:
		return "authentication"
	case !encrypted:
		return "TLS (or a proxy in front that has it)"
	}
	return ""
}

func listenUnix(ctx context.Context, path string, log *slog.Logger) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	// Whoever connects before this is told apart by the peer's credentials.
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close() // the other error counts
		return nil, err
	}
	return &ownerListener{Listener: l, log: log}, nil
}

// removeStale removes the socket of a server that has died. One that answers
// is in use, and anything else is not ours to remove.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("listen on %s: the file exists and is no socket: choose another path", path)
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		_ = c.Close() // was only a question
		return fmt.Errorf("listen on %s: another server is listening there: choose another path, or end it", path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("listen on %s: %w", path, err)
	}
	return os.Remove(path)
}

// An ownerListener accepts connections of the server's own user and of root.
type ownerListener struct {
	net.Listener
	log *slog.Logger
}

// Accept implements net.Listener.
func (l *ownerListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peerUser(c)
		if err == nil && (uid == 0 || int(uid) == os.Geteuid()) {
			return c, nil
		}
		l.log.Warn("refused a connection of another user", "uid", uid, "error", err)
		_ = c.Close() // nothing was sent
	}
}

// peerUser returns the user who opened the other end of a Unix socket.
func peerUser(c net.Conn) (uid uint32, err error) {
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a Unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var user *syscall.Ucred
	control := raw.Control(func(fd uintptr) {
		user, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err := errors.Join(control, err); err != nil {
		return 0, err
	}
	return user.Uid, nil
}
