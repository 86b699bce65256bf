package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"infbench/bench/results"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/metrics/trec"
	"infbench/runners"
)

// retrieveDepth is how many documents of a ranking are kept: the depth of
// FollowIR's and BRIGHT's measures.
const retrieveDepth = 1000

// The endings of run files. A sweep has many and packs them; what evaluate
// writes any TREC tool must read, trec_eval among them, which unpacks nothing.
const (
	plainRuns  = ".trec"
	packedRuns = ".trec.gz"
)

// evaluateAll runs a retriever on every task of the benchmarks, keeps the
// rankings below dir/runs in files of that ending, with what the queries asked
// below dir/queries, and returns the per-query values. done is called after each task.
func evaluateAll(ctx context.Context, fsys atomicfile.FS, r runners.Retriever, benchmarks []*datasets.Benchmark, dir, ending string, done func()) ([]results.Result, error) {
	var scores []results.Result
	for _, b := range benchmarks {
		for i := range b.Tasks {
			task := &b.Tasks[i]
			run, err := r.Retrieve(ctx, task, retrieveDepth)
			if err != nil {
				return nil, fmt.Errorf("run %s on %s/%s: %w", r.Name(), b.Name, task.Name, err)
			}
			if err := writeRun(fsys, filepath.Join(dir, results.RunsDir, runFile(b.Name, task.Name)+ending), run, runTag(r.Name())); err != nil {
				return nil, err
			}
			records, err := results.DescribeQueries(b.Name, task, run)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", b.Name, task.Name, err)
			}
			if err := results.WriteQueries(fsys, dir, runFile(b.Name, task.Name), records); err != nil {
				return nil, err
			}
			values, err := results.Score(b.Name, task, run)
			if err != nil {
				return nil, err
			}
			scores = append(scores, values...)
			done()
		}
	}
	return scores, nil
}

// runFile names the run of a task, without its ending; characters that are unsafe in file names
// cannot leave the folder.
func runFile(benchmark, task string) string {
	return safeName(benchmark) + "." + safeName(task)
}

// safeName keeps letters, digits, '-', '_' and inner dots of a name.
func safeName(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	return strings.Trim(s, ".")
}

// runTag is the last column of a run file, which may hold no white space and no
// control bytes.
func runTag(model string) string {
	return cmp.Or(strings.Join(strings.FieldsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), "_"), "unnamed")
}

// writeRun stores a run, packed where the name ends so, with nothing in a header
// that differs between two equal runs.
func writeRun(fsys atomicfile.FS, path string, run trec.Run, tag string) error {
	return atomicfile.WriteTo(fsys, path, func(w io.Writer) error {
		if !strings.HasSuffix(path, packedRuns) {
			return trec.WriteRun(w, run, tag)
		}
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := trec.WriteRun(z, run, tag); err != nil {
			return err
		}
		return z.Close()
	})
}

// countTasks is how many tasks the benchmarks hold together.
func countTasks(benchmarks []*datasets.Benchmark) int {
	n := 0
	for _, b := range benchmarks {
		n += len(b.Tasks)
	}
	return n
}
