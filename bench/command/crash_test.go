package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners/catalog"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/runners/trial"
)

// crashPlan is six cells, including two that train a network for two steps, on a collection
// of two queries: real, and small enough to run a thousand times.
func crashPlan(t *testing.T, change ...func(*spec.Cell)) *spec.Plan {
	t.Helper()
	files := without(map[string]string{"train.jsonl": tripletLines(datasets.MiniInfIR(1)[:4])})
	dir := writeFiles(t, files)
	base := spec.DefaultCell()
	base.Data, base.Backbone = filepath.Join(dir, "train.jsonl"), smallBackbone(t)
	base.Train.Epochs, base.Train.RowsPerGroup, base.Train.LearningRate = 1, 6, 0.01
	for _, f := range change {
		f(&base)
	}
	other := base
	base.Loss, other.Loss = "uni(P)", "multi(P,I)"
	e := spec.Experiment{
		Name: "crash", Base: base, Evaluate: []string{dir},
		Axes:      []spec.Axis{{Key: "loss", Values: []spec.Cell{base, other}}},
		Baselines: []spec.Cell{{Model: "bm25"}, {Model: "constant"}, {Model: "random"}, {Model: "document-order"}},
	}
	plan, err := e.Expand(catalog.Revisions{}.Resolve)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Trials) != 6 {
		t.Fatalf("%d cells, want 6", len(plan.Trials))
	}
	return plan
}

// tripletLines writes training records as files hold them.
func tripletLines(triplets []datasets.Triplet) string {
	var records strings.Builder
	for i, r := range triplets {
		fmt.Fprintf(&records, `{"id":"%d","instruction_positive":%q,"instruction_negative":%q,"query_positive":%q,"query_negative":%q,"document_positive":%q,"hard_negative_document_1":%q,"hard_negative_document_2":%q}`+"\n",
			i, r.InstructionPositive, r.InstructionNegative, r.QueryPositive, r.QueryNegative, r.Positive, r.HardNegative1, r.HardNegative2)
	}
	return records.String()
}

// here is an engine that runs trials in this process, on a file system.
type here struct {
	folder runs.Folder
	plan   *spec.Plan
}

func (h here) Run(ctx context.Context, jobs []engine.Job, report func(engine.Event)) error {
	for _, j := range jobs {
		report(engine.Event{Job: j, Kind: engine.Started})
		t, _ := h.plan.Trial(j.ID)
		in := trial.Usual(&t.Cell, func(engine.Progress) {})
		in.Every = 1
		if err := trial.Run(ctx, h.folder, t, in); err != nil {
			report(engine.Event{Job: j, Kind: engine.Failed, Err: err})
			continue
		}
		report(engine.Event{Job: j, Kind: engine.Succeeded})
	}
	return nil
}

// crashSweep runs a plan in this process and writes everything through files.
func crashSweep(t *testing.T, dir string, plan *spec.Plan, files disk.FS) (said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	s := newSweepRun(sweepOptions{workers: 1}, (runs.Folder{Dir: dir, Files: files}), plan, &stdout, &stderr)
	s.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) { return here{folder, plan}, nil }
	err = s.run(t.Context())
	return stderr.String(), err
}

// crashOutcome hashes the rankings, the scores and the numbers of the report.
func crashOutcome(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := numbers(t, dir)
	if len(sums) != 6*2 {
		t.Errorf("%d files of numbers, want 12", len(sums))
	}
	sums["report"] = tableHash(t, dir)
	if _, err := os.Stat(runs.At(dir).Report()); err != nil {
		t.Error(err)
	}
	return sums
}

// A damaged checkpoint is reported and training starts over, to the same bytes.
func TestDamagedCheckpointIsRedone(t *testing.T) {
	plan := crashPlan(t)
	one, calm, dir := &plan.Trials[0], t.TempDir(), t.TempDir()
	quiet := trial.Usual(&one.Cell, func(engine.Progress) {})
	if err := trial.Run(t.Context(), runs.At(calm), one, quiet); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := trial.Usual(&one.Cell, func(engine.Progress) { cancel() }) // after the first step
	if err := trial.Run(ctx, runs.At(dir), one, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	path := filepath.Join(runs.At(dir).Trial(one.ID).Dir, results.CheckpointDir, "state.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(`"loss":`), []byte(`"loss":1`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	said := ""
	quiet.Notice = func(text string) { said += text }
	if err := trial.Run(t.Context(), runs.At(dir), one, quiet); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, path) || !strings.Contains(said, "starts over") {
		t.Errorf("said %q, want the file named", said)
	}
	if !maps.Equal(numbers(t, dir), numbers(t, calm)) {
		t.Error("rankings or scores differ")
	}
}

// The error of a full disk names the cause, and nothing is left that looks like a result;
// once there is room, the sweep goes on.
func TestDiskFull(t *testing.T) {
	plan := crashPlan(t)
	for _, room := range []int{0, 9, 40} {
		dir := filepath.Join(t.TempDir(), "crash")
		said, err := crashSweep(t, dir, plan, &full{FS: disk.OS{}, room: room})
		if err == nil || !strings.Contains(said+err.Error(), errFull.Error()) {
			t.Errorf("room for %d files: %v, %s", room, err, said)
		}
		for _, trial := range plan.Trials {
			if err := runs.At(dir).Trial(trial.ID).Marker().Verify(); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("room for %d files: %v", room, err)
			}
		}
		if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
			t.Errorf("room for %d files, then for all: %v, %s", room, err, said)
		}
	}
}

// full is a disk with room for some files.
type full struct {
	disk.FS
	room int
}

var errFull = errors.New("no space left on device")

func (f *full) Create(path string) (disk.File, error) {
	if f.room--; f.room < 0 {
		return nil, errFull
	}
	return f.FS.Create(path)
}
