package trec

import "io"

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

// ReadRun reads a run, every ranking sorted; name stands for the file in errors.
//
// A line is "query Q0 document rank score tag ..." in ASCII white space; blank
// lines and lines that begin with # are skipped, the rank is ignored. An empty
// file, fewer than six fields, a NaN score and a document that comes twice for
// a query are errors, with file:line.
func ReadRun(r io.Reader, name string) (Run, error) {
	run, _, err := Options{}.ReadRun(r, name)
	return run, err
}

// OpenRun reads the run file at path, plain, gzip or zstd, as ReadRun does.
func OpenRun(path string) (Run, error) {
	run, _, err := Options{}.OpenRun(path)
	return run, err
}

// OpenRun reads the run file at path, plain, gzip or zstd, as ReadRun does.
func (o Options) OpenRun(path string) (run Run, tag string, err error) {
	err = openFile(path, func(r io.Reader) error {
		run, tag, err = o.ReadRun(r, path)
		return err
	})
	return run, tag, err
}

// ReadQrels reads judgments; name stands for the file in errors.
//
// A line is exactly "query iteration document grade" in ASCII white space; lines
// that begin with # are skipped. An empty file, a blank line, any other number
// of fields and a document that comes twice for a query are errors, with
// file:line.
func ReadQrels(r io.Reader, name string) (Qrels, error) { return Options{}.ReadQrels(r, name) }

// OpenQrels reads the qrels file at path, plain, gzip or zstd, as ReadQrels does.
func OpenQrels(path string) (Qrels, error) { return Options{}.OpenQrels(path) }

// OpenQrels reads the qrels file at path, plain, gzip or zstd, as ReadQrels does.
func (o Options) OpenQrels(path string) (qrels Qrels, err error) {
	err = openFile(path, func(r io.Reader) error {
		qrels, err = o.ReadQrels(r, path)
		return err
	})
	return qrels, err
}
