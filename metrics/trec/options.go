package trec

// Options control reading. The zero value reads like trec_eval 10.
type Options struct {
	// Float32 rounds every score to float32 before ranking, as trec_eval 9 and
	// pytrec_eval do: 16777217 then ties with 16777216.
	Float32 bool
	// KeepArrival leaves each ranking unsorted, in the order of the file's lines.
	KeepArrival bool
	// Warn, if not nil, is called once per file for numbers that trec_eval reads in part or
	// as 0 ("1.9" as a grade, "abc" as a score).
	Warn func(error)
}
