package command

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit/minihub"
)

// shareRounds is how often to repeat a test of processes that share something.
func shareRounds(t *testing.T) int {
	if faultStride(t) == 0 {
		return 2
	}
	return 20
}

// together runs command lines at the same time in a folder, with a cache in it, and fails if
// one of them fails.
func together(t *testing.T, dir string, env []string, commands ...[]string) {
	t.Helper()
	var all sync.WaitGroup
	for _, args := range commands {
		cmd, said := sharing(t, dir, env, args)
		all.Go(func() {
			if err := runApart(cmd); err != nil {
				t.Errorf("infbench %q: %v: %s", args, err, said)
			}
		})
	}
	all.Wait()
}

func sharing(t *testing.T, dir string, env, args []string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd, said := infbench(t, args...), new(strings.Builder)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "HF_HOME="+filepath.Join(dir, "home"), "HF_HUB_CACHE="), env...)
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// shownModels are small enough to be fetched repeatedly.
var shownModels = []string{"intfloat/e5-base-v2", "intfloat/e5-large-v2", "Qwen/Qwen2.5-1.5B"}

// TestSixAtOnce: six processes that import, and six that fetch, in pairs of the same input,
// all succeed, and the lock file has the entries of all.
func TestSixAtOnce(t *testing.T) {
	rounds := shareRounds(t)
	server := httptest.NewServer(minihub.NewHub("", minihub.Backbones()...))
	t.Cleanup(server.Close)
	began, want := time.Now(), []string{}
	var imports, fetches [][]string
	for i := range 6 {
		name := fmt.Sprintf("collection-%d", i)
		imports = append(imports, []string{"data", "import", "data", "--name", name})
		fetches = append(fetches, []string{"models", "fetch", shownModels[i%len(shownModels)]})
		want = append(want, name, shownModels[i%len(shownModels)])
	}
	for round := range rounds {
		dir := t.TempDir()
		tinyData(t, dir)
		together(t, dir, nil, imports...)
		together(t, dir, []string{"HF_ENDPOINT=" + server.URL, "HF_TOKEN="}, fetches...)
		lock := fileText(t, filepath.Join(dir, "infbench.lock"))
		for _, name := range want {
			if strings.Count(lock, `"`+name+`"`) != 1 {
				t.Errorf("round %d: %s is %d times in the lock file", round, name, strings.Count(lock, `"`+name+`"`))
			}
		}
		together(t, dir, nil, []string{"data", "verify"})
	}
	t.Logf("%d rounds of six imports and six fetches at once in %.0f s", rounds, time.Since(began).Seconds())
}

// TestSharedCacheOneKilled: one of two processes that fill a cache (of the hub or of vectors)
// is killed at a random moment. The other succeeds with a complete result, and the killed
// one's command succeeds the next time.
func TestSharedCacheOneKilled(t *testing.T) {
	rounds := shareRounds(t)
	server := httptest.NewServer(minihub.NewHub("", minihub.Backbones()...))
	t.Cleanup(server.Close)
	network := onceMade(t, smallNetwork)
	rng := rand.New(rand.NewPCG(17, uint64(rounds)))
	for _, c := range []struct {
		what     string
		inputs   func(*testing.T, string)
		one, two []string
		whole    [][]string
	}{
		{"cache of the hub", func(*testing.T, string) {},
			[]string{"models", "fetch", shownModels[0], "--lock", "one.lock"}, []string{"models", "fetch", shownModels[0], "--lock", "two.lock"},
			[][]string{{"data", "verify", "--lock", "two.lock"}}},
		{"cache of vectors", network,
			[]string{"evaluate", "--model", "small-bert", "--data", "data", "--cache", "vectors", "--out", "one"}, []string{"evaluate", "--model", "small-bert", "--data", "data", "--cache", "vectors", "--out", "two"},
			[][]string{{"models", "cache", "verify", "vectors"}, {"verify", "two"}}},
	} {
		killed, longest, whole := 0, time.Duration(0), 300*time.Millisecond
		for range rounds {
			dir := t.TempDir()
			c.inputs(t, dir)
			env := []string{"HF_ENDPOINT=" + server.URL, "HF_TOKEN="}
			victim, _ := sharing(t, dir, env, c.one)
			victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Duration(rng.Int64N(int64(whole))), func() { syscall.Kill(-victim.Process.Pid, syscall.SIGKILL) })
			began := time.Now()
			together(t, dir, env, c.two)
			whole = time.Since(began)
			longest = max(longest, whole)
			if victim.Wait() != nil {
				killed++
			}
			for _, check := range c.whole {
				together(t, dir, env, check)
			}
			together(t, dir, env, c.one)
		}
		t.Logf("%s: %d rounds, %d killed, the other took at most %.2f s", c.what, rounds, killed, longest.Seconds())
	}
}
