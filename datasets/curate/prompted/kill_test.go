package prompted_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/datasets/chat"
	"infbench/datasets/chat/chattest"
	"infbench/datasets/curate"
)

// child has the test binary make a corpus instead of testing: folder, cache and address.
const child = "INFBENCH_TEST_CURATE_CHAT"

const (
	killedRecords = 12
	killedAtATime = 4
)

func TestMain(m *testing.M) {
	if where := strings.Split(os.Getenv(child), "\n"); len(where) == 3 {
		if err := makeAll(where[0], where[1], where[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func makeAll(dir, cache, url string) error {
	c, err := opened(dir, cache, url, killedRecords, chat.Options{Parallel: killedAtATime})
	if err != nil {
		return err
	}
	c.AtATime = killedAtATime
	if _, err := c.Make(context.Background(), ""); err != nil {
		return err
	}
	return curate.Finish(dir)
}

// claimed is a folder for a corpus.
func claimed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := curate.Claim(dir, []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// filesOf reads a folder by the names in it.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

// However often making a corpus by a model behind an endpoint is killed, at 100 random
// times in all, it ends with the bytes of one that never was; and a kill loses at most the
// answers that were under way.
func TestKilled(t *testing.T) {
	server, whole := chattest.New(t, reply), claimed(t)
	start := time.Now()
	if err := makeAll(whole, t.TempDir(), server.URL); err != nil {
		t.Fatal(err)
	}
	took, want, questions := time.Since(start), filesOf(t, whole), len(server.Asked())
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	dir, cache, kills, before := "", "", 0, 0
	for all, corpora := 0, 0; all < 100 || dir != ""; {
		if dir == "" {
			dir, cache, kills, before = claimed(t), t.TempDir(), 0, len(server.Asked())
		}
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), child+"="+strings.Join([]string{dir, cache, server.URL}, "\n"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took/3))), func() {
			if all < 100 {
				cmd.Process.Kill()
			}
		})
		err := cmd.Wait()
		timer.Stop()
		if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
			t.Fatal(err)
		}
		if err != nil {
			all, kills = all+1, kills+1
			continue
		}
		if got := filesOf(t, dir); !maps.Equal(got, want) {
			t.Fatalf("after %d kills the corpus has other bytes", kills)
		}
		if again := len(server.Asked()) - before - questions; again > kills*killedAtATime {
			t.Errorf("%d kills: %d questions were asked again, want at most %d a kill", kills, again, killedAtATime)
		}
		if dir, corpora = "", corpora+1; all >= 100 {
			t.Logf("%d kills, %d corpora, %d questions each", all, corpora, questions)
		}
	}
}
