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

// finishedCell is a finished trial with its times.
type finishedCell struct {
	trial   *spec.Trial
	seconds map[string]float64
}

// readAtMost is the maximum number of finished cells that are read, from the same folder and
// from all others.
const readAtMost = 200

// readFinished reads the times of finished cells that this device computed, and checks the
// files.
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

// readOthers reads the times in neighbouring run folders. It ignores unreadable ones.
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

// counts reports whether a cell's times are from the planned device.
func (e *estimator) counts(p *results.Provenance) bool {
	return p.Seconds["total"] > 0 && e.machine.Recorded(p.Backend)
}

// likeness is the same for cells whose times are comparable.
func likeness(c *spec.Cell) string {
	share := 0.0 // additional pairs per row for its loss
	if rows, mixed, err := batchTexts(c); c.Model == spec.Trained && err == nil {
		share = float64(mixed) / float64(rows)
	}
	return fmt.Sprint(c.Model, "\x00", c.Backbone, "\x00", c.Data, "\x00", share)
}

// like estimates a cell from similar finished ones: from their times, in proportion to the
// length of training.
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
				return span{}, false // reported when the sizes are read
			}
			seconds += f.seconds["train"] * (longer - 1)
		}
		s.low, s.high = min(s.low, seconds), max(s.high, seconds)
	}
	return span{s.low / measuredFactor, s.high * measuredFactor}, s.high > 0
}

// recorded estimates operations of a cell from other cells with its network, for whatever data
// and losses they had. ok is false if there are none, or none with training.
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
