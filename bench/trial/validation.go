package trial

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/selection"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners"
)

// validator judges weights on held-out queries.
type validator struct {
	benchmark *datasets.Benchmark
	retriever runners.Retriever // over the encoder that is trained
}

// newValidation loads what a cell is validated on and returns it with the records
// that are left for training; nil where the cell is not validated.
func newValidation(t *spec.Trial, triplets []datasets.Triplet) (*datasets.Benchmark, []datasets.Triplet, error) {
	v := t.Cell.Validate
	if !v.Given() {
		return nil, triplets, nil
	}
	var b *datasets.Benchmark
	var err error
	if v.Data == spec.HeldOut {
		var held []datasets.Triplet
		if held, triplets, err = holdOut(triplets, v.Queries); err != nil {
			return nil, nil, err
		}
		b = heldOutBenchmark(held)
	} else if b, err = validationBenchmark(t); err != nil {
		return nil, nil, err
	}
	m, err := metrics.Parse(v.Measure)
	if err != nil {
		return nil, nil, err
	}
	for i := range b.Tasks {
		b.Tasks[i].Scorings = validationScorings(&b.Tasks[i], m)
	}
	return b, triplets, nil
}

// validationBenchmark loads a benchmark as the plan pinned it and keeps some of
// its queries.
func validationBenchmark(t *spec.Trial) (*datasets.Benchmark, error) {
	v := t.Cell.Validate
	world := t.Cell.World
	if v.World != 0 {
		world = v.World
	}
	name, tasks := spec.TasksOf(v.Data)
	if v.Task != "" {
		tasks = []string{v.Task}
	}
	b, err := catalog.LoadBenchmark(name, world, tasks...)
	if err != nil {
		return nil, fmt.Errorf("load validation data %s: %w", v.Data, err)
	}
	if v.Task == "" { // the revision of a part may be another one
		if err := catalog.CheckBenchmark(t, spec.ValidationInput+v.Data, b); err != nil {
			return nil, err
		}
	}
	for i := range b.Tasks {
		keepQueries(&b.Tasks[i], v.Queries)
	}
	return b, nil
}

// keepQueries leaves n queries, or pairs, of a task: those whose IDs hash lowest,
// so that the choice depends on no order.
func keepQueries(task *datasets.Task, n int) {
	if n == 0 {
		return
	}
	if len(task.Pairs) == 0 {
		task.Queries = lowest(task.Queries, n, func(q datasets.Query) string { return q.ID })
		return
	}
	task.Pairs = lowest(task.Pairs, n, func(p datasets.Pair) string { return p.ID })
	kept := map[string]bool{}
	for _, p := range task.Pairs {
		kept[p.Original], kept[p.Changed], kept[p.Reversed] = true, true, true
	}
	task.Queries = slices.DeleteFunc(slices.Clone(task.Queries), func(q datasets.Query) bool { return !kept[q.ID] })
}

// lowest returns the n items whose names hash lowest, in their order.
func lowest[T any](items []T, n int, name func(T) string) []T {
	hashes := make([]string, len(items))
	for i, item := range items {
		sum := sha256.Sum256([]byte("infbench validation 1\n" + name(item)))
		hashes[i] = string(sum[:])
	}
	if n >= len(items) {
		return items
	}
	limit := slices.Sorted(slices.Values(hashes))[n-1]
	var kept []T
	for i, item := range items {
		if hashes[i] <= limit {
			kept = append(kept, item)
		}
	}
	return kept
}

// holdOut takes n records out of a training set, those whose IDs hash lowest, and
// drops every other record that shares a query or a passage with them.
func holdOut(triplets []datasets.Triplet, n int) (held, rest []datasets.Triplet, err error) {
	held = lowest(triplets, n, func(t datasets.Triplet) string { return t.ID })
	seen := map[string]bool{}
	for _, t := range held {
		for _, text := range contentTexts(t) {
			seen[text] = true
		}
	}
	for _, t := range triplets {
		if !slices.ContainsFunc(contentTexts(t), func(text string) bool { return seen[text] }) {
			rest = append(rest, t)
		}
	}
	if len(rest) < len(triplets)/2 {
		return nil, nil, fmt.Errorf("validate: %d records held out leave %d of %d to train on, since others share their texts; hold out fewer (validate.queries)", len(held), len(rest), len(triplets))
	}
	return held, rest, nil
}

