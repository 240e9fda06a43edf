package execution_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/policy"
	"whelk/internal/proc"
	"whelk/internal/redact"
)

// hiding are the options of a server with one secret.
func hiding() execution.Options {
	names := redact.Options{Names: regexp.MustCompile("TOKEN")}
	return execution.Options{Secrets: redact.New(names, []string{"MY_TOKEN=supersecret123"}), Grace: time.Second}
}

// writes is a process that writes each piece a second after the last.
func writes(pieces ...string) func(*fake) {
	return func(f *fake) {
		for _, p := range pieces {
			f.stdout.write(p)
			time.Sleep(time.Second)
		}
		f.ends(proc.Exit{})
	}
}

func TestBO82SecretsOverSeveralWritesAreHidden(t *testing.T) {
	bubble(t, hiding(), writes("a superse", "cret12", "3END ", "supersecret1"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		for i, want := range []string{"a ", "a ", "a [REDACTED:MY_TOKEN]END "} {
			time.Sleep(time.Second / 2)
			synctest.Wait()
			if got := text(e); got != want {
				t.Errorf("after write %d: %q, want %q", i+1, got, want)
			}
			time.Sleep(time.Second / 2)
		}
		<-e.Done()
		n := e.Snapshot()
		const all = "a [REDACTED:MY_TOKEN]END supersecret1"
		if got := text(e); got != all || n.Redactions != 1 || n.Output.Latest != output.Seq(len(all)+1) {
			t.Errorf("at the end %q, %d replaced, up to %d", got, n.Redactions, n.Output.Latest)
		}
	})
}

func TestStreamsAreRedactedByThemselves(t *testing.T) {
	bubble(t, hiding(), func(f *fake) {
		f.stdout.write("super")
		f.stderr.write("secret123")
		f.stdout.write("secret123")
		f.ends(proc.Exit{})
	}, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		p := e.Read(output.ReadOptions{Since: 1, Max: 1000})
		if string(p.Stdout) != "[REDACTED:MY_TOKEN]" || string(p.Stderr) != "secret123" {
			t.Errorf("stdout %q, stderr %q", p.Stdout, p.Stderr)
		}
	})
}

// What is withheld is shown also if the stream is closed rather than read to
// its end.
func TestWithheldBytesAreShownWhenReadingEnds(t *testing.T) {
	bubble(t, hiding(), func(f *fake) {
		f.stdout.write("supersecret")
		f.leaderExits(proc.Exit{})
		close(f.gone)
		time.Sleep(time.Minute) // a daemon holds the output
		f.output.Close()
	}, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		if got := text(e); got != "" {
			t.Errorf("while the stream is open: %q", got)
		}
		time.Sleep(time.Hour)
		if got := text(e); got != "supersecret" {
			t.Errorf("after its end: %q", got)
		}
	})
}

func TestWithheldBytesAreNoIdleness(t *testing.T) {
	o := hiding()
	o.IdleTimeout = time.Minute
	bubble(t, o, func(f *fake) {
		for i := range len("supersecret123") {
			time.Sleep(50 * time.Second)
			f.stdout.write("supersecret123"[i : i+1])
		}
		obedient(f)
	}, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		if got := text(e); got != "[REDACTED:MY_TOKEN]" {
			t.Errorf("%q", got)
		}
		if n := e.Snapshot(); n.Limit != "idle_timeout" || n.Duration != 14*50*time.Second+time.Minute {
			t.Errorf("ended by %q after %v", n.Limit, n.Duration)
		}
	})
}

func TestVariablesOfARequestAreSecretForItAlone(t *testing.T) {
	bubble(t, hiding(), writes("overlaysecret overlayplain"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		r := command("x")
		r.Env = map[string]string{"NEW_TOKEN": "overlaysecret", "NEW": "overlayplain"}
		with, without := start(t, sup, r), start(t, sup, command("x"))
		<-with.Done()
		<-without.Done()
		if got := text(with); got != "[REDACTED:NEW_TOKEN] overlayplain" {
			t.Errorf("with it %q", got)
		}
		if got := text(without); got != "overlaysecret overlayplain" {
			t.Errorf("without it %q", got)
		}
	})
}

func TestSnapshotsAreRedacted(t *testing.T) {
	o := hiding()
	o.Dir = t.TempDir()
	bubble(t, o, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		const secret = "overlaysecret"
		r := command(strings.Repeat("x", 990) + secret + " supersecret123")
		r.Name, r.Env = "use "+secret, map[string]string{"TOKEN": secret}
		e := start(t, sup, r)
		<-e.Done()
		if n := e.Snapshot(); n.Name != "use [REDACTED:TOKEN]" || strings.Contains(n.Command, "overlay") || strings.Contains(n.Command, "supers") {
			t.Errorf("%+v", n)
		}
		e = start(t, sup, execution.Request{Argv: []string{"/bin/echo", "supersecret123", "it's"}})
		<-e.Done()
		if n := e.Snapshot(); n.Command != `/bin/echo '[REDACTED:MY_TOKEN]' 'it'\''s'` {
			t.Errorf("%q", n.Command)
		}
	})
}

func TestErrorsAreRedacted(t *testing.T) {
	p, _, err := policy.New(policy.Options{Deny: []string{"rm"}})
	if err != nil {
		t.Fatal(err)
	}
	o := hiding()
	o.Policy = p
	long := strings.Repeat("long secret ", 100)
	env := map[string]string{"LONG_TOKEN": long, "TOKEN": "overlaysecret"}
	of := func(change func(*execution.Request)) execution.Request {
		r := command("x")
		r.Env = env
		change(&r)
		return r
	}
	for name, r := range map[string]execution.Request{
		"directory":         of(func(r *execution.Request) { r.Dir = "/supersecret123/overlaysecret" }),
		"shell":             of(func(r *execution.Request) { r.Shell = "supersecret123" }),
		"program":           {Argv: []string{"/x/supersecret123"}},
		"denial":            of(func(r *execution.Request) { *r.Command = "rm supersecret123 overlaysecret" }),
		"denial, cut":       of(func(r *execution.Request) { *r.Command = "rm '" + long + "'" }),
		"a path that's cut": of(func(r *execution.Request) { r.Dir = "/" + strings.Repeat("x", 1000) + "/" + long }),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, o, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
				_, err := stdio(sup).Start(t.Context(), r)
				said := fmt.Sprint(err)
				if denial, ok := errors.AsType[*policy.Denial](err); ok {
					said += denial.Error()
				}
				for _, secret := range []string{"supersecret", "overlaysecret", "long secret"} {
					if strings.Contains(said, secret) {
						t.Errorf("the error shows %q: %s", secret, said)
					}
				}
				if !strings.Contains(said, "[REDACTED:") || execution.CodeOf(err) == "" {
					t.Errorf("error %v of code %q", err, execution.CodeOf(err))
				}
			})
		})
	}
	t.Run("launch", func(t *testing.T) {
		bubble(t, o, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			l.refuse = &proc.StartError{Step: "start", Path: "/supersecret123", Err: syscall.EAGAIN}
			_, err := stdio(sup).Start(t.Context(), command("x"))
			if err == nil || strings.Contains(err.Error(), "supersecret") || !errors.Is(err, syscall.EAGAIN) {
				t.Errorf("error %v", err)
			}
		})
	})
}
