package runners

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// letters is an encoder over the counts of the letters a to h in a text.
type letters struct{}

func (letters) Dim() int { return 8 }

func (letters) encode(text string, dst []float32) {
	for i := range 8 {
		dst[i] = float32(strings.Count(strings.ToLower(text), string(rune('a'+i))))
	}
}

func (l letters) EncodeQueries(_ context.Context, queries, instructions []string, dst []float32) error {
	for i := range queries {
		l.encode(queries[i]+" "+instructions[i], dst[i*8:(i+1)*8])
	}
	return nil
}

func (l letters) EncodeDocuments(_ context.Context, titles, texts []string, dst []float32) error {
	for i := range texts {
		l.encode(titles[i]+" "+texts[i], dst[i*8:(i+1)*8])
	}
	return nil
}

// lengths is a reranker that prefers texts as long as the query.
type lengths struct{}

func (lengths) Name() string { return "lengths" }

func (lengths) Rerank(_ context.Context, q datasets.Query, docs []datasets.Document, scores []float64) error {
	for i, d := range docs {
		scores[i] = -float64(max(len(d.Text)-len(q.Text), len(q.Text)-len(d.Text)))
	}
	return nil
}

// implementations are all retrievers by name. Some are made for the given task.
func implementations(t testing.TB, task *datasets.Task) map[string]Retriever {
	bm25 := mustBM25(t, BM25Options{})
	saved := retrieve(t, bm25, &datasets.Task{Name: "whole", Corpus: task.Corpus, Queries: task.Queries}, 1000)
	all := map[string]Retriever{
		"random":         NewRandom(1),
		"constant":       NewConstant(),
		"document-order": NewDocumentOrder(),
		"dense cosine":   NewDense("letters", letters{}, DenseOptions{BatchSize: 7}),
		"dense dot":      NewDense("letters", letters{}, DenseOptions{Similarity: Dot, BatchSize: 7}),
		"run file":       &RunFile{name: "saved", run: saved},
		"rerank":         NewRerank(bm25, lengths{}, 20),
		"rrf":            NewRRF(RRFConstant, 50, Part{bm25, 1}, Part{NewRandom(2), 0.5}),
	}
	for _, name := range BM25Variants() {
		all[name] = mustBM25(t, BM25Options{Variant: name})
	}
	return all
}

// contractTask has 300 documents whose order is not that of their IDs, repeated texts, so that
// there are ties, and an empty query.
func contractTask() *datasets.Task {
	words := strings.Fields("bad cab dad ebb fed gag had bead café naïve the 42 decade façade bee")
	corpus := make(datasets.MemoryCorpus, 300)
	for i := range corpus {
		text := words[i%len(words)] + " " + words[i*i%len(words)] + " " + words[i/7%len(words)]
		corpus[i] = datasets.Document{ID: fmt.Sprintf("d%d", (i*77)%300), Title: words[i%3], Text: text}
	}
	return &datasets.Task{Name: "contract", Corpus: corpus, Queries: []datasets.Query{
		{ID: "plain", Text: "bad cab"},
		{ID: "instructed", Text: "bad cab", Instruction: "rank the decade first"},
		{ID: "empty"},
		{ID: "unknown words", Text: "zzz zzzz"},
	}}
}

func TestContract(t *testing.T) {
	whole := contractTask()
	excluding := contractTask()
	excluding.Excluded = map[string][]string{"plain": {"d0", "d1", "d2", "not in the corpus"}, "empty": {"d299"}}
	candidates := contractTask()
	candidates.Excluded = excluding.Excluded
	candidates.Candidates = map[string][]string{
		"plain": {"d9", "d1", "d10", "d299", "d3"}, "instructed": {"d5"}, "empty": {"d299", "d298"}, "unknown words": {},
	}
	for _, c := range []struct {
		name string
		task *datasets.Task
	}{{"whole corpus", whole}, {"exclusions", excluding}, {"candidates", candidates}} {
		for name, r := range implementations(t, c.task) {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if r.Name() == "" {
					t.Error("no name")
				}
				deep := retrieve(t, r, c.task, 1000)
				checkRun(t, c.task, deep, 1000)
				shallow := retrieve(t, r, c.task, 7)
				checkRun(t, c.task, shallow, 7)
				for query, ranking := range shallow {
					if !slices.Equal(ranking, deep[query][:len(ranking)]) {
						t.Errorf("query %q: depth 7 is not the head of depth 1000", query)
					}
				}
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				if one := retrieve(t, r, c.task, 1000); !reflect.DeepEqual(one, deep) {
					t.Error("GOMAXPROCS changes the result")
				}
				runtime.GOMAXPROCS(5)
				if five := retrieve(t, r, c.task, 1000); !reflect.DeepEqual(five, deep) {
					t.Error("GOMAXPROCS changes the result")
				}
			})
		}
	}
}

