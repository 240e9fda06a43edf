package differential

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// request asks the sandbox to run a program.
type request struct {
	Argv []string // the first word is an absolute file under the root
	Env  []string
	// Stdin is the text of standard input; "" is an input that ends at once.
	Stdin string
}

// answer says what the stubs noted: each run is a name and its arguments.
type answer struct {
	Ran  [][]string
	Fail string // why the sandbox could not run it
	// Kernel says that the kernel refused what the sandbox is made of.
	Kernel bool
}

const (
	// nobody owns nothing, and is no user of any system, so that the limit
	// on its processes counts no others.
	nobody = 61234

	logFolder = "/log"
	stubLog   = logFolder + "/runs"
	workplace = "/srv"
	// limits bound processes, the size of files in blocks of 512 bytes, and
	// memory in KiB. They are set in a shell of their own because the sandbox's
	// first process would not survive some of them.
	limits = `ulimit -p 64 && ulimit -f 2048 && ulimit -v 524288 && exec "$@"`
)

// serveSandbox is the first process of the sandbox's namespaces. It makes
// root the root, and answers requests until its input ends.
func serveSandbox(root string) error {
	if os.Getpid() != 1 {
		return errors.New("this is not the first process of a namespace")
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	// The first answer says whether the sandbox is there.
	if err := furnish(root); err != nil {
		return out.Encode(answer{Fail: err.Error(), Kernel: errors.Is(err, syscall.EPERM)})
	}
	if err := out.Encode(answer{}); err != nil {
		return err
	}
	for {
		var asked request
		if err := in.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var given answer
		ran, err := runProgram(asked)
		if given.Ran = ran; err != nil {
			given.Fail = err.Error()
		}
		if err := out.Encode(given); err != nil {
			return err
		}
	}
}

// runProgram runs one program in an empty folder, waits for it and all that it
// left behind, and reads what the stubs noted.
func runProgram(asked request) (ran [][]string, err error) {
	if err := syscall.Mount("tmpfs", workplace, "tmpfs", 0, "size=4m,nr_inodes=256,mode=0777"); err != nil {
		return nil, fmt.Errorf("mount a working directory: %w", err)
	}
	defer func() {
		err = errors.Join(err, syscall.Unmount(workplace, syscall.MNT_DETACH))
	}()
	if err := os.Truncate(stubLog, 0); err != nil {
		return nil, err
	}
	if err := start(asked); err != nil {
		return nil, err
	}
	reapAll()
	data, err := os.ReadFile(stubLog)
	if err != nil {
		return nil, err
	}
	return readLog(string(data))
}

func start(asked request) error {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	input, err := inputOf(asked.Stdin)
	if err != nil {
		return err
	}
	defer input.Close()
	attributes := &syscall.SysProcAttr{Setsid: true}
	if os.Getenv(ownerVariable) == "" {
		attributes.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	process, err := os.StartProcess("/bin/dash", append([]string{"dash", "-c", limits, "dash"}, asked.Argv...), &os.ProcAttr{
		Dir: workplace, Env: asked.Env, Files: []*os.File{input, null, null}, Sys: attributes,
	})
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	return process.Release() // reapAll waits for it
}

// inputOf returns a pipe that holds a text, which must be shorter than a pipe
// is (64 KiB).
func inputOf(text string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.WriteString(text); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// reapAll waits until no other process is left, which is when background
// commands have ended too. Orphans are children of the first process.
func reapAll() {
	var killed sync.WaitGroup
	killed.Add(1)
	timer := time.AfterFunc(maxRunTime, func() {
		defer killed.Done()
		// All but this process: it is the first of its namespace. What forks
		// meanwhile is met by the next round.
		for range 20 {
			if syscall.Kill(-1, syscall.SIGKILL) != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	for {
		_, err := syscall.Wait4(-1, nil, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			break
		}
	}
	if !timer.Stop() {
		killed.Wait()
	}
}

// readLog reads what the stubs noted: for each run the number of its
// arguments, its name and the arguments, each ended by NUL.
func readLog(data string) ([][]string, error) {
	fields := strings.Split(strings.TrimSuffix(data, "\x00"), "\x00")
	if data == "" {
		return nil, nil
	}
	var ran [][]string
	for len(fields) > 0 {
		count, err := strconv.Atoi(fields[0])
		if err != nil || count+2 > len(fields) {
			return ran, fmt.Errorf("the stubs' log is damaged at %q", fields[0])
		}
		ran = append(ran, fields[1:count+2])
		fields = fields[count+2:]
	}
	return ran, nil
}
