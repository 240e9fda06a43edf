// Package output keeps what one execution wrote and hands it out in pages.
//
// Its words:
//
//   - log: both streams of one execution, in order of arrival.
//   - seq: the position of one byte in a log. Both streams share one count; the
//     first byte is 1; a position is never reused and the count only grows.
//   - commit: to give bytes their positions. A byte is in the log from then on.
//   - run: bytes of one stream whose positions are consecutive.
//   - page: one bounded piece of a log, as returned to a caller.
//   - cursor: the one position of a log up to which plain reads have consumed it.
//
// Its invariants:
//
//   - Every position below Latest belongs to exactly one byte of one stream.
//   - A stream retains its newest bytes, up to the capacity; what one stream
//     writes never evicts a byte of the other.
//   - The bytes of one valid UTF-8 character have consecutive positions, and no
//     eviction, no end of a page and no beginning of a tail parts them. Positions count raw bytes:
//     replacing an invalid one is the business of whoever displays it. A writer
//     that goes on after the end of its stream is outside this promise.
//   - A page holds every retained byte of its streams from Start up to Next, so
//     what a page leaves out is reached by reading on from Next.
//
// The package is a leaf: it imports only the standard library, starts no
// goroutine and opens no file. The execution that owns a log appends to it, and
// whoever answers for the execution reads it.
package output