// checkRun checks that a run keeps the promises of Retriever.
func checkRun(t *testing.T, task *datasets.Task, run trec.Run, depth int) {
	t.Helper()
	found := 0
	for _, q := range task.Queries {
		ranking, ok := run[q.ID]
		if !ok {
			t.Errorf("query %q is missing", q.ID)
		}
		found += len(ranking)
		if len(ranking) > depth {
			t.Errorf("query %q has %d documents, depth is %d", q.ID, len(ranking), depth)
		}
		sorted := slices.Clone(ranking)
		if sorted.Sort(); !slices.Equal(sorted, ranking) {
			t.Errorf("query %q is not sorted: %v", q.ID, ranking)
		}
		seen := map[string]bool{}
		for _, s := range ranking {
			if seen[s.Doc] {
				t.Errorf("query %q has document %q twice", q.ID, s.Doc)
			}
			seen[s.Doc] = true
			if slices.Contains(task.Excluded[q.ID], s.Doc) {
				t.Errorf("query %q retrieves %q, which is excluded", q.ID, s.Doc)
			}
			if task.Candidates != nil && !slices.Contains(task.Candidates[q.ID], s.Doc) {
				t.Errorf("query %q retrieves %q, which is not a candidate", q.ID, s.Doc)
			}
		}
	}
	if found == 0 || len(run) != len(task.Queries) {
		t.Errorf("%d documents for %d queries", found, len(run))
	}
}

// TestContractRanksAllCandidates: every retriever that ranks candidates ranks all of them,
// including documents in which it finds nothing.
func TestContractRanksAllCandidates(t *testing.T) {
	task := contractTask()
	task.Candidates = map[string][]string{}
	for _, q := range task.Queries {
		task.Candidates[q.ID] = []string{"d4", "d40", "d200"}
	}
	task.Excluded = map[string][]string{"plain": {"d40"}}
	for name, r := range implementations(t, task) {
		if name == "run file" {
			continue // returns the rankings of its file
		}
		run := retrieve(t, r, task, 10)
		for query, want := range map[string]int{"plain": 2, "empty": 3, "unknown words": 3} {
			if got := len(run[query]); got != want {
				t.Errorf("%s: query %q has %d documents, want %d", name, query, got, want)
			}
		}
	}
}

func TestContractErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		depth      int
		change     func(task *datasets.Task)
	}{
		{"depth", "depth 0", 0, func(*datasets.Task) {}},
		{"duplicate query", `duplicate query ID "plain"`, 5, func(task *datasets.Task) {
			task.Queries = append(task.Queries, task.Queries[0])
		}},
		{"duplicate document", `duplicate document ID "d77"`, 5, func(task *datasets.Task) {
			task.Corpus = append(task.Corpus.(datasets.MemoryCorpus), datasets.Document{ID: "d77"})
		}},
		{"unknown candidates", `candidate "x" of query "plain" is not in the corpus, and 1 more faults`, 5, func(task *datasets.Task) {
			task.Queries = task.Queries[:1]
			task.Candidates = map[string][]string{"plain": {"d1", "x", "y"}}
		}},
		{"no candidates", `query "empty" has no list of candidates`, 5, func(task *datasets.Task) {
			task.Queries = task.Queries[2:3]
			task.Candidates = map[string][]string{"plain": {"d1"}}
		}},
		{"candidate twice", `query "plain" has candidate "d1" more than once`, 5, func(task *datasets.Task) {
			task.Queries = task.Queries[:1]
			task.Candidates = map[string][]string{"plain": {"d1", "d2", "d1"}}
		}},
		{"broken corpus", "disk on fire", 5, func(task *datasets.Task) { task.Corpus = broken{} }},
	} {
		task := contractTask()
		all := implementations(t, task)
		c.change(task)
		for name, r := range all {
			run, err := r.Retrieve(t.Context(), task, c.depth)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "contract") {
				t.Errorf("%s, %s: %d queries, error %v; want %q and the task", c.name, name, len(run), err, c.want)
			}
		}
	}
}

