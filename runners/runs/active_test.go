package runs

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/runners/results"
)

// If any byte of the log of an active sweep changes, the log is refused with the line's number,
// or means the same. The same is true if a line is lost or replaces another.
func TestLogOfAnActiveSweepIsWhole(t *testing.T) {
	f := Folder{Dir: t.TempDir(), Files: disk.OS{}}
	log, err := f.Rounds().Begin(results.ActiveSettings{Claims: "c.yaml", Text: "claims: []", Alpha: 0.05, Budget: 9, Start: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		f.Rounds().Add(log, results.ActiveRound{Round: 1, Cells: []results.ActiveCell{{ID: "a", Why: "drawn"}}}),
		f.Rounds().Add(log, results.ActiveRound{Round: 2, Done: 1, Stop: "no cell is left", Standings: []results.ActiveStanding{{Claim: "c", Side: "above", Value: 0.5}}}),
	); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(f.Rounds().Path())
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, text []byte) {
		t.Helper()
		if err := os.WriteFile(f.Rounds().Path(), text, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := f.Rounds().Read()
		if err == nil && !reflect.DeepEqual(a.ActiveLog, log.ActiveLog) || err != nil && !strings.Contains(err.Error(), ActiveFile+":") {
			t.Errorf("%s: %v, %+v", what, err, a)
		}
	}
	for i := range whole {
		for bit := range 8 {
			if bit != i%8 && !testkit.IsDeep() {
				continue
			}
			changed := bytes.Clone(whole)
			changed[i] ^= 1 << bit
			refused(string(changed), changed)
		}
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	refused("without its first line", bytes.Join(lines[1:], nil))
	refused("without a line", append(bytes.Clone(lines[0]), lines[2]...))
	refused("in another order", bytes.Join([][]byte{lines[0], lines[2], lines[1]}, nil))
	for _, behind := range []string{"}", "]", "{}", ","} {
		text := append(bytes.TrimSpace(whole), behind+"\n"...)
		refused("with "+behind+" at its end", text)
		if _, err := f.Rounds().Read(); err == nil {
			t.Errorf("%s behind the last line is taken", behind)
		}
	}
}
