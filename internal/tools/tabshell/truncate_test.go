package tabshell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const (
	lower = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRST"
)

func whole(text string) captured { return captured{last: []byte(text), whole: true} }

// What tab-shell-mcp 0.1.1 answers; the cases below fifteen characters of room are our
// own (T9).
func TestOutputIsCutAsMeasured(t *testing.T) {
	for _, c := range []struct {
		name             string
		out, err         string
		limit            int
		head             bool
		wantOut, wantErr string
		truncated        bool
	}{
		{"nothing", "", "", 100, false, "", "", false},
		{"exactly the limit", lower[:60], upper[:40], 100, false, lower[:60], upper[:40], false},
		{"one over the limit", lower[:101], "", 100, true, lower[:86] + mark, "", true},
		{"both too long, the ends", lower, upper, 100, false, mark + lower[97:], mark + upper[131:], true},
		{"both too long, the beginnings", lower, upper, 100, true, lower[:53] + mark, upper[:19] + mark, true},
		{"stderr within its third leaves the rest", lower[:80], upper[:30], 100, false, mark + lower[24:80], upper[:30], true},
		{"stdout within its part leaves the rest", lower[:20], upper, 100, true, lower[:20], upper[:66] + mark, true},
		{"stdout far too long, little on stderr", lower, upper[:20], 100, true, lower[:66] + mark, upper[:20], true},
		{"each just over its budget", lower[:69], upper[:40], 100, true, lower[:53] + mark, upper[:19] + mark, true},
		{"stdout in its part, by a little", lower[:60], upper[:60], 100, true, lower[:60], upper[:26] + mark, true},
		{"characters, not bytes", strings.Repeat("é", 150), "", 100, false, mark + strings.Repeat("é", 86), "", true},
		{"characters at their limit", strings.Repeat("é", 100), "", 100, false, strings.Repeat("é", 100), "", false},

		{"T9: no room for the mark", "0123456789abcdefghij", "", 10, true, "0123456789", "", true},
		{"T9: no room for the mark, the ends", "01234567", "ABCDEFGH", 10, false, "1234567", "FGH", true},
		{"T9: room for one character beside the mark", lower, "", 15, false, mark + "t", "", true},
		{"T9: room for the mark alone", lower, "", 14, false, lower[136:], "", true},
		{"one character", "0123456789", "AB", 1, true, "0", "", true},
		{"no characters", "0123456789", "AB", 0, false, "", "", true},
		{"no characters, none written", "", "", 0, false, "", "", false},
		{"less than none", "0123456789", "AB", -5, false, "", "", true},
		{"less than none, none written", "", "", -1, false, "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err, truncated := truncate(whole(c.out), whole(c.err), c.limit, c.head)
			want, got := []any{c.wantOut, c.wantErr, c.truncated}, []any{out, err, truncated}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// kept is what a log of n bytes at either end has of a text.
func kept(text string, n int) captured {
	if len(text) <= n {
		return whole(text)
	}
	return captured{first: []byte(text[:n]), last: []byte(text[len(text)-n:])}
}

func TestCutOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out := rapid.StringOfN(rapid.RuneFrom([]rune("aé€😀")), 0, 200, -1).Draw(t, "stdout")
		err := rapid.StringOfN(rapid.RuneFrom([]rune("aé€😀")), 0, 200, -1).Draw(t, "stderr")
		limit, head := rapid.IntRange(-2, 300).Draw(t, "limit"), rapid.Bool().Draw(t, "head")
		gotOut, gotErr, truncated := truncate(whole(out), whole(err), limit, head)
		n := max(limit, 0)
		shown := utf8.RuneCountInString(gotOut) + utf8.RuneCountInString(gotErr)
		written := utf8.RuneCountInString(out) + utf8.RuneCountInString(err)
		switch {
		case truncated != (written > limit):
			t.Fatalf("truncated is %v for %d of %d characters", truncated, limit, written)
		case !truncated && (gotOut != out || gotErr != err):
			t.Fatalf("output within the limit is changed: %q %q", gotOut, gotErr)
		case truncated && shown != n:
			t.Fatalf("%d characters shown, the limit is %d", shown, n)
		case !isEnd(gotOut, out, head), !isEnd(gotErr, err, head):
			t.Fatalf("%q and %q are no ends of what was written", gotOut, gotErr)
		case utf8.RuneCountInString(err) >= n/3 && utf8.RuneCountInString(gotErr) < n/3:
			t.Fatalf("stderr has %d characters, a third of the limit is its own", utf8.RuneCountInString(gotErr))
		}
		fewOut, fewErr, fewTruncated := truncate(kept(out, BytesKept(limit)), kept(err, BytesKept(limit)), limit, head)
		if fewOut != gotOut || fewErr != gotErr || fewTruncated != truncated {
			t.Fatalf("with the ends alone it is %q %q %v", fewOut, fewErr, fewTruncated)
		}
	})
}

// isEnd reports whether a shown text is an end of what was written, or all of it,
// without its mark.
func isEnd(shown, written string, head bool) bool {
	if head {
		return strings.HasPrefix(written, strings.TrimSuffix(shown, mark))
	}
	return strings.HasSuffix(written, strings.TrimPrefix(shown, mark))
}
