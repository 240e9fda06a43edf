package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/yamlfile"
)

// write writes a configuration file that nobody else may change.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsFoundWhereItIsNamedOrInItsDefaultPlace(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"flag.yaml", "variable.yaml", "xdg/whelk/config.yaml", "home/.config/whelk/config.yaml"} {
		write(t, at(name), "log_level: debug")
	}
	xdg, home := "XDG_CONFIG_HOME="+at("xdg"), "HOME="+at("home")
	tests := []struct {
		name, flag   string
		environ      []string
		want, origin string
	}{
		{"flag", at("flag.yaml"), []string{"WHELK_CONFIG=" + at("variable.yaml"), xdg, home}, at("flag.yaml"), "flag --config"},
		{"variable", "", []string{"WHELK_CONFIG=" + at("variable.yaml"), xdg, home}, at("variable.yaml"), "variable WHELK_CONFIG"},
		{"XDG_CONFIG_HOME", "", []string{xdg, home}, at("xdg/whelk/config.yaml"), "default"},
		{"HOME", "", []string{home}, at("home/.config/whelk/config.yaml"), "default"},
		{"a relative XDG_CONFIG_HOME is ignored", "", []string{"XDG_CONFIG_HOME=xdg", home}, at("home/.config/whelk/config.yaml"), "default"},
		{"the first of a variable counts", "", []string{home, "HOME=/other"}, at("home/.config/whelk/config.yaml"), "default"},
		{"no file in the default place", "", []string{"HOME=" + at("elsewhere")}, "", "default"},
		{"a file where the default directory would be", "", []string{"XDG_CONFIG_HOME=" + at("flag.yaml")}, "", "default"},
		{"no default place", "", nil, "", "default"},
		{"a relative HOME is none", "", []string{"HOME=home"}, "", "default"},
		{"an empty variable names no file", "", []string{"WHELK_CONFIG=", home}, at("home/.config/whelk/config.yaml"), "default"},
		{"none, on purpose", os.DevNull, []string{xdg}, os.DevNull, "flag --config"},
	}
	t.Chdir(dir)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var line []string
			if test.flag != "" {
				line = []string{"--config", test.flag}
			}
			c, values, err := Load(parsed(t, line...), test.environ)
			if err != nil {
				t.Fatal(err)
			}
			i := indexOf(t, "config")
			if want := (Value{Option: "config", Text: test.want, Origin: test.origin}); values[i] != want || c.File != test.want {
				t.Errorf("the file is %q, %+v; want %+v", c.File, values[i], want)
			}
			if read := values[indexOf(t, "log-level")].Text == "debug"; read != (test.want != "" && test.want != os.DevNull) {
				t.Errorf("the file was read: %v", read)
			}
		})
	}
}

func TestFileThatCannotBeReadIsAFault(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("large"), strings.Repeat("#", yamlfile.Size+1))
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at("xdg/whelk"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("missing"), at("xdg/whelk/config.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, flag string
		environ    []string
		origin     string
		want       string
	}{
		{"missing", at("missing"), nil, "flag --config", "there is no such file"},
		{"missing, named by the variable", "", []string{"WHELK_CONFIG=" + at("missing")}, "variable WHELK_CONFIG", "there is no such file"},
		{"a directory that is none", at("large/x"), nil, "flag --config", "there is no such file"},
		{"empty", "-", nil, "flag --config", "it is empty; write the path of a file"},
		{"too large", at("large"), nil, "flag --config", "it is too large; a configuration has 1MiB or less"},
		{"a directory", dir, nil, "flag --config", "it is not a file with text"},
		{"a pipe without a writer", at("pipe"), nil, "flag --config", "it is not a file with text"},
		{"a device", "/dev/zero", nil, "flag --config", "it is not a file with text"},
		{"a link to itself", at("loop"), nil, "flag --config", "it cannot be read: too many levels of symbolic links"},
		{"a default file that is a link to nothing", "", []string{"XDG_CONFIG_HOME=" + at("xdg")}, "default", "there is no such file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var line []string
			switch test.flag {
			case "":
			case "-":
				line = []string{"--config="}
			default:
				line = []string{"--config", test.flag}
			}
			c, _, err := Load(parsed(t, line...), test.environ)
			var fault *Error
			if c != nil || !errors.As(err, &fault) {
				t.Fatalf("the configuration is %v, the error %v", c, err)
			}
			if fault.Option != "config" || fault.Origin != test.origin || !strings.HasPrefix(fault.Reason, test.want) {
				t.Errorf("the fault is %+v, want %q", fault, test.want)
			}
		})
	}
}

func TestFileThatOthersMayChangeIsWarnedOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "yield: 1s")
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o644: false, 0o400: false, 0o664: true, 0o602: true, 0o666: true} {
		t.Run(fmt.Sprintf("%04o", mode), func(t *testing.T) {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			c, _, err := Load(parsed(t, "--config", path), []string{"WHELK_YEILD=1s"})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"the variable WHELK_YEILD is ignored: there is no such option; did you mean WHELK_YIELD?"}
			if warned {
				text := fmt.Sprintf("the configuration file %s may be changed by other users (mode %04o); write: chmod go-w %[1]s", path, mode)
				want = append([]string{text}, want...)
			}
			if diff := cmp.Diff(want, c.Warnings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileOfAnotherUserIsWarnedOf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "")
	if err := os.Chown(path, 12345, 0); err != nil {
		t.Fatal(err)
	}
	c, err := Check(path)
	if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "belongs to another user (id 12345)") {
		t.Errorf("the configuration is %+v, %v", c, err)
	}
}

func TestLoadAgainTakesUpAChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	fs := parsed(t, "--config", path)
	for _, deny := range []string{"rm", "dd"} {
		write(t, path, "deny: ["+deny+"]")
		c, _, err := Load(fs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{deny}, c.Deny); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	write(t, path, "deny: [rm")
	if c, _, err := Load(fs, nil); c != nil || err == nil {
		t.Errorf("half a list is %+v, %v", c, err)
	}
}

func TestCheckFindsWhatAFlagWouldHide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "yield: 5\nresult: both\ngrace: soon")
	if _, _, err := Load(parsed(t, "--config", path, "--yield=1s", "--grace=1s"), nil); err != nil {
		t.Error(err)
	}
	_, err := Check(path)
	want := fmt.Sprintf("invalid value %q for option yield, from file %s:1: it has no unit; write 5s for seconds or 5ms for milliseconds\n", "5", path) +
		fmt.Sprintf("invalid value %q for option grace, from file %s:3: ", "soon", path)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
