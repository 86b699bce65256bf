package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// scoreBout scores a run file with trec_eval's standard measures, from the start of the
// process to its end. pytrec-eval is trec_eval's code behind Python.
func scoreBout() bout {
	ours := side{name: "score", title: "infbench", silent: true, argv: func(k *kit, dir string) []string {
		return []string{k.settings.infbench, "score", "--qrels", filepath.Join(dir, "qrels"), "--run", filepath.Join(dir, "run"), "--format", "trec"}
	}}
	theirs := theirsBy("score_trec", "pytrec-eval-terrier", "score_trec.py")
	theirs.silent = true
	return bout{
		name:    "score",
		note:    "pytrec-eval has trec_eval's code, which runs on one thread; Python reads the files and starts in this time",
		rows:    []row{{name: "score", work: "score 1,000 queries of 1,000 documents, trec_eval's standard measures", against: []int{1}, ours: total, theirs: total}},
		sides:   []side{ours, theirs},
		prepare: func(_ context.Context, j *job) error { return writeRun(j, j.size(1000, 20), j.size(1000, 100)) },
		check:   samePrint,
	}
}

// writeRun writes rankings, and 54 judgments for each query. 40 of these are relevant: trec_eval 9,
// which pytrec-eval has, and 10 count a share of relevant documents alike only if it is a whole
// number.
func writeRun(j *job, queries, documents int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	id := func(query, i int) int { return (i*7919 + query*31) % 5_000_000 }
	err := writeFile(j.path("run"), func(w *bufio.Writer) error {
		for q := range queries {
			for rank := range documents {
				score := 30 - float64(rank)/50 - rng.Float64()/60
				fmt.Fprintf(w, "%d Q0 %07d %d %.6f tag\n", q, id(q, rank), rank+1, score)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeFile(j.path("qrels"), func(w *bufio.Writer) error {
		for q := range queries {
			for i := range 54 {
				fmt.Fprintf(w, "%d 0 %07d %d\n", q, id(q, i*i), i%4)
			}
		}
		return nil
	})
}

// samePrint compares the printed lines of both, in any order.
func samePrint(j *job, ours, theirs string) error {
	a, err := printed(j.path(ours + ".txt"))
	if err != nil {
		return err
	}
	b, err := printed(j.path(theirs + ".txt"))
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(b) {
		if a[name] != b[name] {
			return fmt.Errorf("%s is %q and %q", name, a[name], b[name])
		}
	}
	if !maps.Equal(a, b) || len(a) == 0 {
		return fmt.Errorf("%d values and %d", len(a), len(b))
	}
	return nil
}

// printed returns the values in trec_eval's output by measure and query.
func printed(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 {
			values[f[0]+" "+f[1]] = f[2]
		}
	}
	return values, nil
}
