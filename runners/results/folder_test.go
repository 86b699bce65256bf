package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// complete writes a small complete trial folder.
func complete(t *testing.T) (dir string, scores []Result) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "trial")
	v := 0.1 + 0.2 // needs many digits
	scores = []Result{
		{Benchmark: "b", Task: "t", Query: "q1", Measure: "AP", Value: &v},
		{Benchmark: "b", Task: "t", Query: "q2", Side: "changed", Measure: "AP"},
	}
	if err := At(dir).Writer().Curve([]Step{{Step: 1, Loss: 0.5}}); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Writer().Validation(scores[:1]); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Writer().Evaluations([]Evaluation{{Step: 1, Value: v, Best: true}}); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Writer().Complete(map[string]string{"model": "m"}, scores, Provenance{Command: "c"}); err != nil {
		t.Fatal(err)
	}
	return dir, scores
}

func TestTrialReadsBackAsWritten(t *testing.T) {
	dir, scores := complete(t)
	var got Trial
	if err := At(dir).Reader().Trial(&got); err != nil {
		t.Fatal(err)
	}
	if got.State != Done || got.Config["model"] != "m" || got.Provenance.Command != "c" || len(got.Curve) != 1 {
		t.Errorf("read back %+v", got)
	}
	if !reflect.DeepEqual(got.Validation, scores[:1]) || !reflect.DeepEqual(got.Evaluations, []Evaluation{{Step: 1, Value: *scores[0].Value, Best: true}}) {
		t.Errorf("held-out queries said %+v, %+v", got.Validation, got.Evaluations)
	}
	if !reflect.DeepEqual(got.Results, scores) {
		t.Errorf("results %+v, want %+v", got.Results, scores)
	}
}

// Every flipped byte and every missing file of a complete folder is found.
func TestVerify(t *testing.T) {
	dir, _ := complete(t)
	if err := At(dir).Marker().Verify(); err != nil {
		t.Fatal(err)
	}
	damaged := func(what string) {
		t.Helper()
		if err := At(dir).Marker().Verify(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", what, err)
		}
	}
	path := filepath.Join(dir, ScoresFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		damaged("a flipped byte")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	damaged("a missing file")
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, DoneFile)); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Marker().Verify(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the marker: %v, want not exist", err)
	}
}

// Whichever bit flips in a small file of a complete folder, neither verifying nor reading
// returns a number other than the one written.
func TestEveryFlippedBitIsFound(t *testing.T) {
	dir, _ := complete(t)
	var want Trial
	if err := At(dir).Reader().Trial(&want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{DoneFile, ScoresFile, SettingsFile, CurveFile, ValidationFile, EvaluationsFile, ProvenanceFile} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			flipped := append([]byte(nil), whole...)
			flipped[i] ^= 1 << (i % 8)
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			var got Trial
			err := At(dir).Reader().Trial(&got)
			got.Marker = want.Marker // of the marker's bytes: a key in other case means the same
			if err == nil && !reflect.DeepEqual(got, want) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, byte %d: read %+v, %v", name, i, got, err)
			}
			if err := At(dir).Marker().Verify(); name != DoneFile && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, byte %d: %v, want ErrDamaged", name, i, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Whichever bit flips in the mark of a stopped trial, no number is read other than the one
// written, and a trial with a damaged mark continues.
func TestEveryFlippedBitOfAHaltIsFound(t *testing.T) {
	dir := t.TempDir()
	want := Halt{Step: 15, Steps: 40, Rival: "aa11", Rivals: 2, Queries: 30, Difference: -0.25, Upper: -0.125, Gain: 0.0625, Alpha: 0.05}
	if err := At(dir).Halt().Set(want); err != nil {
		t.Fatal(err)
	}
	if got, err := At(dir).Halt().Read(); err != nil || got != want {
		t.Fatalf("read %+v, %v", got, err)
	}
	path := filepath.Join(dir, HaltFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := At(dir).Halt().Read()
		var trial Trial
		if faulty := At(dir).Reader().State(&trial); faulty != nil {
			t.Fatal(faulty)
		}
		switch {
		case err == nil && got == want && trial.State == Stopped: // a key in other case means the same
		case errors.Is(err, ErrDamaged) && trial.State == Waiting:
		default:
			t.Errorf("byte %d, %q: read %+v, %v; the trial is %s", i, flipped[i], got, err, trial.State)
		}
	}
	if err := At(dir).Halt().Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := At(dir).Halt().Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it went on: %v", err)
	}
}

// A failure keeps its first error and all attempts, which count until the user has fixed the
// cause. A trial that is being retried does not count as failed.
func TestFailure(t *testing.T) {
	dir, fs := t.TempDir(), disk.OS{}
	state := func() State {
		t.Helper()
		var trial Trial
		if err := At(dir).Reader().State(&trial); err != nil {
			t.Fatal(err)
		}
		return trial.State
	}
	if f, err := (Folder{Dir: dir, Files: fs}).Failures().Retry(); err != nil || f.Error != "" || state() != Waiting {
		t.Errorf("before any failure: %+v, %v, %s", f, err, state())
	}
	for i, text := range []string{"first", "second", "third"} {
		if err := (Folder{Dir: dir, Files: fs}).Failures().Add(OutOfMemory, errors.New(text)); err != nil || state() != Failed {
			t.Fatal(err, state())
		}
		f, err := (Folder{Dir: dir, Files: fs}).Failures().Retry()
		if err != nil || f.Error != "first" || f.Count(OutOfMemory) != i+1 || state() != Waiting {
			t.Errorf("after failure %d: %+v, %v, %s", i+1, f, err, state())
		}
	}
	if err := (Folder{Dir: dir, Files: fs}).Failures().Reset(); err != nil {
		t.Fatal(err)
	}
	if f, err := At(dir).Failures().Read(); err != nil || f.Count(OutOfMemory) != 0 || len(f.Attempts) != 3 {
		t.Errorf("forgiven: %+v, %v", f, err)
	}
	for range 2 * maxAttempts {
		if err := (Folder{Dir: dir, Files: fs}).Failures().Add(Transient, errors.New("again")); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := At(dir).Failures().Read(); err != nil || len(f.Attempts) != maxAttempts || f.Attempts[0].Error != "first" {
		t.Errorf("%d attempts, the first %+v, %v; want %d", len(f.Attempts), f.Attempts[0], err, maxAttempts)
	}
}

func TestUnfinishedTrials(t *testing.T) {
	dir := t.TempDir()
	var waiting Trial
	if err := At(filepath.Join(dir, "none")).Reader().Trial(&waiting); err != nil || waiting.State != Waiting {
		t.Errorf("no folder: %+v, %v", waiting, err)
	}
	if err := At(dir).Failures().Add(Fault, errors.New("out of luck")); err != nil {
		t.Fatal(err)
	}
	var failed Trial
	if err := At(dir).Reader().Trial(&failed); err != nil || failed.State != Failed || failed.Error != "out of luck" {
		t.Errorf("failed: %+v, %v", failed, err)
	}
}

// A line that is not a record is an error that names file and line. It is never skipped.
func TestReadTrialNamesTheBrokenLine(t *testing.T) {
	dir, _ := complete(t)
	path := filepath.Join(dir, ScoresFile)
	if err := os.WriteFile(path, []byte("{\"benchmark\":\"b\"}\n{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got Trial
	if err := At(dir).Reader().Trial(&got); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path+":2: ") {
		t.Errorf("error = %v, want %s:2", err, path)
	}
}
