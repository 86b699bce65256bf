package minihub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/metrics"
)

// world is the seed of the generated world from which all texts are taken.
const world = 1

// parquetFile encodes rows as a parquet file.
func parquetFile[T any](rows []T) []byte {
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		panic(fmt.Sprintf("minihub: write parquet: %v", err)) // only rows of this package
	}
	return b.Bytes()
}

// jsonLines encodes rows as JSON lines.
func jsonLines[T any](rows []T) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		if err := e.Encode(r); err != nil {
			panic(fmt.Sprintf("minihub: write JSON: %v", err))
		}
	}
	return b.Bytes()
}

// config is one config of a data set's card: its name and the pattern of each split.
type config struct {
	name   string
	splits [][2]string // split, path
}

// card returns a README.md whose front matter maps configs to files.
func card(licence string, configs ...config) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	if licence != "" {
		fmt.Fprintf(&b, "license: %s\n", licence)
	}
	if len(configs) > 0 {
		b.WriteString("configs:\n")
	}
	for _, c := range configs {
		fmt.Fprintf(&b, "- config_name: %s\n  data_files:\n", c.name)
		for _, s := range c.splits {
			fmt.Fprintf(&b, "  - split: %s\n    path: %s\n", s[0], s[1])
		}
	}
	b.WriteString("---\n\nA miniature for rehearsals: texts are generated.\n")
	return []byte(b.String())
}

// attributes returns .gitattributes, which every repository of the hub has.
func attributes() []byte { return []byte("*.parquet filter=lfs diff=lfs merge=lfs -text\n") }

func dataset(id, commit string, files map[string][]byte) Repository {
	files[".gitattributes"] = attributes()
	return Repository{Kind: hub.Dataset, ID: id, Commit: commit, Files: files}
}

// sample is a reduced task.
type sample struct {
	docs    []datasets.Document
	queries []datasets.Query
	pairs   []datasets.Pair
	qrels   map[string]map[string]int
}

// leastDocuments is the least number of documents of a task.
const leastDocuments = 12

// draw takes n queries, or pairs of queries, of a generated task, starting at from, with a
// few documents of each: at most two that the change of instruction moves, two that stay
// relevant and two that are not relevant.
func draw(t *datasets.Task, from, n int) sample {
	s := sample{qrels: map[string]map[string]int{}}
	texts, order := map[string]datasets.Document{}, []string{}
	for d, err := range t.Corpus.Documents() {
		if err != nil {
			panic(fmt.Sprintf("minihub: generated corpus: %v", err))
		}
		texts[d.ID], order = d, append(order, d.ID)
	}
	have := map[string]bool{}
	for i := from; i < from+n; i++ {
		group := []datasets.Query{t.Queries[i%len(t.Queries)]}
		var moved []string
		if len(t.Pairs) > 0 {
			pair := t.Pairs[i%len(t.Pairs)]
			group, moved = queriesOf(t, pair), pair.Moved
		}
		kept := choose(t.Qrels[group[0].ID], moved, order)
		for _, id := range kept {
			if !have[id] {
				have[id], s.docs = true, append(s.docs, texts[id])
			}
		}
		s.add(t, group, kept)
	}
	for _, id := range order {
		if len(s.docs) < leastDocuments && !have[id] {
			s.docs = append(s.docs, texts[id])
		}
	}
	return s
}

// queriesOf returns the two queries of a pair.
func queriesOf(t *datasets.Task, p datasets.Pair) []datasets.Query {
	var both []datasets.Query
	for _, q := range t.Queries {
		if q.ID == p.Original || q.ID == p.Changed {
			both = append(both, q)
		}
	}
	return both
}

// choose picks documents of a query: two of those moved, two other relevant ones, and two
// that are not relevant, in the order of the corpus.
func choose(grades map[string]int, moved, order []string) []string {
	isMoved := map[string]bool{}
	for _, id := range moved {
		isMoved[id] = true
	}
	left := map[string]int{"moved": 2, "relevant": 2, "other": 2}
	var kept []string
	for _, id := range order {
		kind := "other"
		if isMoved[id] {
			kind = "moved"
		} else if grades[id] > 0 {
			kind = "relevant"
		}
		if left[kind] > 0 {
			left[kind]--
			kept = append(kept, id)
		}
	}
	return kept
}

// add adds queries with the kept documents, as a pair if there are two.
func (s *sample) add(t *datasets.Task, group []datasets.Query, kept []string) {
	for _, q := range group {
		s.queries = append(s.queries, q)
		s.qrels[q.ID] = map[string]int{}
		for _, id := range kept {
			s.qrels[q.ID][id] = t.Qrels[q.ID][id]
		}
	}
	if len(group) < 2 {
		return
	}
	id, _ := metrics.CutSide(group[0].ID)
	p := datasets.Pair{ID: id, Original: group[0].ID, Changed: group[1].ID}
	for _, id := range kept {
		if s.qrels[p.Original][id] != s.qrels[p.Changed][id] {
			p.Moved = append(p.Moved, id)
		}
	}
	s.pairs = append(s.pairs, p)
}

// ids lists the documents' IDs.
func (s *sample) ids() []string {
	var all []string
	for _, d := range s.docs {
		all = append(all, d.ID)
	}
	return all
}

// generated returns a generated task of a benchmark.
func generated(benchmark string, number int) *datasets.Task {
	b, err := datasets.Mini(benchmark, world)
	if err != nil {
		panic(fmt.Sprintf("minihub: %v", err))
	}
	return &b.Tasks[number%len(b.Tasks)]
}
