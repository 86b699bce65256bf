package trec

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
