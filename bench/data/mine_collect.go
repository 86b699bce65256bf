package data

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/catalog"
)

// collection is the source of negatives: the distinct passages of training data, in order of
// appearance, and its rows.
type collection struct {
	passages []string
	rows     []row
	queries  []datasets.Query
	of       [][]int // the positives of each query, by passage
	against  [][]int // negatives of its records, likewise
	asked    []int   // number of rows of each query
	most     int     // largest number of rows of a query: its positives, counting repeats
}

// row is a row of training data.
type row struct {
	id             string
	text           datasets.Row
	query, passage int
}

// collect reads training data completely.
func collect(data string, world uint64) (*collection, error) {
	if err := catalog.CheckPublicData(data); err != nil {
		return nil, err
	}
	data, err := catalog.CheckData(data)
	if err != nil {
		return nil, err
	}
	corpora, err := catalog.OpenData(data, world)
	if err != nil {
		return nil, err
	}
	c := &collection{}
	passages, queries := map[string]int{}, map[[2]string]int{}
	for _, corpus := range corpora {
		for record, err := range corpus.All {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", corpus.Name, err)
			}
			c.add(record, passages, queries)
		}
	}
	if len(c.rows) == 0 {
		return nil, fmt.Errorf("training data %s: no row with a passage", data)
	}
	return c, nil
}

// add adds a record. The negatives of a row are the passages of the record's other rows and the
// negatives that it lists.
func (c *collection) add(record datasets.Record, passages map[string]int, queries map[[2]string]int) {
	passage := func(text string) int {
		i, seen := passages[text]
		if !seen {
			i = len(c.passages)
			passages[text], c.passages = i, append(c.passages, text)
		}
		return i
	}
	var all []int
	for _, text := range append(record.Passages(), record.Negatives()...) {
		all = append(all, passage(text))
	}
	for k, r := range record.Rows {
		if r.Passage == "" {
			continue
		}
		key := [2]string{r.Instruction, r.Query}
		q, seen := queries[key]
		if !seen {
			q = len(c.queries)
			queries[key] = q
			c.queries = append(c.queries, datasets.Query{ID: strconv.Itoa(q), Text: r.Query, Instruction: r.Instruction})
			c.of, c.against, c.asked = append(c.of, nil), append(c.against, nil), append(c.asked, 0)
		}
		c.asked[q]++
		c.most = max(c.most, c.asked[q])
		positive := passage(r.Passage)
		if !slices.Contains(c.of[q], positive) {
			c.of[q] = append(c.of[q], positive)
		}
		for _, other := range all {
			if other != positive {
				c.against[q] = append(c.against[q], other)
			}
		}
		id := record.ID
		if len(record.Rows) > 1 {
			id = fmt.Sprintf("%s/%d", id, k+1)
		}
		c.rows = append(c.rows, row{id, r, q, positive})
	}
}

// docID names a passage so that ties keep the order of the corpus: if scores are equal, the
// later name ranks first.
func (c *collection) docID(passage int) string { return fmt.Sprintf("%09d", len(c.passages)-1-passage) }

func (c *collection) passage(docID string) (int, error) {
	i, err := strconv.Atoi(docID)
	return len(c.passages) - 1 - i, err
}

// task converts the collection for a retriever: every query ranks all passages.
func (c *collection) task() *datasets.Task {
	var corpus datasets.MemoryCorpus
	for i, text := range c.passages {
		corpus = append(corpus, datasets.Document{ID: c.docID(i), Text: text})
	}
	return &datasets.Task{Name: "mining", Corpus: corpus, Queries: c.queries}
}

// search finds passages for every query and scores all of them and the positives.
func (c *collection) search(ctx context.Context, finder, scorer runners.Retriever, how datasets.MiningOptions) ([]datasets.MiningQuery, error) {
	depth := min(how.Retrieve(c.most), len(c.passages))
	task := c.task()
	run, err := finder.Retrieve(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	candidates, widest := map[string][]string{}, 0
	for q := range c.queries {
		id := c.queries[q].ID
		var list []string
		for _, s := range run[id] {
			list = append(list, s.Doc)
		}
		for _, p := range c.of[q] {
			if doc := c.docID(p); !slices.Contains(list, doc) {
				list = append(list, doc)
			}
		}
		candidates[id], widest = list, max(widest, len(list))
	}
	task.Candidates = candidates
	scored, err := scorer.Retrieve(ctx, task, widest)
	if err != nil {
		return nil, err
	}
	found := make([]datasets.MiningQuery, len(c.queries))
	for q := range c.queries {
		if found[q], err = c.query(q, run[c.queries[q].ID], scored[c.queries[q].ID]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// query is a query with its passages and the scores that count.
func (c *collection) query(q int, found, scored trec.Ranking) (datasets.MiningQuery, error) {
	out := datasets.MiningQuery{Negatives: c.against[q]}
	isFound := map[string]bool{}
	for _, f := range found {
		isFound[f.Doc] = true
	}
	for _, s := range scored {
		passage, err := c.passage(s.Doc)
		if err != nil {
			return out, err
		}
		one := datasets.MiningScored{Passage: passage, Score: s.Score}
		if slices.Contains(c.of[q], passage) {
			out.Positives = append(out.Positives, one)
		}
		if isFound[s.Doc] {
			out.Found = append(out.Found, one)
		}
	}
	return out, nil
}

// line is a row of the result, in the format of training data.
type line struct {
	ID          string    `json:"id"`
	Instruction string    `json:"instruction,omitempty"`
	Query       string    `json:"query"`
	Passage     string    `json:"passage"`
	Negatives   []string  `json:"negatives"`
	Scores      []float64 `json:"teacher_scores"`
}

// line is row i with its negatives.
func (c *collection) line(i int, picked []datasets.MiningScored, found []datasets.MiningQuery) line {
	r := c.rows[i]
	l := line{ID: r.id, Instruction: r.text.Instruction, Query: r.text.Query, Passage: r.text.Passage, Negatives: []string{}}
	for _, p := range found[r.query].Positives {
		if p.Passage == r.passage {
			l.Scores = append(l.Scores, p.Score)
		}
	}
	for _, s := range picked {
		l.Negatives, l.Scores = append(l.Negatives, c.passages[s.Passage]), append(l.Scores, s.Score)
	}
	return l
}

func writeLines(w io.Writer, lines []line) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for _, l := range lines {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return b.Flush()
}

// summary counts the written rows and those with too few negatives.
func summary(out string, lines []line, want int) string {
	negatives, short, none := 0, 0, 0
	for _, l := range lines {
		n := len(l.Negatives)
		negatives += n
		if n < want {
			short++
		}
		if n == 0 {
			none++
		}
	}
	text := fmt.Sprintf("%s: %d rows with %d negatives", out, len(lines), negatives)
	if short > 0 {
		text += fmt.Sprintf("; %d have fewer than %d, %d of them none", short, want, none)
	}
	return text
}
