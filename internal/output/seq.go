package output

import "fmt"

// Seq is the position of a byte in a log, counted in bytes over both streams.
// The first byte is at 1; zero and less are no position.
type Seq int64

// Stream names one of the two streams of an execution. The zero value is Stdout.
type Stream uint8

// The streams of an execution. They index Log.streams.
const (
	Stdout Stream = iota
	Stderr
)

// streamCount is how many streams an execution has.
const streamCount = 2

// String returns the name of the stream, as in the results of the tools.
func (s Stream) String() string {
	switch s {
	case Stdout:
		return "stdout"
	case Stderr:
		return "stderr"
	}
	return fmt.Sprintf("Stream(%d)", uint8(s))
}

// Streams selects the streams of a read. The zero value is Both, and so is
// every value that is not named here.
type Streams uint8

// The selections of a read. Any but Both is called narrowed.
const (
	Both Streams = iota
	OnlyStdout
	OnlyStderr
)
