package curate_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"infbench/datasets/chat"
	"infbench/datasets/curate"
	"infbench/internal/testkit"
	"infbench/internal/testkit/chattest"
)

// child is the environment variable that makes the test binary build a corpus instead of testing:
// folder, cache and address.
const child = "INFBENCH_TEST_CURATE_CHAT"

const (
	killedRecords = 12
	killedAtATime = 4
)

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

// TestPromptedKilled: making a corpus by a model behind an endpoint is killed at 100 random times
// in all. It ends with the same bytes as without kills, and a kill loses at most the open answers.
func TestPromptedKilled(t *testing.T) {
	testkit.Deep(t)
	server, whole := chattest.New(t, reply), claimed(t)
	start := time.Now()
	if err := makeAll(whole, t.TempDir(), server.URL); err != nil {
		t.Fatal(err)
	}
	took, want, questions := time.Since(start), filesOf(t, whole), len(server.Asked())
	kills, corpora := killRepeatedly(t, rand.New(rand.NewPCG(3, 4)), took, func() (string, func(int)) {
		dir, before := claimed(t), len(server.Asked())
		made := func(kills int) {
			if got := filesOf(t, dir); !maps.Equal(got, want) {
				t.Fatalf("after %d kills the corpus has other bytes", kills)
			}
			if again := len(server.Asked()) - before - questions; again > kills*killedAtATime {
				t.Errorf("%d kills: %d questions were asked again, want at most %d a kill", kills, again, killedAtATime)
			}
		}
		return child + "=" + strings.Join([]string{dir, t.TempDir(), server.URL}, "\n"), made
	})
	t.Logf("%d kills, %d corpora, %d questions each", kills, corpora, questions)
}
