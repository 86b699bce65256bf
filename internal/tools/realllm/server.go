package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// server is a running llama-server.
type server struct {
	url  string // http://127.0.0.1:PORT
	kill context.CancelFunc
	done chan struct{} // closed after it ended
	log  *tail
}

// start starts llama-server on a free port of loopback. It returns when the port is open; the model
// may still be loading. The server ends with ctx, by stop, or with this process.
func start(ctx context.Context, program, model string, threads int, args ...string) (*server, error) {
	ctx, kill := context.WithCancel(ctx)
	s := &server{kill: kill, done: make(chan struct{}), log: &tail{}}
	args = append([]string{"--model", model, "--host", "127.0.0.1", "--port", "0", "--threads", fmt.Sprint(threads), "--offline", "--no-webui"}, args...)
	cmd := exec.CommandContext(ctx, program, args...)
	dieWithUs(cmd)
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	began := make(chan error, 1)
	go func() {
		// the kernel ends the server with this thread (dieWithUs)
		runtime.LockOSThread()
		defer close(s.done)
		defer kill()
		err := cmd.Start()
		began <- err
		if err == nil {
			err = cmd.Wait()
		}
		write.CloseWithError(cmp.Or(err, io.EOF))
	}()
	if err := <-began; err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		defer close(address)
		lines := bufio.NewScanner(read)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			s.log.add(lines.Text())
			if found := listening.FindString(lines.Text()); found != "" {
				select {
				case address <- found:
				default:
				}
			}
		}
		io.Copy(io.Discard, read)
	}()
	if s.url = <-address; s.url == "" { // the log is complete: the server has ended
		s.stop()
		return nil, fmt.Errorf("llama-server did not open a port: %s", s.log)
	}
	return s, nil
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// stop kills the server and waits for its end.
func (s *server) stop() {
	s.kill()
	<-s.done
}

// ready waits until the model is loaded. It returns the number of times that the server answered
// 503 until then.
func (s *server) ready(ctx context.Context) (refusals int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case <-s.done:
			return refusals, fmt.Errorf("llama-server ended: %s", s.log)
		case <-time.After(100 * time.Millisecond):
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/health", nil)
		if err != nil {
			return refusals, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		answer.Body.Close()
		switch answer.StatusCode {
		case http.StatusOK:
			return refusals, nil
		case http.StatusServiceUnavailable:
			refusals++
		}
	}
	return refusals, errors.Join(fmt.Errorf("llama-server does not get ready: %s", s.log), context.Cause(ctx))
}

// tail keeps the last lines of a log.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 20 {
		t.lines = t.lines[1:]
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
