package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// commandTime is the time limit for one command of a cluster.
const commandTime = 2 * time.Minute

// runCommand runs a command of a cluster with stdin as its input and returns its standard
// output.
func runCommand(ctx context.Context, env []string, stdin []byte, name string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(limited, name, args...)
	cmd.Env = env
	cmd.Stdin = bytes.NewReader(stdin)
	// A Ctrl-C at the terminal is for the sweep, not for its commands.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if limited.Err() != nil {
		err = limited.Err()
	}
	return "", &commandError{name: name, stderr: stderr.String(), err: err}
}

// patiently repeats do while it fails because a cluster does not answer, until it succeeds or
// ctx ends.
func patiently(ctx context.Context, pause time.Duration, notice func(string), do func() error) error {
	noticed := false
	for {
		err := do()
		if err == nil || !transient(err) {
			return err
		}
		if !noticed {
			notice(fmt.Sprintf("%v; asking again", err))
			noticed = true
		}
		if sleep(ctx, pause) != nil {
			return err
		}
	}
}

// commandError is the error of a failed command.
type commandError struct {
	name   string
	stderr string
	err    error
}

func (e *commandError) Error() string {
	text := strings.TrimSpace(e.stderr)
	if text == "" {
		return fmt.Sprintf("%s: %v", e.name, e.err)
	}
	return fmt.Sprintf("%s: %s", e.name, strings.ReplaceAll(text, "\n", "; "))
}

func (e *commandError) Unwrap() error { return e.err }

// transientTexts are parts of the messages of a controller that is restarting, overloaded or
// out of reach (src/common/slurm_errno.c; munge; kubectl).
var transientTexts = []string{
	"unable to contact slurm controller", "socket timed out", "zero bytes were transmitted", "connection refused",
	"connection reset", "transport endpoint", "temporarily unable to accept job", "backup controller in standby",
	"resource temporarily unavailable", "authentication error", "munge", "unexpected message received",
	"slurm_load_jobs error: invalid user id", // while the controller starts
	"i/o timeout", "tls handshake timeout", "unable to connect to the server", "etcdserver", "too many requests",
	"currently unable to handle", "service unavailable", "the server was unable to return a response", "unexpected eof",
}

// errGarbled marks a command's output as incomplete.
var errGarbled = errors.New("garbled output")

// transient reports whether a failed command may succeed later.
func transient(err error) bool {
	var c *commandError
	if !errors.As(err, &c) {
		return false
	}
	if errors.Is(c.err, context.DeadlineExceeded) || errors.Is(c.err, errGarbled) {
		return true
	}
	text := strings.ToLower(c.stderr)
	for _, t := range transientTexts {
		if strings.Contains(text, t) {
			return true
		}
	}
	return false
}
