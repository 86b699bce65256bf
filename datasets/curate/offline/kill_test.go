package offline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"infbench/datasets/curate"
	"infbench/datasets/curate/curatetest"
	"infbench/internal/testkit"
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
	testkit.Deep(t)
	whole := killed(curatetest.Claimed(t))
	start := time.Now()
	made(t, whole)
	if err := curate.Finish(whole.Dir); err != nil {
		t.Fatal(err)
	}
	took, want := time.Since(start), curatetest.Files(t, whole.Dir)
	kills, corpora := curatetest.Killed(t, rand.New(rand.NewPCG(1, 2)), took, func() (string, func(int)) {
		dir := curatetest.Claimed(t)
		return childDir + "=" + dir, func(int) { same(t, curatetest.Files(t, dir), want) }
	})
	t.Logf("%d kills, %d corpora", kills, corpora)
}
