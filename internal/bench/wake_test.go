package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"whelk/internal/output"
	"whelk/internal/proc"
)

// wake measures inside one process, which must not be the one that tests run
// in: package proc owns every wait of its process.
//
//	wake exited RUNS STAMP    age of a command's exit when Exited is closed
//	wake gone RUNS STAMP      the same of Gone
//	wake output COUNT STAMP PAUSE_US    age of each time that a command writes
//	    when a reader that waits for the log's change has it
func wake(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: see wake_test.go")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	local, err := proc.NewLocal(proc.Options{})
	if err != nil {
		return err
	}
	defer local.Close()
	if args[0] == "output" {
		return wakeOutput(local, args[2], args[1], args[3])
	}
	for range n {
		pause(pauseBetween)
		age, err := wakeExit(local, args[2], args[0] == "gone")
		if err != nil {
			return err
		}
		fmt.Println(int64(age))
	}
	return nil
}

// wakeExit runs stamp once and returns the age of its exit.
func wakeExit(local *proc.Local, stamp string, group bool) (time.Duration, error) {
	r, err := record(local, stamp, "write", "1", "0")
	if err != nil {
		return 0, err
	}
	end := r.process.Exited()
	if group {
		end = r.process.Gone()
	}
	<-end
	now := monotonic()
	r.wait()
	exited, err := lastNumber(r.log.Read(output.ReadOptions{Max: 1 << 20}).Stdout)
	return now - exited, err
}

// wakeOutput follows the output of stamp as it comes and prints its ages after
// its end, so that printing delays no reading.
func wakeOutput(local *proc.Local, stamp, count, pause string) error {
	r, err := record(local, stamp, "write", count, pause)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { r.wait(); close(done) }()
	var ages []time.Duration
	for over := false; !over; {
		changed := r.log.Changed()
		page := r.log.Read(output.ReadOptions{Max: 1 << 20})
		if len(page.Stdout) > 0 {
			now := monotonic()
			written, err := lastNumber(page.Stdout)
			if err != nil {
				return err
			}
			ages = append(ages, now-written)
			continue
		}
		select {
		case <-changed:
		case <-done:
			over = true
		}
	}
	for _, age := range ages {
		fmt.Println(int64(age))
	}
	return nil
}

// recording is a process whose output goes to a log.
type recording struct {
	process proc.Process
	log     *output.Log
	pump    sync.WaitGroup
}

func record(local *proc.Local, argv ...string) (*recording, error) {
	p, err := local.Launch(&proc.Spec{Path: argv[0], Argv: argv, Dir: "/", Env: os.Environ()})
	if err != nil {
		return nil, err
	}
	r := &recording{process: p, log: output.NewLog(output.Options{})}
	// stamp writes to its standard output alone.
	r.pump.Go(func() { p.Output().Each(func(_ proc.Stream, b []byte) { r.log.Append(output.Stdout, b) }) })
	return r, nil
}

// wait returns when the process, its group and its output have ended.
func (r *recording) wait() {
	<-r.process.Gone()
	r.pump.Wait()
}

// lastNumber is the newest of the times in a text, a line each.
func lastNumber(text []byte) (time.Duration, error) {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	ns, err := strconv.ParseInt(strings.TrimSpace(string(lines[len(lines)-1])), 10, 64)
	return time.Duration(ns), err
}
