package metrics

// Row is what a measure found for one case.
type Row struct {
	Case  *Case
	Value float64
	OK    bool // the measure is defined for the case
}

// Summarizer is a measure whose summary over queries is not the mean of its
// defined values. Rows come in byte order of their queries.
type Summarizer interface {
	Measure
	Summarize(rows []Row) (value float64, ok bool)
}

// Rows scores every case with m, in the order of cases.
func Rows(m Measure, cases []*Case) []Row {
	rows := make([]Row, len(cases))
	for i, c := range cases {
		rows[i].Case = c
		rows[i].Value, rows[i].OK = m.Score(c)
	}
	return rows
}

// Summarize is the value of m over all queries: the mean of the defined values
// unless m says otherwise. ok is false where nothing is defined. Rows must be in
// byte order of their queries, so that sums come out the same every time.
func Summarize(m Measure, rows []Row) (value float64, ok bool) {
	if s, special := m.(Summarizer); special {
		return s.Summarize(rows)
	}
	return mean(rows)
}

// mean is the mean of the defined values.
func mean(rows []Row) (float64, bool) {
	total, n := sum(rows)
	if n == 0 {
		return 0, false
	}
	return total / float64(n), true
}

// sum adds up the defined values and counts them.
func sum(rows []Row) (total float64, n int) {
	for _, r := range rows {
		if r.OK {
			total += r.Value
			n++
		}
	}
	return total, n
}
