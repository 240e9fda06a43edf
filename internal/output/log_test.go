package output_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/output"
)

func TestPositionsAreSharedAndCountRawBytes(t *testing.T) {
	tests := []struct {
		name           string
		steps          []step
		stdout, stderr int64
		latest         output.Seq
	}{
		{"nothing", nil, 0, 0, 1},
		{"empty append", []step{stdout("")}, 0, 0, 1},
		{"one stream", []step{stdout("abc")}, 3, 0, 4},
		{"both streams", []step{stdout("abc"), stderr("de"), stdout("f")}, 4, 2, 7},
		{"an invalid byte counts once", []step{stdout("a\377b\303(")}, 5, 0, 6},
		{"a character counts its bytes", []step{stderr("≤😀")}, 0, 7, 8},
		{"NUL counts", []step{stdout("a\x00b")}, 3, 0, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := logOf(output.Options{}, tt.steps...).Stats()
			got.LastOutput = time.Time{}
			want := output.Stats{Stdout: tt.stdout, Stderr: tt.stderr, Latest: tt.latest}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stats (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnfinishedCharacterIsHeldBack(t *testing.T) {
	tests := []struct {
		name   string
		steps  []step
		stdout string
		latest output.Seq
	}{
		{"one byte of three", []step{stdout("a\342")}, "a", 2},
		{"two bytes of three", []step{stdout("a\342\211")}, "a", 2},
		{"three bytes of four", []step{stdout("a\360\237\230")}, "a", 2},
		{"one at a time", []step{stdout("\360"), stdout("\237"), stdout("\230")}, "", 1},
		{"completed (BO-24)", []step{stdout("a\342"), stdout("\211\244b")}, "a≤b", 6},
		{"completed one at a time", []step{stdout("\360"), stdout("\237"), stdout("\230"), stdout("\200")}, "😀", 5},
		{"completed by a long write", []step{stdout("\342\211"), stdout("\244" + x(100))}, "≤" + x(100), 104},
		{"completed and begun anew", []step{stdout("\342\211"), stdout("\244\303")}, "≤", 4},
		{"decided against", []step{stdout("\342"), stdout("b")}, "\342b", 3},
		{"decided against by another beginning", []step{stdout("\342"), stdout("\303")}, "\342", 2},
		{"never valid: continuation", []step{stdout("a\200")}, "a\200", 3},
		{"never valid: overlong", []step{stdout("\340\200")}, "\340\200", 3},
		{"never valid: surrogate", []step{stdout("\355\240")}, "\355\240", 3},
		{"never valid: too large", []step{stdout("\364\220")}, "\364\220", 3},
		{"never valid: 0xC0", []step{stdout("\300")}, "\300", 2},
		{"closed", []step{stdout("a\342\211"), closeOut}, "a\342\211", 4},
		{"closed twice", []step{stdout("a\342\211"), closeOut, closeOut}, "a\342\211", 4},
		{"late writer", []step{closeOut, stdout("a\342")}, "a\342", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := logOf(output.Options{}, tt.steps...)
			p := l.Read(output.ReadOptions{Since: 1, Max: big})
			if string(p.Stdout) != tt.stdout || p.Latest != tt.latest {
				t.Errorf("stdout %q, latest %d; want %q, %d", p.Stdout, p.Latest, tt.stdout, tt.latest)
			}
			if s := l.Stats(); s.Stdout != int64(tt.latest-1) {
				t.Errorf("stats count %d bytes, want %d", s.Stdout, tt.latest-1)
			}
		})
	}
}

func TestCharacterHasConsecutivePositionsWhateverTheOtherStreamWrites(t *testing.T) {
	l := logOf(output.Options{}, stdout("a\342"), stderr("E"), stdout("\211\244b"))
	comparePage(t, output.Page{Stdout: text("a"), Stderr: text("E"), Start: 1, Next: 3, Latest: 7, Capped: true},
		l.Read(output.ReadOptions{Since: 1, Max: 4}))
	comparePage(t, output.Page{Stdout: text("≤b"), Start: 3, Next: 7, Latest: 7},
		l.Read(output.ReadOptions{Since: 3, Max: 4}))
}

func TestReadBetweenTwoHalvesOfACharacterShowsNeither(t *testing.T) {
	l := logOf(output.Options{}, stdout("a\342"))
	first := l.Read(output.ReadOptions{Max: big})
	stdout("\211\244b")(l)
	second := l.Read(output.ReadOptions{Max: big})
	if string(first.Stdout) != "a" || string(second.Stdout) != "≤b" {
		t.Errorf("pages %q, %q; want %q, %q", first.Stdout, second.Stdout, "a", "≤b")
	}
}

func TestAppendDoesNotKeepItsArgument(t *testing.T) {
	l := output.NewLog(output.Options{})
	p := []byte("a\342")
	l.Append(output.Stdout, p)
	p[0], p[1] = 'X', 'X'
	stdout("\211\244")(l)
	if got := l.Read(output.ReadOptions{Max: big}).Stdout; string(got) != "a≤" {
		t.Errorf("stdout %q, want %q", got, "a≤")
	}
}

func TestPageIsTheCallersToKeep(t *testing.T) {
	l := logOf(output.Options{}, stdout("abc"))
	l.Read(output.ReadOptions{Since: 1, Max: big}).Stdout[0] = 'X'
	if got := l.Read(output.ReadOptions{Since: 1, Max: big}).Stdout; string(got) != "abc" {
		t.Errorf("stdout %q, want %q", got, "abc")
	}
}

func TestLastOutputIsWhenTheCommandLastWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := output.NewLog(output.Options{})
		check := func(when string, want time.Time) {
			t.Helper()
			if got := l.Stats().LastOutput; !got.Equal(want) {
				t.Errorf("%s: last output %v, want %v", when, got, want)
			}
		}
		check("empty", time.Time{})
		time.Sleep(time.Second)
		stdout("a")(l)
		first := time.Now()
		check("written", first)
		time.Sleep(time.Second)
		stdout("")(l)
		check("nothing written", first)
		stderr("\342")(l)
		second := time.Now()
		check("held back", second)
		time.Sleep(time.Second)
		l.CloseStream(output.Stderr)
		check("closed", second)
		latest := l.Stats().Latest
		l.Touch()
		check("written and withheld", time.Now())
		if got := l.Stats().Latest; got != latest {
			t.Errorf("a touch has moved the end from %d to %d", latest, got)
		}
	})
}

