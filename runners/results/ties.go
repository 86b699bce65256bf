package results

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// Ties describes how far the order of documents with equal scores affects a trial's p-MRR on
// one task. That order is a convention: by document ID here, by insertion in mteb before
// 2.19.5. If Tied is 0, every convention gives the same number.
type Ties struct {
	Benchmark string  `json:"benchmark"`
	Task      string  `json:"task"`
	Pairs     int     `json:"pairs"` // pairs with a p-MRR
	Tied      int     `json:"tied"`  // pairs whose value depends on the order of ties
	Low       float64 `json:"low"`   // mean p-MRR with each tie against the system
	High      float64 `json:"high"`  // and in its favour; every order is between the two
}

// Ties computes the effect of ties on each task with p-MRR from the saved rankings of a
// complete trial folder. It leaves out tasks whose rankings were not saved, and tasks on which
// a tie may move a changed document that is not recorded: the effect is unknown.
func (r Reader) Ties(scored []Result) ([]Ties, error) {
	d, err := r.at.Marker().readAll()
	if err != nil {
		return nil, err
	}
	records, err := d.queries()
	if err != nil {
		return nil, err
	}
	var out []Ties
	for i := 0; i < len(records); {
		from, first := i, records[i]
		for i < len(records) && records[i].Benchmark == first.Benchmark && records[i].Task == first.Task {
			i++
		}
		run, err := d.run(first.Benchmark, first.Task)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ties of %s/%s: %w", first.Benchmark, first.Task, err)
		}
		if t, known := tiesOf(records[from:i], run, scored); known && t.Pairs > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// tiesOf checks the pairs of one task. known is false if a tie may move a document that is not
// recorded.
func tiesOf(records []QueryRecord, run trec.Run, scored []Result) (t Ties, known bool) {
	t = Ties{Benchmark: records[0].Benchmark, Task: records[0].Task}
	values := pairValues(t.Benchmark, t.Task, scored)
	for _, r := range records {
		value, has := values[r.Query]
		if !has {
			continue
		}
		before, after := run[metrics.Original.Query(r.Query)], run[metrics.Changed.Query(r.Query)]
		if before == nil || after == nil || r.Left > 0 && (tied(before) || tied(after)) {
			return t, false
		}
		low, high := shifts(r.Documents, before, after)
		t.Pairs++
		if low < high {
			t.Tied++
			t.Low, t.High = t.Low+low, t.High+high
		} else {
			t.Low, t.High = t.Low+value, t.High+value
		}
	}
	t.Low, t.High = t.Low/float64(max(t.Pairs, 1)), t.High/float64(max(t.Pairs, 1))
	return t, true
}

// tied reports whether two documents of a ranking have the same score.
func tied(r trec.Ranking) bool {
	for i := 1; i < len(r); i++ {
		if r[i].Score == r[i-1].Score {
			return true
		}
	}
	return false
}

// pairValues returns the values of p-MRR of a task by pair.
func pairValues(benchmark, task string, scored []Result) map[string]float64 {
	out := map[string]float64{}
	for _, r := range scored {
		if r.Benchmark == benchmark && r.Task == task && r.Measure == (metrics.PMRR{}).String() && r.Value != nil {
			out[r.Query] = *r.Value
		}
	}
	return out
}

// shifts returns the lowest and the highest p-MRR of a pair if each changed document may take
// any place among the documents of its score, before and after.
func shifts(docs []MovedDocument, before, after trec.Ranking) (low, high float64) {
	for _, d := range docs {
		first, last := placesAmong(before, d.ID)
		from, to := placesAmong(after, d.ID)
		low, high = low+metrics.Shift(last, from), high+metrics.Shift(first, to)
	}
	n := float64(max(len(docs), 1))
	return low / n, high / n
}

// placesAmong returns the first and the last possible rank of a document by its score. A
// document that is not ranked comes after the last.
func placesAmong(r trec.Ranking, doc string) (first, last int) {
	at := slices.IndexFunc(r, func(s trec.Scored) bool { return s.Doc == doc })
	if at < 0 {
		return len(r) + 1, len(r) + 1
	}
	first, last = at, at
	for first > 0 && r[first-1].Score == r[at].Score {
		first--
	}
	for last+1 < len(r) && r[last+1].Score == r[at].Score {
		last++
	}
	return first + 1, last + 1
}
