package chat

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infbench/internal/secret"
	"infbench/internal/testkit"
	"infbench/internal/testkit/chattest"
)

// Environment variables of TestKilled's child program. It asks its questions through a cache and
// writes the answers in order.
const (
	childDir  = "INFBENCH_TEST_CHAT_DIR" // if set, the test binary runs as the program
	childURL  = "INFBENCH_TEST_CHAT_URL"
	childKey  = "INFBENCH_TEST_CHAT_KEY"
	questions = 1200
	parallel  = 4
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := askAll(dir, os.Getenv(childURL)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func askAll(dir, url string) error {
	key, err := secret.FromEnvironment(childKey)
	if err != nil {
		return err
	}
	c, err := NewClient(Options{BaseURL: url, Key: key, Parallel: parallel})
	if err != nil {
		return err
	}
	used, err := os.OpenFile(filepath.Join(dir, "used"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	asker := NewAsker(NewCached(c, NewStore(filepath.Join(dir, "cache"), c.Origin())), nil)
	answers := make([]string, questions)
	var next atomic.Int64
	var group sync.WaitGroup
	for range parallel {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < questions && err == nil; i = int(next.Add(1)) - 1 {
				r := Request{Model: "m", Messages: []Message{{User, fmt.Sprint(i)}}}
				answer, failed := asker.Ask(context.Background(), r)
				if failed != nil {
					panic(failed)
				}
				answers[i] = answer.Text
				fmt.Fprintf(used, "\n%s.\n", answer.Text) // one write, which a kill may truncate
			}
		})
	}
	group.Wait()
	return os.WriteFile(filepath.Join(dir, "answers"), []byte(strings.Join(answers, "\n")), 0o600)
}

// TestKilled: a program is killed at 100 random times. It repeats at most as many questions as it
// asks concurrently, and every answer it ever used is also its final answer. The key is in no file,
// output or command line.
func TestKilled(t *testing.T) {
	testkit.Deep(t)
	var n atomic.Int64
	s := chattest.New(t, func(asked *chattest.Asked) string {
		time.Sleep(time.Duration(rand.N(4)) * time.Millisecond)
		return fmt.Sprintf("%s is %d", asked.Last(), n.Add(1)) // never the same twice
	})
	dir := t.TempDir()
	var output bytes.Buffer
	kills := 0
	for {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir, childURL+"="+s.URL, childKey+"="+canary)
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 100 {
			time.Sleep(time.Duration(10+rand.N(40)) * time.Millisecond)
			if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid)); err == nil && bytes.Contains(line, []byte(canary)) {
				t.Fatalf("command line %q", line)
			}
			cmd.Process.Kill()
		}
		err := cmd.Wait()
		if kills++; err == nil {
			break
		}
		if kills > 100 {
			t.Fatalf("%v: %s", err, output.String())
		}
	}
	asked := len(s.Asked())
	if asked > questions+kills*parallel {
		t.Errorf("%d questions were asked %d times over %d kills", questions, asked, kills)
	}
	t.Logf("%d questions asked %d times over %d kills", questions, asked, kills)
	checkUsed(t, dir)
	for _, path := range storedFiles(t, dir) {
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte(canary)) {
			t.Errorf("%s: %v, or holds the key", path, err)
		}
	}
	if strings.Contains(output.String(), canary) {
		t.Error("the output holds the key")
	}
}

// checkUsed compares all answers ever used with the final ones, and these with a replay.
func checkUsed(t *testing.T, dir string) {
	t.Helper()
	final, err := os.ReadFile(filepath.Join(dir, "answers"))
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(string(final), "\n")
	used, err := os.Open(filepath.Join(dir, "used"))
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	seen := 0
	for lines := bufio.NewScanner(used); lines.Scan(); {
		text, complete := strings.CutSuffix(lines.Text(), ".")
		if !complete {
			continue
		}
		var i, n int
		if _, err := fmt.Sscanf(text, "%d is %d", &i, &n); err != nil || answers[i] != text {
			t.Errorf("%q was used, the final answer is %q: %v", text, answers[i], err)
		}
		seen++
	}
	if seen < questions {
		t.Errorf("%d lines of used answers, want at least %d", seen, questions)
	}
	replay, err := OpenReplay(filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range answers {
		a, err := replay.Ask(t.Context(), Request{Model: "m", Messages: []Message{{User, fmt.Sprint(i)}}})
		if err != nil || a.Text != want {
			t.Errorf("replayed %q, %v, want %q", a.Text, err, want)
		}
	}
}
