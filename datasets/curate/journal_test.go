package curate

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"infbench/datasets/atomicfile"
	"infbench/datasets/atomicfile/breakfs"
)

// Whatever operation breaks while answers are kept, each that was said to be kept is
// there afterwards, whole, and others can be kept: it was paid for.
func TestJournalSurvivesPowerLoss(t *testing.T) {
	for _, mode := range breakfs.Modes() {
		for at := 1; ; at++ {
			dir := t.TempDir()
			disk := breakfs.New(at, mode, t.TempDir())
			unmount := atomicfile.Mount(dir, disk)
			kept := keepUntilBroken(t, filepath.Join(dir, "answers"))
			if mode == breakfs.Refuse || !disk.Dead() {
				if err := disk.PowerLoss(); err != nil {
					t.Fatal(err)
				}
			}
			unmount()
			j, err := openJournal(filepath.Join(dir, "answers"))
			if err != nil {
				t.Fatalf("operation %d, %v: %v", at, mode, err)
			}
			for _, key := range kept {
				if string(j.have[key]) != `"`+key+`"` {
					t.Errorf("operation %d, %v: answer %s is %q", at, mode, key, j.have[key])
				}
			}
			if err := errors.Join(j.keep("more", "more"), j.close()); err != nil {
				t.Errorf("operation %d, %v: %v", at, mode, err)
			}
			if at > disk.Count() {
				break
			}
		}
	}
}

// keepUntilBroken keeps five answers, in a journal that is opened twice, and returns the
// keys of those that were said to be safe.
func keepUntilBroken(t *testing.T, path string) (kept []string) {
	t.Helper()
	for opened := range 2 {
		j, err := openJournal(path)
		if err != nil {
			return kept
		}
		for n := range 5 {
			key := fmt.Sprint(opened, n)
			if j.keep(key, key) == nil {
				kept = append(kept, key)
			}
		}
		j.close()
	}
	return kept
}
