// Package redact hides known secrets in what leaves the server: the values of
// environment variables with chosen names and, if wanted, texts of well-known
// formats of keys.
//
// Words:
//
//   - value: the text of a chosen variable. Values of less than [MinValue]
//     bytes are none: they would corrupt ordinary output.
//   - form: how a value may be written: as it is, in base64, percent-encoded.
//   - format: what a kind of key looks like, whoever it belongs to.
//   - mark: what stands in the place of a secret, [REDACTED:NAME], with the
//     name of the variable or of the format.
//   - withheld: bytes that a [Filter] has taken and not returned, because with
//     what follows they may be a secret.
//
// Invariants:
//
//   - How a stream is split into writes changes nothing of what leaves a filter.
//   - No byte of an occurrence of a value leaves. Occurrences that overlap, or
//     contain one another, are one secret with one mark, which names the
//     longest; of equal values the first in order.
//   - What is not part of a secret leaves as it came, byte for byte.
//   - A filter withholds less than the longest form of a value, and at most
//     some kilobytes for formats. It takes time linear in what is written.
//
// What it cannot do: find a value that a command has transformed otherwise
// (reversed, compressed, in hexadecimal, broken into lines), or one that
// nobody has chosen. It is a guard against accidents, not against a command
// that wants to tell a secret.
//
// The package is a leaf: it imports only the standard library, starts no
// goroutine and opens no file.
package redact
