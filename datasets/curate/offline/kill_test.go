package offline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"infbench/datasets/curate"
)

// childDir has the test binary make a corpus there instead of testing.
const childDir = "INFBENCH_TEST_CURATE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		_, err := killed(dir).Make(context.Background(), "")
		if err == nil {
			err = curate.Finish(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func killed(dir string) *curate.Corpus {
	return corpus(dir, 50, .4, judge("a", .1), judge("b", .3))
}

// However often making a corpus is killed, at 100 random times in all, it ends with the
// bytes of one that never was.
func TestKilled(t *testing.T) {
	want := killed(t.TempDir())
	start := time.Now()
	made(t, want)
	if err := claimAndFinish(want.Dir); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	dir, kills, corpora := "", 0, 0
	for kills < 100 || dir != "" { // what was killed last is finished in peace
		if dir == "" {
			if dir = t.TempDir(); curate.Claim(dir, []byte("x\n")) != nil {
				t.Fatal("not claimed")
			}
		}
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took/3))), func() {
			if kills < 100 {
				cmd.Process.Kill()
			}
		})
		err := cmd.Wait()
		timer.Stop()
		if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
			t.Fatal(err)
		}
		if err != nil {
			kills++
			continue
		}
		same(t, contents(t, dir), contents(t, want.Dir))
		dir, corpora = "", corpora+1
	}
	t.Logf("%d kills, %d corpora", kills, corpora)
}

func claimAndFinish(dir string) error {
	if err := os.WriteFile(dir+"/"+curate.SettingsFile, []byte("x\n"), 0o644); err != nil {
		return err
	}
	return curate.Finish(dir)
}
