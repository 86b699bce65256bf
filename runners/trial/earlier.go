package trial

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// Each training runs once. If an earlier trial of the run folder has trained the weights of a
// trial and was evaluated on other benchmarks or in another precision, this trial evaluates the
// same model and reuses equal rankings of the earlier one.

// earlier is a complete trial of the same weights.
type earlier struct {
	at    results.Folder
	trial results.Trial
}

// earlierTrials finds the complete trials of a run folder that evaluated the weights of a
// trial. It leaves out trials whose values cannot be read, and notices name them.
func earlierTrials(run runs.Folder, t *spec.Trial, notice func(string)) (found []earlier, err error) {
	others, err := run.Weights().Others(t)
	if err != nil {
		return nil, fmt.Errorf("look for an earlier trial of the same weights: %w", err)
	}
	for _, at := range others {
		e := earlier{at, results.Trial{ID: filepath.Base(at.Dir)}}
		if err := at.Reader().Trial(&e.trial); err != nil {
			notice(fmt.Sprintf("nothing is reused from %s: %v", at.Dir, err))
			continue
		}
		found = append(found, e)
	}
	return found, nil
}

// takeModel opens the model that an earlier trial has trained, and saves it with all files of
// its training. It returns nil if there is no complete model.
func (in *Surroundings) takeModel(at results.Folder) (*encoder.Encoder, error) {
	for i := range in.earlier {
		from := &in.earlier[i]
		switch err := at.Writer().TakeTraining(from.at); {
		case errors.Is(err, results.ErrDamaged):
			in.Notice(fmt.Sprintf("its model is not reused: %v", err))
			continue
		case err != nil:
			return nil, err
		}
		in.Notice("evaluates the model that trial " + from.trial.ID + " has trained")
		in.took(&from.trial)
		return in.open(at.Model())
	}
	return nil, nil
}

// open opens a model that was trained here.
func (in *Surroundings) open(model string) (*encoder.Encoder, error) {
	backend, err := in.Machine.Open()
	if err != nil {
		return nil, err
	}
	enc, err := catalog.OpenTrained(model, backend)
	if err == nil {
		enc.SetBatching(in.Machine.Batching())
	}
	return enc, err
}

// NoteTraining records in the provenance of an evaluation how its model was trained.
func NoteTraining(p *results.Provenance, of *runs.Trained) error {
	was, err := of.Of.Reader().Provenance()
	if err == nil {
		takeTraining(p, &results.Trial{ID: of.Trial.ID, Provenance: was})
	}
	return err
}

// takeTraining records in the provenance of a trial how the model that it reuses was trained.
func takeTraining(p *results.Provenance, from *results.Trial) {
	was := &from.Provenance
	p.Trained, p.Removed, p.Chunk = was.Trained, was.Removed, was.Chunk
	if p.TrainedBy = was.TrainedBy; p.TrainedBy == nil {
		p.TrainedBy = &results.TrainedBy{Trial: from.ID, Infbench: was.Infbench, Source: was.Source, Backend: was.Backend, Command: was.Command}
	}
	if seconds, timed := was.Seconds["train"]; timed {
		p.Seconds["train"] = seconds
	}
	if seconds, timed := was.CPUSeconds["train"]; timed {
		if p.CPUSeconds == nil {
			p.CPUSeconds = map[string]float64{}
		}
		p.CPUSeconds["train"] = seconds
	}
}

// takeValues reuses the rankings and values of an earlier trial on a benchmark. The earlier
// trial must have used the same program, the same kind of device and the same content, and have
// a value for every measure. takeValues returns nil if there is no such trial or its files are
// damaged.
func (e *Evaluation) takeValues(at results.Folder, b *datasets.Benchmark) ([]results.Result, error) {
	for _, from := range e.earlier {
		values := from.valuesOf(b)
		if values == nil || !e.ranksAlike(&from.trial, b.Name) {
			continue
		}
		err := from.lend(at, b)
		if err == nil {
			return values, nil
		}
		if !errors.Is(err, results.ErrDamaged) {
			return nil, err
		}
	}
	return nil, nil
}

// lend copies the rankings of a benchmark into a folder.
func (from *earlier) lend(at results.Folder, b *datasets.Benchmark) error {
	for i := range b.Tasks {
		if err := at.Writer().TakeTask(from.at, b.Name, b.Tasks[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// ranksAlike reports whether an earlier trial ranked a benchmark as this evaluation would. It
// returns false for rankings by a language model or an index server, which are made again, and
// for rankings that are compared with exact scores.
func (e *Evaluation) ranksAlike(was *results.Trial, benchmark string) bool {
	p, now := &was.Provenance, &e.Trial.Provenance
	if e.Shards != nil || p.Chat != nil || len(p.Approximations)+len(p.Deviations)+len(p.Shards) > 0 {
		return false
	}
	of := func(b results.Benchmark) bool { return b.Name == benchmark }
	i, k := slices.IndexFunc(p.Benchmarks, of), slices.IndexFunc(now.Benchmarks, of)
	return i >= 0 && k >= 0 && reflect.DeepEqual(p.Benchmarks[i], now.Benchmarks[k]) &&
		p.Source == now.Source && p.Backend == now.Backend && maps.Equal(was.Config, e.Trial.Config)
}

// valuesOf returns the values of a benchmark in the order in which its tasks are scored; nil if
// some are missing.
func (from *earlier) valuesOf(b *datasets.Benchmark) (values []results.Result) {
	for i := range b.Tasks {
		for _, s := range b.Tasks[i].Scorings {
			n := len(values)
			for _, r := range from.trial.Results {
				if r.Benchmark == b.Name && r.Task == b.Tasks[i].Name && (datasets.Scoring{Measure: r.Measure, Side: r.Side}) == s {
					values = append(values, r)
				}
			}
			if len(values) == n {
				return nil
			}
		}
	}
	return values
}
