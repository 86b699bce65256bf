package trec

import (
	"io"
)

// Options says how to read. The zero value reads as trec_eval 10 does.
type Options struct {
	// Float32 rounds every score to float32 before ranking, as trec_eval 9 and
	// pytrec_eval do: 16777217 then ties with 16777216.
	Float32 bool
	// KeepArrival leaves each ranking in the order of the file's lines, not sorted.
	KeepArrival bool
	// Warn is told, once for each file, of numbers that trec_eval reads in part
	// or as 0 ("1.9" as a grade, "abc" as a score). Nil means nobody asks.
	Warn func(error)
}

// OpenRun reads the run file at path, plain, gzip or zstd, as ReadRun does.
func (o Options) OpenRun(path string) (run Run, tag string, err error) {
	err = openFile(path, func(r io.Reader) error {
		run, tag, err = o.ReadRun(r, path)
		return err
	})
	return run, tag, err
}

// OpenQrels reads the qrels file at path as Options{} does.
func OpenQrels(path string) (Qrels, error) { return Options{}.OpenQrels(path) }

// OpenQrels reads the qrels file at path, plain, gzip or zstd, as ReadQrels does.
func (o Options) OpenQrels(path string) (qrels Qrels, err error) {
	err = openFile(path, func(r io.Reader) error {
		qrels, err = o.ReadQrels(r, path)
		return err
	})
	return qrels, err
}