// contentTexts are the texts of a record that another may not share with it when
// one is trained on and the other held out. Instructions recur.
func contentTexts(t datasets.Triplet) []string {
	return []string{t.QueryPositive, t.QueryNegative, t.Positive, t.HardNegative1, t.HardNegative2}
}

// heldOutBenchmark makes a task in the shape of FollowIR of training records. The
// query of a record under its two instructions is a pair: the first asks for the
// positive passage, the second for the first hard negative, so that the positive
// is what the change makes irrelevant. All passages of all records are searched.
func heldOutBenchmark(held []datasets.Triplet) *datasets.Benchmark {
	task := datasets.Task{Name: spec.HeldOut, Qrels: map[string]map[string]int{}}
	var corpus datasets.MemoryCorpus
	number := map[string]string{}
	document := func(text string) string {
		id, ok := number[text]
		if !ok {
			id = fmt.Sprintf("d%06d", len(corpus)+1)
			number[text] = id
			corpus = append(corpus, datasets.Document{ID: id, Text: text})
		}
		return id
	}
	for i, t := range held {
		id := fmt.Sprintf("h%06d", i+1)
		p := datasets.Pair{ID: id, Original: id + "-og", Changed: id + "-changed"}
		positive, negative := document(t.Positive), document(t.HardNegative1)
		document(t.HardNegative2)
		if positive != negative {
			p.Moved = []string{positive}
		}
		task.Queries = append(task.Queries,
			datasets.Query{ID: p.Original, Text: t.QueryPositive, Instruction: t.InstructionPositive},
			datasets.Query{ID: p.Changed, Text: t.QueryPositive, Instruction: t.InstructionNegative})
		task.Qrels[p.Original], task.Qrels[p.Changed] = map[string]int{positive: 1}, map[string]int{negative: 1}
		task.Pairs = append(task.Pairs, p)
	}
	task.Corpus = corpus
	return &datasets.Benchmark{Name: "validation", Tasks: []datasets.Task{task}}
}

// validationScorings asks for one measure: of the pairs where it compares two
// rankings, else of each side.
func validationScorings(task *datasets.Task, m metrics.Measure) []datasets.Scoring {
	one := func(s datasets.Side) datasets.Scoring { return datasets.Scoring{Measure: m.String(), Side: s} }
	if len(task.Pairs) == 0 || comparesRankings(m) {
		return []datasets.Scoring{one(datasets.None)}
	}
	return []datasets.Scoring{one(datasets.Original), one(datasets.Changed)}
}

// comparesRankings says whether a measure is defined for pairs of rankings only.
func comparesRankings(m metrics.Measure) bool {
	_, ok := m.Score(&metrics.Case{Judgments: map[string]int{"d": 1}, Ranking: trec.Ranking{{Doc: "d", Score: 1}}})
	return !ok
}

// scores ranks the held-out queries with the weights as they are.
func (v *validator) scores(ctx context.Context) ([]results.Result, error) {
	var all []results.Result
	for i := range v.benchmark.Tasks {
		task := &v.benchmark.Tasks[i]
		run, err := v.retriever.Retrieve(ctx, task, catalog.RetrieveDepth)
		if err != nil {
			return nil, fmt.Errorf("validate: %w", err)
		}
		values, err := results.Score(v.benchmark.Name, task, run)
		if err != nil {
			return nil, fmt.Errorf("validate: %w", err)
		}
		all = append(all, values...)
	}
	return all, nil
}

// Judge ranks the held-out queries and returns their values with the mean of the
// means of every task and side: sides and tasks count alike whatever their size.
func (v *validator) judge(ctx context.Context) ([]results.Result, float64, error) {
	scores, err := v.scores(ctx)
	if err != nil {
		return nil, 0, err
	}
	value, err := selection.ValidationValue(scores)
	return scores, value, err
}
