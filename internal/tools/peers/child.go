package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// child holds the measurements and the output of a process.
type child struct {
	answer
	wall float64 // seconds from start to end
	mib  float64 // peak memory
	out  []byte  // what it printed
}

// runChild runs a process in a folder to its end, with the number of threads in the settings
// for every library that reads an environment variable for it.
func (s *settings) runChild(ctx context.Context, argv []string, dir string, more ...string) (*child, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(append(ownVariables(), threadVariables(s.threads)...), more...)
	start := time.Now()
	err := cmd.Run()
	c := &child{wall: time.Since(start).Seconds(), out: stdout.Bytes()}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, lastLines(stderr.String()+stdout.String()))
	}
	if c.mib, err = peak(cmd.ProcessState); err != nil {
		return nil, err
	}
	for line := range strings.Lines(stdout.String()) {
		if text, ok := strings.CutPrefix(line, answerPrefix); ok {
			if err := json.Unmarshal([]byte(text), &c.answer); err != nil {
				return nil, fmt.Errorf("%s: %w in %q", filepath.Base(argv[0]), err, text)
			}
		}
	}
	return c, nil
}

// ownVariables are the variables of this process, except those by which some machines make
// older builds of OpenBLAS work: with them, the peers' builds are slow.
func ownVariables() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "OPENBLAS_CORETYPE=") || strings.HasPrefix(v, "OPENBLAS_L2_SIZE=")
	})
}

// threadVariables limit the libraries of all sides to a number of threads.
func threadVariables(n int) (env []string) {
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"} {
		env = append(env, fmt.Sprintf("%s=%d", name, n))
	}
	return env
}

// peak is the peak memory of a process in MiB, as reported by wait4. It is at least that of
// the process that started it (Linux counts the memory from before exec), so that one must
// stay small.
func peak(state *os.ProcessState) (float64, error) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not report the memory use of a process")
	}
	if runtime.GOOS == "darwin" { // bytes there, KiB elsewhere
		return float64(usage.Maxrss) / (1 << 20), nil
	}
	return float64(usage.Maxrss) / (1 << 10), nil
}

// lastLines returns the last lines of a text, as an explanation.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
