package suites

// WinRate is MultiConIR's task 1 for one number of conditions. Each pair holds the scores of
// the positive document and of a hard negative; the rate is the share of pairs whose first
// score is strictly greater, the difference is the mean one. ok is false without pairs.
//
// Lu et al. 2025 (arXiv 2503.08046).
func WinRate(pairs [][2]float64) (rate, difference float64, ok bool) {
	if len(pairs) == 0 {
		return 0, 0, false
	}
	for _, p := range pairs {
		if p[0] > p[1] {
			rate++
		}
		difference += p[0] - p[1]
	}
	n := float64(len(pairs))
	return rate / n, difference / n, true
}

// Monotonicity measures how consistently scores fall as documents meet fewer conditions.
type Monotonicity struct {
	WinRates []float64 // for each pair of neighbours, the share of rows that fall strictly there
	Mean     float64   // mean of the win rates
	Whole    float64   // share of rows that fall strictly everywhere: our own addition
}

// MonotonicityOf is MultiConIR's tasks 2 and 4. A row holds the scores of the positive
// document and of negatives that meet fewer and fewer conditions. All rows have the same
// length, at least 2; ok is false without rows.
func MonotonicityOf(rows [][]float64) (m Monotonicity, ok bool) {
	if len(rows) == 0 || len(rows[0]) < 2 {
		return m, false
	}
	m.WinRates = make([]float64, len(rows[0])-1)
	for _, row := range rows {
		falls := Falls(row)
		whole := 1.0
		for i, fell := range falls {
			if fell {
				m.WinRates[i]++
			} else {
				whole = 0
			}
		}
		m.Whole += whole
	}
	n := float64(len(rows))
	for i := range m.WinRates {
		m.WinRates[i] /= n
		m.Mean += m.WinRates[i]
	}
	m.Mean /= float64(len(m.WinRates))
	m.Whole /= n
	return m, true
}

// Falls reports, for each pair of neighbours in a row, whether the score falls strictly; a
// tie is not a fall.
func Falls(row []float64) []bool {
	falls := make([]bool, max(0, len(row)-1))
	for i := range falls {
		falls[i] = row[i] > row[i+1]
	}
	return falls
}

// FlipRate is MultiConIR's task 3: the share of comparisons of neighbours, over all rows,
// whose outcome differs between two wordings of the query. Lower is better; ok is false
// without a comparison.
func FlipRate(instruction, descriptive [][]float64) (rate float64, ok bool) {
	n := 0
	for i := range min(len(instruction), len(descriptive)) {
		a, b := Falls(instruction[i]), Falls(descriptive[i])
		for j := range min(len(a), len(b)) {
			if a[j] != b[j] {
				rate++
			}
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return rate / float64(n), true
}
