package trial

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/metrics"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// validator evaluates weights on held-out queries.
type validator struct {
	benchmark *datasets.Benchmark
	retriever runners.Retriever // uses the encoder in training
}

// newValidation loads the validation data of a cell and returns it with the remaining training
// records; nil if the cell is not validated.
func newValidation(t *spec.Trial, data mixture.Data) (*datasets.Benchmark, mixture.Data, error) {
	v := t.Cell.Validate
	if !v.Given() {
		return nil, data, nil
	}
	var b *datasets.Benchmark
	var err error
	if v.Data == spec.HeldOut {
		var held []datasets.Record
		if held, data, err = holdOut(data, v.HeldOutOf(data.Len())); err != nil {
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
	if v.Data == spec.HeldOut && catalog.ComparesRankings(m) {
		b.Tasks = slices.DeleteFunc(b.Tasks, func(t datasets.Task) bool { return len(t.Pairs) == 0 })
	}
	for i := range b.Tasks {
		b.Tasks[i].Scorings = validationScorings(&b.Tasks[i], m)
	}
	return b, data, nil
}

// validationBenchmark loads a benchmark in the pinned revision and keeps some of its queries.
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
	if v.Task == "" { // a part may have another revision
		if err := catalog.CheckBenchmark(t, spec.ValidationInput+v.Data, b); err != nil {
			return nil, err
		}
	}
	for i := range b.Tasks {
		keepQueries(&b.Tasks[i], v.Queries)
	}
	return b, nil
}

// keepQueries keeps the n queries, or pairs, of a task whose IDs have the lowest hashes, so
// that the choice does not depend on the order.
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

// lowest returns the n items whose names have the lowest hashes, in their original order.
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

// holdOut removes n records from training data, those whose IDs have the lowest hashes. It also
// drops every other record that shares a query or a passage with them.
func holdOut(data mixture.Data, n int) (held []datasets.Record, rest mixture.Data, err error) {
	all := data.All()
	held = lowest(all, n, func(r datasets.Record) string { return r.ID })
	seen := map[string]bool{}
	for _, r := range held {
		for _, text := range contentTexts(r) {
			seen[text] = true
		}
	}
	rest, err = data.Keep(func(i int) bool {
		return !slices.ContainsFunc(contentTexts(all[i]), func(text string) bool { return seen[text] })
	})
	if err == nil && rest.Len() < len(all)/2 {
		err = fmt.Errorf("%d records held out leave %d of %d to train on, since others share their texts; hold out fewer (validate.queries)", len(held), rest.Len(), len(all))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("validate: %w", err)
	}
	return held, rest, nil
}

// contentTexts returns the texts of a record that must not be in another record if one is
// trained on and the other is held out. Instructions are left out because they recur.
func contentTexts(r datasets.Record) []string {
	var texts []string
	for _, row := range r.Rows {
		texts = append(texts, row.Query, row.Passage)
	}
	return texts
}

// heldOutBenchmark makes tasks from training records. Records with a poisoned instruction make
// a task like FollowIR's: the query of a record under its two instructions is a pair. The first
// instruction asks for the positive passage and the second for the first hard negative, so the
// change makes the positive irrelevant. The other records make a task of plain queries. Both
// tasks search all passages of all records, including the listed negatives of plain records.
func heldOutBenchmark(held []datasets.Record) *datasets.Benchmark {
	b := &datasets.Benchmark{Name: "validation"}
	var paired, plain []datasets.Record
	for _, r := range held {
		if isPaired(r) {
			paired = append(paired, r)
		} else {
			plain = append(plain, r)
		}
	}
	var corpus heldOutCorpus
	for _, of := range []struct {
		records []datasets.Record
		id      string
		add     func(t *datasets.Task, id string, r datasets.Record, c *heldOutCorpus)
	}{{paired, "h%06d", addPair}, {plain, "r%06d", addQuery}} {
		if len(of.records) == 0 {
			continue
		}
		task := datasets.Task{Name: spec.HeldOut, Qrels: map[string]map[string]int{}}
		if len(b.Tasks) > 0 {
			task.Name += " queries"
		}
		for i, r := range of.records {
			of.add(&task, fmt.Sprintf(of.id, i+1), r, &corpus)
		}
		b.Tasks = append(b.Tasks, task)
	}
	for i := range b.Tasks {
		b.Tasks[i].Corpus = corpus.documents
	}
	return b
}

// isPaired reports whether a record has its query under two instructions.
func isPaired(r datasets.Record) bool {
	return len(r.Rows) > 1 && r.Rows[0].Query == r.Rows[1].Query
}

// heldOutCorpus gives each text one ID.
type heldOutCorpus struct {
	documents datasets.MemoryCorpus
	number    map[string]string
}

func (c *heldOutCorpus) id(text string) string {
	if c.number == nil {
		c.number = map[string]string{}
	}
	id, ok := c.number[text]
	if !ok {
		id = fmt.Sprintf("d%06d", len(c.documents)+1)
		c.number[text] = id
		c.documents = append(c.documents, datasets.Document{ID: id, Text: text})
	}
	return id
}

// addPair adds the query of a record under both of its instructions.
func addPair(t *datasets.Task, id string, r datasets.Record, c *heldOutCorpus) {
	p := datasets.NewPair(id)
	first, second := r.Rows[0], r.Rows[1]
	positive, negative := c.id(first.Passage), c.id(second.Passage)
	for _, row := range r.Rows[2:] {
		c.id(row.Passage)
	}
	if positive != negative {
		p.Moved = []string{positive}
	}
	t.Queries = append(t.Queries,
		datasets.Query{ID: p.Original, Text: first.Query, Instruction: first.Instruction},
		datasets.Query{ID: p.Changed, Text: second.Query, Instruction: second.Instruction})
	t.Qrels[p.Original], t.Qrels[p.Changed] = map[string]int{positive: 1}, map[string]int{negative: 1}
	t.Pairs = append(t.Pairs, p)
}

// addQuery adds the query of a record.
func addQuery(t *datasets.Task, id string, r datasets.Record, c *heldOutCorpus) {
	row := r.Rows[0]
	t.Queries = append(t.Queries, datasets.Query{ID: id, Text: row.Query, Instruction: row.Instruction})
	t.Qrels[id] = map[string]int{c.id(row.Passage): 1}
	for _, text := range row.Negatives {
		c.id(text)
	}
}

// validationScorings returns the scorings with one measure: for the pairs if the measure
// compares two rankings, else for each side.
func validationScorings(task *datasets.Task, m metrics.Measure) []datasets.Scoring {
	one := func(s datasets.Side) datasets.Scoring { return datasets.Scoring{Measure: m.String(), Side: s} }
	if len(task.Pairs) == 0 || catalog.ComparesRankings(m) {
		return []datasets.Scoring{one(datasets.None)}
	}
	return []datasets.Scoring{one(datasets.Original), one(datasets.Changed)}
}

// scores ranks and scores the held-out queries with the current weights.
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

// judge ranks the held-out queries. It returns their values, and the mean over tasks and sides
// of each one's mean, so that all count alike whatever their size.
func (v *validator) judge(ctx context.Context) ([]results.Result, float64, error) {
	scores, err := v.scores(ctx)
	if err != nil {
		return nil, 0, err
	}
	value, err := runs.ValidationValue(scores)
	return scores, value, err
}
