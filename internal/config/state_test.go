package config

import (
	"path/filepath"
	"testing"
)

func TestStateDirectoryIsWhereXDGSays(t *testing.T) {
	home := t.TempDir()
	for _, test := range []struct {
		name    string
		environ []string
		want    string
		origin  string
	}{
		{"of XDG", []string{"XDG_STATE_HOME=/state", "HOME=" + home}, "/state/whelk", "default"},
		{"of the home", []string{"HOME=" + home}, home + "/.local/state/whelk", "default"},
		{"XDG is relative", []string{"XDG_STATE_HOME=state", "HOME=" + home}, home + "/.local/state/whelk", "default"},
		{"XDG is empty", []string{"XDG_STATE_HOME=", "HOME=" + home}, home + "/.local/state/whelk", "default"},
		{"nowhere", nil, "", "default"},
		{"the home is relative", []string{"HOME=home"}, "", "default"},
		{"a variable", []string{"HOME=" + home, "WHELK_STATE_DIR=/s"}, "/s", "variable WHELK_STATE_DIR"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, values, err := Load(nil, test.environ)
			if err != nil {
				t.Fatal(err)
			}
			value := values[indexOf(t, "state-dir")]
			if c.StateDir != test.want || value.Text != test.want || value.Origin != test.origin {
				t.Errorf("it is %q; shown as %+v", c.StateDir, value)
			}
		})
	}
	written := filepath.Join(home, "config.yaml")
	write(t, written, "state_dir: /from/file")
	if c, _, err := Load(nil, []string{"HOME=" + home, "WHELK_CONFIG=" + written}); err != nil || c.StateDir != "/from/file" {
		t.Errorf("the file's word: %+v, %v", c, err)
	}
	if _, _, err := Load(nil, []string{"WHELK_STATE_DIR=~/state"}); err == nil {
		t.Error("~ is taken for a directory")
	}
}
