package curate

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/tracer"
)

// TestJournalSurvivesPowerLoss: an operation fails while answers are stored. Every answer reported
// as stored must exist afterwards, since answers are paid for, and others can still be stored.
func TestJournalSurvivesPowerLoss(t *testing.T) {
	keep := func(dir string) { keepUntilBroken(filepath.Join(dir, "answers")) }
	tracer.EachFault(t, nil, keep, func(what, dir, said string) {
		j, err := openJournal(filepath.Join(dir, "answers"))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, key := range strings.Fields(said) {
			if string(j.have[key]) != `"`+key+`"` {
				t.Errorf("%s: answer %s is %q", what, key, j.have[key])
			}
		}
		if err := errors.Join(j.keep("more", "more"), j.close()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	})
}

// keepUntilBroken stores five answers twice, in a journal that is opened twice, and prints the keys
// of the answers reported as stored.
func keepUntilBroken(path string) {
	for opened := range 2 {
		j, err := openJournal(path)
		if err != nil {
			return
		}
		for n := range 5 {
			key := fmt.Sprint(opened, "-", n)
			if j.keep(key, key) == nil {
				fmt.Println(key)
			}
		}
		j.close()
	}
}
