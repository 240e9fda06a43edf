package differential

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// stub notes its name and its arguments. Those above c4 fail, so that both
// ways of a condition are gone.
const stub = `#!/bin/dash
printf '%s\0' "$#" "${0##*/}" "$@" >>` + stubLog + `
case ${0##*/} in *[5-9]) exit 1 ;; esac
`

// tools are the programs that random programs may run besides the stubs. None
// of them writes to a file.
var tools = []string{"true", "cat", "echo", "env", "nice", "nohup", "setsid", "timeout", "xargs"}

// furnish makes root a root of its own and enters it: stubs, shells, tools,
// the libraries they need, /dev/null and /proc.
func furnish(root string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=64m,mode=0755"); err != nil {
		return fmt.Errorf("mount the root: %w", err)
	}
	folders := []string{"/bin", "/dev", "/proc", "/stubs", "/tools", "/sh-bash", "/sh-dash", "/usr", logFolder, workplace}
	for _, folder := range folders {
		if err := os.Mkdir(root+folder, 0o755); err != nil {
			return err
		}
	}
	steps := []func(string) error{copyPrograms, bindLibraries, bindDevices, writeStubs}
	for _, step := range steps {
		if err := step(root); err != nil {
			return err
		}
	}
	if err := syscall.Chroot(root); err != nil {
		return fmt.Errorf("enter the root: %w", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	return os.Chdir("/")
}

func copyPrograms(root string) error {
	for _, shell := range []string{"bash", "dash"} {
		if err := copyProgram(shell, root+"/bin/"+shell); err != nil {
			return err
		}
		if err := os.Symlink("/bin/"+shell, root+"/tools/"+shell); err != nil {
			return err
		}
		if err := os.Symlink("/bin/"+shell, root+"/sh-"+shell+"/sh"); err != nil {
			return err
		}
	}
	for _, tool := range tools {
		if err := copyProgram(tool, root+"/tools/"+tool); err != nil {
			return err
		}
	}
	return nil
}

// copyProgram copies a program from where systems keep theirs.
func copyProgram(name, to string) error {
	for _, folder := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		data, err := os.ReadFile(folder + name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o755)
	}
	return fmt.Errorf("copy %s: %w", name, os.ErrNotExist)
}

// bindLibraries shows the system's libraries, to be read only.
func bindLibraries(root string) error {
	for _, folder := range []string{"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64"} {
		info, err := os.Lstat(folder)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(folder)
			if err != nil {
				return err
			}
			if err := os.Symlink(target, root+folder); err != nil {
				return err
			}
			continue
		}
		if err := bindReadOnly(folder, root+folder); err != nil {
			return err
		}
	}
	return nil
}

func bindReadOnly(folder, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(folder, to, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", folder, err)
	}
	flags := uintptr(syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(to, &fs); err != nil {
		return err
	}
	// Flags of the folder's own mount may not be dropped by a user namespace.
	flags |= uintptr(fs.Flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME)
	if err := syscall.Mount("", to, "", flags, ""); err != nil {
		return fmt.Errorf("make %s read-only: %w", folder, err)
	}
	return nil
}

// bindDevices gives /dev/null, and the descriptors that process substitutions
// name.
func bindDevices(root string) error {
	if err := os.WriteFile(root+"/dev/null", nil, 0o666); err != nil {
		return err
	}
	if err := syscall.Mount("/dev/null", root+"/dev/null", "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind /dev/null: %w", err)
	}
	if err := syscall.Mount("proc", root+"/proc", "proc", syscall.MS_NOSUID|syscall.MS_NOEXEC|syscall.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return os.Symlink("/proc/self/fd", root+"/dev/fd")
}

// writeStubs makes the stubs, and their log on a file system of its own: the
// only one besides the working directory that can be written.
func writeStubs(root string) error {
	if err := syscall.Mount("tmpfs", root+logFolder, "tmpfs", 0, "size=4m,mode=0755"); err != nil {
		return fmt.Errorf("mount the log's folder: %w", err)
	}
	if err := os.WriteFile(root+stubLog, nil, 0o666); err != nil {
		return err
	}
	if err := os.Chmod(root+stubLog, 0o666); err != nil { // whatever the umask
		return err
	}
	first := filepath.Join(root, "stubs", "c0")
	if err := os.WriteFile(first, []byte(stub), 0o755); err != nil {
		return err
	}
	for i := 1; i < stubs; i++ {
		if err := os.Link(first, filepath.Join(root, "stubs", "c"+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}
