package cost

import (
	"fmt"
	"math"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// finishedCell is a done trial with its times.
type finishedCell struct {
	trial   *spec.Trial
	seconds map[string]float64
}

// readAtMost bounds how many finished cells are looked at, of a folder and of all others.
const readAtMost = 200

// readFinished reads the times of done cells that this device computed, which are held to
// what they were.
func (e *estimator) readFinished(run runs.Folder, plan *spec.Plan, states []results.Trial) error {
	read := 0
	for i := range states {
		if states[i].State != results.Done || read == readAtMost {
			continue
		}
		read++
		p, err := run.Trial(states[i].ID).Reader().Provenance()
		if err != nil {
			return err
		}
		if e.counts(&p) {
			e.finished = append(e.finished, finishedCell{&plan.Trials[i], p.Seconds})
		}
	}
	return nil
}

// readOthers reads those of the run folders beside it. What cannot be read tells nothing.
func (e *estimator) readOthers(dir string, run runs.Folder) {
	beside, err := disk.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range beside {
		other := runs.At(filepath.Join(dir, entry.Name()))
		if !entry.IsDir() || filepath.Clean(other.Dir) == filepath.Clean(run.Dir) {
			continue
		}
		plan, err := other.Plan()
		if err != nil {
			continue
		}
		for i := range plan.Trials {
			if len(e.others) == readAtMost {
				return
			}
			if p, err := other.Trial(plan.Trials[i].ID).Reader().Provenance(); err == nil && e.counts(&p) {
				e.others = append(e.others, finishedCell{&plan.Trials[i], p.Seconds})
			}
		}
	}
}

// counts says whether a cell's times are those of the device that is planned for.
func (e *estimator) counts(p *results.Provenance) bool {
	return p.Seconds["total"] > 0 && e.machine.Recorded(p.Backend)
}

// likeness is what cells share whose times tell of each other.
func likeness(c *spec.Cell) string {
	share := 0.0 // pairs of a row that its loss asks for besides
	if rows, mixed, err := batchTexts(c); c.Model == spec.Trained && err == nil {
		share = float64(mixed) / float64(rows)
	}
	return fmt.Sprint(c.Model, "\x00", c.Backbone, "\x00", c.Data, "\x00", share)
}

// like foresees a cell by finished ones like it: their times, training in
// proportion to how long that is.
func (e *estimator) like(c *spec.Cell) (span, bool) {
	s, kind := span{math.Inf(1), 0}, likeness(c)
	for _, f := range e.finished {
		if likeness(&f.trial.Cell) != kind {
			continue
		}
		seconds := f.seconds["total"]
		if c.Model == spec.Trained {
			longer, err := e.longer(c, &f.trial.Cell)
			if err != nil {
				return span{}, false // said where the sizes are looked at
			}
			seconds += f.seconds["train"] * (longer - 1)
		}
		s.low, s.high = min(s.low, seconds), max(s.high, seconds)
	}
	return span{s.low / measuredFactor, s.high * measuredFactor}, s.high > 0
}

// recorded foresees so many operations of a cell by what those of its network took in
// other cells, on data and under losses of theirs; false where none tells, or none of
// training.
func (e *estimator) recorded(c *spec.Cell, o operations) (seconds float64, ok bool) {
	var done operations
	var encoding, training float64 // seconds
	for _, list := range [][]finishedCell{e.finished, e.others} {
		for _, f := range list {
			of := &f.trial.Cell
			if network(of) != network(c) || of.Precision != c.Precision || of.Train.Precision != c.Train.Precision {
				continue
			}
			s, work, err := e.sizes(f.trial)
			if err != nil {
				continue
			}
			theirs, err := e.operations(of, s, work)
			if err != nil {
				continue
			}
			done.encoding, encoding = done.encoding+theirs.encoding, encoding+f.seconds["evaluate"]
			if of.Model == spec.Trained {
				done.training, training = done.training+theirs.training, training+f.seconds["train"]
			}
		}
	}
	for _, part := range []struct{ want, done, seconds float64 }{{o.encoding, done.encoding, encoding}, {o.training, done.training, training}} {
		if part.want == 0 {
			continue
		}
		if part.done == 0 || part.seconds == 0 {
			return 0, false
		}
		seconds += part.want * part.seconds / part.done
	}
	return seconds, seconds > 0
}
