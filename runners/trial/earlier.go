package trial

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"infbench/datasets"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// A training is done once: a trial whose weights an earlier trial of the run folder has
// trained, which was evaluated on other benchmarks or in another precision, evaluates that
// model, and takes over what that trial has ranked in the same way.

// earlier is a complete trial of the same weights.
type earlier struct {
	at results.Folder
	is results.Trial
}

// earlierTrials finds the complete trials of a run folder that evaluated the weights of a
// trial. One of which no values can be read is left out, and named.
func earlierTrials(run runs.Folder, t *spec.Trial, notice func(string)) (found []earlier, err error) {
	others, err := run.Weights().Others(t)
	if err != nil {
		return nil, fmt.Errorf("look for an earlier trial of the same weights: %w", err)
	}
	for _, at := range others {
		e := earlier{at, results.Trial{ID: filepath.Base(at.Dir)}}
		if err := at.Reader().Trial(&e.is); err != nil {
			notice(fmt.Sprintf("nothing is taken over from %s: %v", at.Dir, err))
			continue
		}
		found = append(found, e)
	}
	return found, nil
}

// takeModel opens the model that an earlier trial has trained, and keeps it with all that
// its training left; nil where there is none, or none that is whole.
func (in *Surroundings) takeModel(at results.Folder) (*encoder.Encoder, error) {
	for i := range in.earlier {
		from := &in.earlier[i]
		switch err := at.Writer().TakeTraining(from.at); {
		case errors.Is(err, results.ErrDamaged):
			in.Notice(fmt.Sprintf("its model is not taken over: %v", err))
			continue
		case err != nil:
			return nil, err
		}
		in.Notice("evaluates the model that trial " + from.is.ID + " has trained")
		in.took(&from.is)
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
	enc, err := encoder.Open(model, backend)
	if err == nil {
		enc.SetBatching(in.Machine.Batching())
	}
	return enc, err
}

// NoteTraining notes in the provenance of an evaluation how its model was trained.
func NoteTraining(p *results.Provenance, of *runs.Trained) error {
	was, err := of.Of.Reader().Provenance()
	if err == nil {
		takeTraining(p, &results.Trial{ID: of.Trial.ID, Provenance: was})
	}
	return err
}

// takeTraining notes in the provenance of a trial how the model was trained that it took
// over from another one.
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

// takeValues takes over what an earlier trial has ranked and scored of a benchmark: by the
// same program on the same kind of device, of the same content, with a value of all that
// is measured; nil where none has, or its files are damaged.
func (e *Evaluation) takeValues(at results.Folder, b *datasets.Benchmark) ([]results.Result, error) {
	for _, from := range e.earlier {
		values := from.valuesOf(b)
		if values == nil || !e.ranksAlike(&from.is, b.Name) {
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

// lend gives a folder the rankings of a benchmark.
func (from *earlier) lend(at results.Folder, b *datasets.Benchmark) error {
	for i := range b.Tasks {
		if err := at.Writer().TakeTask(from.at, b.Name, b.Tasks[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// ranksAlike reports whether an earlier trial ranked a benchmark as this evaluation would.
// What was asked of a language model or of an index server is asked again, and what was
// compared with exact scores is compared again.
func (e *Evaluation) ranksAlike(was *results.Trial, benchmark string) bool {
	p, now := &was.Provenance, &e.Is.Provenance
	if e.Shards != nil || p.Chat != nil || len(p.Approximations)+len(p.Deviations)+len(p.Shards) > 0 {
		return false
	}
	of := func(b results.Benchmark) bool { return b.Name == benchmark }
	i, k := slices.IndexFunc(p.Benchmarks, of), slices.IndexFunc(now.Benchmarks, of)
	return i >= 0 && k >= 0 && reflect.DeepEqual(p.Benchmarks[i], now.Benchmarks[k]) &&
		p.Source == now.Source && p.Backend == now.Backend && maps.Equal(was.Config, e.Is.Config)
}

// valuesOf are the values of a benchmark in the order in which its tasks are scored; nil
// where there are not all.
func (from *earlier) valuesOf(b *datasets.Benchmark) (values []results.Result) {
	for i := range b.Tasks {
		for _, s := range b.Tasks[i].Scorings {
			n := len(values)
			for _, r := range from.is.Results {
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
