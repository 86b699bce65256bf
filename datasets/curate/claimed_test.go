package curate_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"infbench/datasets/curate"
)

// claimed returns a new folder for a corpus.
func claimed(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := curate.Claim(dir, []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// filesOf returns the contents of a folder's files by name.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// enough is the total number of kills.
const enough = 100

// killRepeatedly runs the test binary to make corpora. Each corpus gets its own variable
// ("NAME=value") in the environment. The binary is killed at 100 random times in all, within a
// third of the time that a corpus takes. After each kill the same corpus is continued; made is
// called when it is complete. After the last kill the corpus is finished without another.
func killRepeatedly(t *testing.T, random *rand.Rand, took time.Duration, begin func() (variable string, made func(kills int))) (kills, corpora int) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for ; kills < enough; corpora++ {
		variable, made := begin()
		before := kills
		for interrupted(t, binary, variable, kills < enough, time.Duration(random.Int64N(int64(took/3)))) {
			kills++
		}
		made(kills - before)
	}
	return kills, corpora
}

// interrupted runs a program and reports whether it was killed before it ended.
func interrupted(t *testing.T, binary, variable string, kill bool, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), variable)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if kill {
		defer time.AfterFunc(after, func() { cmd.Process.Kill() }).Stop()
	}
	err := cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
		t.Fatal(err)
	}
	return err != nil
}
