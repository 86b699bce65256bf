package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"infbench/datasets"
	"infbench/runners"
)

// The vectors of the search.
const (
	documentsFile = "documents.f32"
	queriesFile   = "queries.f32"
)

// searchBout is exact search for the nearest of many vectors.
func searchBout() bout {
	const work = "exact search, 200,000 × 384 values, 200 queries, top 100"
	return bout{
		name: "search",
		note: "the search time excludes reading vectors: FAISS and OpenBLAS hold all of them in memory at the start, ours reads them block by block from a file, and that time is subtracted; OpenBLAS multiplies queries and documents and keeps nothing",
		rows: []row{
			{name: "search/faiss", work: work + ", against the flat index", against: []int{1}, ours: "search", theirs: "search"},
			{name: "search/openblas", work: work + ", against the bare product", against: []int{2}, ours: "search", theirs: "product"},
		},
		sides: []side{
			oursBy("search"), theirsBy("search_faiss", "FAISS", "search_faiss.py"), theirsBy("search_openblas", "OpenBLAS", "search_openblas.py"),
		},
		prepare: func(_ context.Context, j *job) error {
			j.Timed, j.Dim, j.Depth = j.size(3, 1), j.size(384, 16), j.size(100, 10)
			rng := rand.New(rand.NewPCG(7, 7))
			if err := writeVectors(j.path(documentsFile), rng, j.size(200_000, 2_000), j.Dim); err != nil {
				return err
			}
			return writeVectors(j.path(queriesFile), rng, j.size(200, 20), j.Dim)
		},
		check: sameHits(1e-4),
	}
}

// writeVectors writes n vectors of independent normal values.
func writeVectors(path string, rng *rand.Rand, n, dim int) error {
	return writeFile(path, func(w *bufio.Writer) error {
		vector := make([]float32, dim)
		for range n {
			for i := range vector {
				vector[i] = float32(rng.NormFloat64())
			}
			if err := binary.Write(w, binary.LittleEndian, vector); err != nil {
				return err
			}
		}
		return nil
	})
}

// vectorFiles is an encoder that reads its vectors from files, in the order in which they are
// asked for. It records the time of reading, which counts for no side's search.
type vectorFiles struct {
	dim       int
	documents *os.File
	queries   *os.File
	reading   time.Duration
}

var _ runners.Encoder = (*vectorFiles)(nil)

func (v *vectorFiles) Dim() int { return v.dim }

func (v *vectorFiles) EncodeQueries(_ context.Context, _, _ []string, dst []float32) error {
	return v.read(v.queries, dst)
}

func (v *vectorFiles) EncodeDocuments(_ context.Context, _, _ []string, dst []float32) error {
	return v.read(v.documents, dst)
}

func (v *vectorFiles) read(f *os.File, dst []float32) error {
	start := time.Now()
	defer func() { v.reading += time.Since(start) }()
	return readFloats(f, dst)
}

// rewind starts over.
func (v *vectorFiles) rewind() (err error) {
	v.reading = 0
	for _, f := range []*os.File{v.documents, v.queries} {
		if _, err = f.Seek(0, 0); err != nil {
			return err
		}
	}
	return nil
}

// openVectors opens the files of a job; the task has as many texts.
func (j *job) openVectors() (*vectorFiles, *datasets.Task, error) {
	v := &vectorFiles{dim: j.Dim}
	task := &datasets.Task{Name: "search"}
	counts := map[string]int{}
	for name, file := range map[string]**os.File{documentsFile: &v.documents, queriesFile: &v.queries} {
		f, err := os.Open(j.path(name))
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		if err != nil {
			return nil, nil, err
		}
		*file, counts[name] = f, int(info.Size())/4/j.Dim
	}
	documents := make(texts, counts[documentsFile])
	for i := range documents {
		documents[i].ID = fmt.Sprint(i)
	}
	task.Corpus = documents
	for i := range counts[queriesFile] {
		task.Queries = append(task.Queries, datasets.Query{ID: queryID(i)})
	}
	return v, task, nil
}

// texts is a corpus in memory.
type texts []datasets.Document

var _ datasets.Corpus = texts(nil)

func (t texts) Len() int { return len(t) }

func (t texts) Documents() iter.Seq2[datasets.Document, error] {
	return func(yield func(datasets.Document, error) bool) {
		for _, d := range t {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// searchSide is dense retrieval as evaluations run it, minus the time of reading vectors.
func searchSide(ctx context.Context, j *job) (map[string][]float64, error) {
	vectors, task, err := j.openVectors()
	if err != nil {
		return nil, err
	}
	dense := runners.NewDense("search", vectors, runners.DenseOptions{Similarity: runners.Dot})
	var seconds []float64
	for i := range j.Warm + j.Timed {
		if err := vectors.rewind(); err != nil {
			return nil, err
		}
		debug.FreeOSMemory() // the vectors of the previous repetition
		start := time.Now()
		run, err := dense.Retrieve(ctx, task, j.Depth)
		if err != nil {
			return nil, err
		}
		if i >= j.Warm {
			seconds = append(seconds, (time.Since(start) - vectors.reading).Seconds())
		}
		if j.Check {
			if err := writeJSON(j.path("search.json"), hitsOf(run, len(task.Queries), j.Depth)); err != nil {
				return nil, err
			}
		}
	}
	return map[string][]float64{"search": seconds}, nil
}
