package runs

import "infbench/runners/results"

// Sketch is Load for who must be quick and can do with less, as a shell that completes a
// word: of a sweep all trials that are planned, but the values of one, the first that is
// finished and can be read. The others are as if nothing of them were done.
func (f Folder) Sketch() (*results.Experiment, error) {
	name, plan, trials, whole, err := f.listed()
	if err != nil {
		return nil, err
	}
	if whole {
		return f.Load()
	}
	exp := &results.Experiment{Name: name, Dir: f.Dir, Planned: plan != nil}
	read := false
	for _, t := range trials {
		if full := t; !read || plan == nil { // only the folders of imported trials say what they are
			err := f.Trial(t.ID).Read(&full)
			if err == nil && full.State == results.Done {
				t, read = full, true
			} else if plan == nil {
				continue
			}
		}
		exp.Trials = append(exp.Trials, t)
	}
	return exp, nil
}
