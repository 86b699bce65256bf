package suites

import (
	"maps"
	"slices"

	"infbench/metrics/stats"
)

// Standing is a model's row on mteb's leaderboard. A mean is nil if the model lacks a task
// that any model ran; Missing lists those tasks. Such a model still has points, and can lead
// the Borda rank although its means are empty.
type Standing struct {
	MeanTask *float64            // over tasks
	MeanType *float64            // over the means of task types
	Types    map[string]*float64 // mean of each type of task
	Points   float64             // Borda: the sum over its tasks of the number of models minus its average rank there
	Rank     int                 // 1 plus the number of models with more points
	Missing  []string            // tasks that others ran and it did not, by name
}

// Board ranks models by their scores in the same way as mteb; scores is model -> task ->
// score, where higher is better, and types is the type of each task. A task that no model ran
// is ignored, and so is a model without scores.
func Board(scores map[string]map[string]float64, types map[string]string) map[string]*Standing {
	board := map[string]*Standing{}
	tasks := map[string]bool{}
	for model, of := range scores {
		if len(of) > 0 {
			board[model] = &Standing{Types: map[string]*float64{}}
		}
		for task := range of {
			tasks[task] = true
		}
	}
	ofType := map[string][]string{}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		kind := types[task]
		ofType[kind] = append(ofType[kind], task)
		givePoints(board, scores, task)
	}
	for model, s := range board {
		s.fill(scores[model], ofType)
	}
	for _, s := range board {
		s.Rank = 1
		for _, other := range board {
			if other.Points > s.Points {
				s.Rank++
			}
		}
	}
	return board
}

// givePoints adds points to each model that ran a task: the number of models minus its rank
// there, where equal scores share their average rank. Scores that differ only by rounding are
// equal: they may be means over prompts.
func givePoints(board map[string]*Standing, scores map[string]map[string]float64, task string) {
	for model, s := range board {
		own, ran := scores[model][task]
		if !ran {
			s.Missing = append(s.Missing, task)
			continue
		}
		above, equal := 0, 0
		for other := range board {
			v, also := scores[other][task]
			switch c := stats.Compare(v, own); {
			case also && c > 0:
				above++
			case also && c == 0:
				equal++
			}
		}
		s.Points += float64(len(board)) - (float64(above) + float64(equal+1)/2)
	}
}

// fill computes the means of one model.
func (s *Standing) fill(own map[string]float64, ofType map[string][]string) {
	var all, means []*float64
	for _, kind := range slices.Sorted(maps.Keys(ofType)) {
		var values []*float64
		for _, task := range ofType[kind] {
			if v, ran := own[task]; ran {
				values = append(values, &v)
			} else {
				values = append(values, nil)
			}
		}
		s.Types[kind] = completeMean(values)
		all, means = append(all, values...), append(means, s.Types[kind])
	}
	s.MeanTask, s.MeanType = completeMean(all), completeMean(means)
}

// completeMean returns the mean of values, or nil if any of them is missing.
func completeMean(values []*float64) *float64 {
	mean, n := Mean(values)
	if n == 0 || n < len(values) {
		return nil
	}
	return &mean
}
