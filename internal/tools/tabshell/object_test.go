package tabshell

import (
	"encoding/json"
	"testing"
	"time"
)

func TestObjectsAreWrittenAsPythonDoes(t *testing.T) {
	exit := -9
	got := outcome{
		status: "error", exit: &exit, stdout: "é\n", stderr: "", took: 1230 * time.Millisecond,
		truncated: true, command: `echo "😀"`,
	}.text()
	want := `{"status": "error", "exit_code": -9, "stdout": "\u00e9\n", "stderr": "", "execution_time": 1.23, ` +
		`"truncated": true, "command": "echo \"\ud83d\ude00\""}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var content struct{ Result string }
	if err := json.Unmarshal(structured(want), &content); err != nil || content.Result != want {
		t.Errorf("structured content %s (%v)", structured(want), err)
	}
}

func TestNumbersAreFloats(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want string
	}{
		{0, "0.0"},
		{400 * time.Microsecond, "0.0"},
		{3*time.Millisecond + 499*time.Microsecond, "0.003"},
		{time.Second, "1.0"},
		{30*time.Second + 32*time.Millisecond, "30.032"},
		{1100 * time.Millisecond, "1.1"},
	} {
		if got, want := new(object).seconds("t", c.took).String(), `{"t": `+c.want+`}`; got != want {
			t.Errorf("%v: %s, want %s", c.took, got, want)
		}
	}
	if got, want := new(object).time("t", time.Unix(1796030261, 0)).time("n", time.Time{}).String(), `{"t": 1796030261.0, "n": null}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    time.Duration // of the request
	}{
		{0.5, 500 * time.Millisecond},
		{0, 1},
		{-3, 1},
		{1e300, -1},
		{1e-12, 1},
	} {
		if got := (run{limit: duration(c.seconds)}).timeout(); got != c.want {
			t.Errorf("%v s: %v, want %v", c.seconds, got, c.want)
		}
	}
}
