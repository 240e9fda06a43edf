package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"whelk/internal/auth"
	"whelk/internal/mcptest"
)

func TestProgramsThatAddTokensAtOnceLoseNone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	token := func(arguments ...string) ([]byte, error) {
		return exec.Command(mcptest.Program(t), append([]string{"token"}, append(arguments, "--state-dir", dir)...)...).Output()
	}
	const programs = 12
	secrets := make([]string, programs)
	var wg sync.WaitGroup
	for i := range programs {
		wg.Go(func() {
			out, err := token("add", fmt.Sprintf("t%d", i))
			if err != nil {
				t.Errorf("add t%d: %v", i, err)
			}
			secrets[i] = strings.TrimSuffix(string(out), "\n")
		})
	}
	wg.Wait()
	out, err := token("list", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var listed []auth.Token
	if err := json.Unmarshal(out, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) != programs {
		t.Errorf("%d tokens are listed, of %d", len(listed), programs)
	}
	tokens, err := auth.NewTokens(auth.TokensOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tokens.Close()
	for i, secret := range secrets {
		p, err := tokens.Verify(t.Context(), secret)
		if name := fmt.Sprintf("t%d", i); err != nil || p.Name != name || !slices.ContainsFunc(listed, func(l auth.Token) bool { return l.ID == p.ID && l.Name == name }) {
			t.Errorf("the token of %s is that of %q: %v", name, p.Name, err)
		}
	}
}

func TestTokenThatCannotBeShownIsTakenBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	add := exec.Command(mcptest.Program(t), "token", "add", "ci", "--state-dir", dir)
	add.Stdout = full
	if err := add.Run(); err == nil {
		t.Error("it says that all is well")
	}
	if tokens, err := auth.NewStore(dir).List(); err != nil || len(tokens) != 0 {
		t.Errorf("the store holds %+v, %v", tokens, err)
	}
}
