package httpguard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

const (
	// freeFailures is how many wrong tokens in a row cost nothing: a person
	// who mends a configuration needs a few.
	freeFailures = 5

	// firstWait doubles with each further failure, up to maxWait: tokens are
	// too long to be guessed, so waiting only has to bound the work and the
	// noise.
	firstWait = time.Second
	maxWait   = time.Minute

	// forgetAfter is how long after its last failure a peer is remembered.
	forgetAfter = 10 * time.Minute

	// maxPeers and maxGood bound the memory, about 1 MiB in all.
	maxPeers = 4096
	maxGood  = 4096
)

// A backoff makes peers wait that sent wrong tokens. A token that was right
// before is not made to wait: on one machine, or behind one proxy, all clients
// are the same peer, and a broken one must not lock out the others.
//
// All operations take the same time whatever they are given: a digest, a
// lookup.
type backoff struct {
	now func() time.Time
	key [sha256.Size]byte // of the digests: memory shows no token

	mu    sync.Mutex // guards the fields below
	peers map[netip.Addr]failures
	good  map[[sha256.Size]byte]struct{}
}

// failures are the wrong tokens of one peer since its last right one.
type failures struct {
	count int
	last  time.Time
}

func newBackoff(now func() time.Time) *backoff {
	b := &backoff{now: now, peers: map[netip.Addr]failures{}, good: map[[sha256.Size]byte]struct{}{}}
	_, _ = rand.Read(b.key[:]) // never fails
	return b
}

func (b *backoff) digest(token string) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, b.key[:])
	mac.Write([]byte(token))
	mac.Sum(sum[:0])
	return sum
}

// wait returns how long a peer has to wait before this token is looked at.
func (b *backoff) wait(peer netip.Addr, token string) time.Duration {
	digest := b.digest(token)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, good := b.good[digest]; good {
		return 0
	}
	f := b.peers[peer]
	return f.last.Add(f.penalty()).Sub(b.now())
}

// penalty returns how long after the last failure nothing is looked at.
func (f failures) penalty() time.Duration {
	over := f.count - freeFailures
	if over <= 0 {
		return 0
	}
	return min(firstWait<<min(over-1, 16), maxWait)
}

// failed counts a wrong token. It reports whether the peer has to wait from
// now on and had not to before.
func (b *backoff) failed(peer netip.Addr) bool {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	f, known := b.peers[peer]
	if now.Sub(f.last) > forgetAfter {
		f.count = 0
	}
	if !known && len(b.peers) >= maxPeers {
		b.forgetOne()
	}
	f.count, f.last = f.count+1, now
	b.peers[peer] = f
	return f.count == freeFailures+1
}

// forgetOne makes room for a peer. Any will do: whoever has thousands of
// addresses is not held up by waiting. It requires b.mu.
func (b *backoff) forgetOne() {
	for peer := range b.peers {
		delete(b.peers, peer)
		return
	}
}

// succeeded remembers a right token.
func (b *backoff) succeeded(peer netip.Addr, token string) {
	digest := b.digest(token)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.good[digest]; known {
		return // says nothing about whoever sends the wrong ones
	}
	delete(b.peers, peer)
	if len(b.good) >= maxGood {
		clear(b.good) // those in use are back with their next request
	}
	b.good[digest] = struct{}{}
}