func TestChangedIsClosedByWhatAReaderCanSee(t *testing.T) {
	tests := []struct {
		name   string
		before []step
		change step
		want   bool
	}{
		{"append", nil, stdout("a"), true},
		{"append to the other stream", []step{stdout("a")}, stderr("b"), true},
		{"empty append", nil, stdout(""), false},
		{"held back", nil, stdout("\342"), false},
		{"held back and decided", []step{stdout("\342")}, stdout("\211\244"), true},
		{"end of stream", nil, closeOut, true},
		{"end of a stream that has ended", []step{closeOut}, closeOut, false},
		{"append after discard", []step{discard}, stdout("a"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := logOf(output.Options{}, tt.before...)
			changed := l.Changed()
			if isClosed(changed) {
				t.Fatal("closed before the change")
			}
			tt.change(l)
			if got := isClosed(changed); got != tt.want {
				t.Errorf("closed: %v, want %v", got, tt.want)
			}
			if isClosed(l.Changed()) {
				t.Error("a channel asked for after the change is closed")
			}
		})
	}
}

func TestEveryWaiterIsWoken(t *testing.T) {
	l := output.NewLog(output.Options{})
	a, b := l.Changed(), l.Changed()
	stdout("a")(l)
	if !isClosed(a) || !isClosed(b) {
		t.Error("a waiter was not woken")
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestDiscardedLogOnlyCounts(t *testing.T) {
	l := logOf(output.Options{}, stdout("abc\n"), stderr("de"), discard, stdout("f\n\342"), stderr("g"), stdout("\211\244"))
	got := l.Stats()
	got.LastOutput = time.Time{}
	if diff := cmp.Diff(output.Stats{Stdout: 9, Stderr: 3, Latest: 13}, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	gone := output.Page{Start: 13, Next: 13, Latest: 13, Evicted: true}
	tests := []struct {
		name    string
		o       output.ReadOptions
		next    output.Seq
		evicted int64
	}{
		{"since", output.ReadOptions{Since: 3, Max: big}, 13, 10},
		{"stdout", output.ReadOptions{Streams: output.OnlyStdout, Max: big}, 13, 9},
		{"stderr", output.ReadOptions{Streams: output.OnlyStderr, Max: big}, 10, 3},
		{"tail", output.ReadOptions{TailLines: 1, Max: big}, 13, 12},
		{"cursor", output.ReadOptions{Max: big}, 13, 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := gone
			want.Start, want.Next, want.EvictedBytes = tt.next, tt.next, tt.evicted
			comparePage(t, want, l.Read(tt.o))
		})
	}
	comparePage(t, output.Page{Start: 13, Next: 13, Latest: 13}, l.Read(output.ReadOptions{Max: big}))
}

func TestStreamHasTheNameOfTheToolContract(t *testing.T) {
	for s, want := range map[output.Stream]string{output.Stdout: "stdout", output.Stderr: "stderr", 7: "Stream(7)"} {
		if got := s.String(); got != want {
			t.Errorf("Stream(%d) is named %q, want %q", uint8(s), got, want)
		}
	}
}