type broken struct{}

func (broken) Len() int { return -1 }

func (broken) Documents() iter.Seq2[datasets.Document, error] {
	return func(yield func(datasets.Document, error) bool) {
		if yield(datasets.Document{ID: "d"}, nil) {
			yield(datasets.Document{}, errors.New("disk on fire"))
		}
	}
}

func TestContractCancel(t *testing.T) {
	task := contractTask()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, r := range implementations(t, task) {
		if _, err := r.Retrieve(ctx, task, 5); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", name, err)
		}
	}
}

// TestNames: names are shown on boards and typed by users.
func TestNames(t *testing.T) {
	var names []string
	for _, r := range implementations(t, contractTask()) {
		names = append(names, r.Name())
	}
	slices.Sort(names)
	want := []string{"bm25", "bm25+lengths", "bm25-bright", "bm25-mair", "bm25-okapi-candidates", "constant",
		"document-order", "letters", "letters", "random", "rrf(bm25,0.5*random)", "saved"}
	if !slices.Equal(names, want) {
		t.Errorf("names = %q, want %q", names, want)
	}
}

// unsized is a corpus whose size is known only after streaming it.
type unsized struct{ datasets.MemoryCorpus }

func (unsized) Len() int { return -1 }

// TestContractShards: for every retriever that finds documents by itself, the joined rankings
// of shards equal the rankings of the complete corpus: scores, ties at the cutoff and all. Some
// have fewer and some more shards than documents.
func TestContractShards(t *testing.T) {
	whole, excluding, candidates, counted := contractTask(), contractTask(), contractTask(), contractTask()
	excluding.Excluded = map[string][]string{"plain": {"d0", "d1", "d2", "not in the corpus"}, "empty": {"d299"}}
	candidates.Candidates = map[string][]string{
		"plain": {"d9", "d1", "d10", "d299", "d3", "d77", "d154", "d231"}, "instructed": {"d5"}, "empty": {"d299", "d298"}, "unknown words": {},
	}
	counted.Corpus = unsized{counted.Corpus.(datasets.MemoryCorpus)}
	for _, c := range []struct {
		name string
		task *datasets.Task
	}{{"whole corpus", whole}, {"exclusions", excluding}, {"candidates", candidates}, {"unknown size", counted}} {
		for name, r := range implementations(t, c.task) {
			switch r.(type) {
			case *RunFile, *Rerank, *Fusion:
				continue // these rank documents that others found
			}
			for _, of := range []int{1, 3, 7, 301} {
				for _, depth := range []int{3, 1000} {
					joined := JoinShards(c.task, shardsOf(t, r, c.task, of, depth), depth)
					for query, want := range retrieve(t, r, c.task, depth) {
						if !slices.Equal(joined[query], want) {
							t.Errorf("%s, %s, %d shards, depth %d, query %q:\n%v\nat once:\n%v", c.name, name, of, depth, query, joined[query], want)
						}
					}
				}
			}
		}
	}
}

// shardsOf are the rankings of all shards.
func shardsOf(t *testing.T, r Retriever, task *datasets.Task, of, depth int) (all []trec.Run) {
	t.Helper()
	for n := 1; n <= of; n++ {
		part := *task
		part.Shard = datasets.Shard{Number: n, Of: of}
		all = append(all, retrieve(t, r, &part, depth))
	}
	return all
}

// TestShardsOfOneVector: a shard reads only the texts of its own documents to encode them, and
// it cannot decide whether all vectors are the same.
func TestShardsOfOneVector(t *testing.T) {
	task := contractTask()
	same := NewDense("same", sameVector{}, DenseOptions{})
	if _, err := same.Retrieve(t.Context(), task, 5); err == nil || !strings.Contains(err.Error(), "same vector") {
		t.Errorf("whole corpus: %v", err)
	}
	if all := shardsOf(t, same, task, 3, 5); len(all[2]["plain"]) != 5 {
		t.Errorf("the last shard finds %v", all[2]["plain"])
	}
}

// sameVector gives every text one vector.
type sameVector struct{}

func (sameVector) Dim() int { return 2 }

func (sameVector) EncodeQueries(_ context.Context, _, _ []string, dst []float32) error {
	for i := range dst {
		dst[i] = 1
	}
	return nil
}

func (s sameVector) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	return s.EncodeQueries(ctx, titles, texts, dst)
}
