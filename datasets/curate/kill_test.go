package curate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"infbench/datasets/curate"
	"infbench/internal/testkit"
)

// childDir is the environment variable that makes the test binary build a corpus there instead of
// testing.
const childDir = "INFBENCH_TEST_CURATE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		end(makeKilled(dir))
	} else if where := strings.Split(os.Getenv(child), "\n"); len(where) == 3 {
		end(makeAll(where[0], where[1], where[2]))
	}
	os.Exit(m.Run())
}

// end exits a process that made a corpus instead of testing.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func makeKilled(dir string) error {
	if _, err := killed(dir).Make(context.Background(), ""); err != nil {
		return err
	}
	return curate.Finish(dir)
}

func killed(dir string) *curate.Corpus {
	return corpus(dir, 50, .4, judge("a", .1), judge("b", .3))
}

// TestKilled: making a corpus is killed at 100 random times in all. It ends with the same bytes as
// without kills.
func TestKilled(t *testing.T) {
	testkit.Deep(t)
	whole := killed(claimed(t))
	start := time.Now()
	made(t, whole)
	if err := curate.Finish(whole.Dir); err != nil {
		t.Fatal(err)
	}
	took, want := time.Since(start), filesOf(t, whole.Dir)
	kills, corpora := killRepeatedly(t, rand.New(rand.NewPCG(1, 2)), took, func() (string, func(int)) {
		dir := claimed(t)
		return childDir + "=" + dir, func(int) { same(t, filesOf(t, dir), want) }
	})
	t.Logf("%d kills, %d corpora", kills, corpora)
}
