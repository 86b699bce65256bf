package verify

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/table"
)

// Tolerances for a number against its sum: the rounding of the sum, and that of the tables of
// charts, which sort by the value times 100 with two decimals.
const (
	rounding      = 1e-9
	chartRounding = 0.005 + rounding
)

// arithmetic computes the means, counts and differences that a page shows as sums over the values
// in the page. It uses nothing else of this package.
func (v *Verification) arithmetic(page []byte, d *reports.Data) error {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return fmt.Errorf("parse report: %w", err)
	}
	region := ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "table" {
			region = attr(n, "id")
		}
		text := attr(n, "data-from")
		if text == "" {
			continue
		}
		where := fmt.Sprintf("%s, link %q", region, text)
		l, err := table.ParseLink(text)
		if err == nil {
			err = leads(l, d)
		}
		if err != nil {
			v.find(where, err.Error(), "")
			continue
		}
		want, ok := value(l, d)
		if !ok {
			continue
		}
		shown, err := strconv.ParseFloat(attr(n, "data-sort"), 64)
		if err != nil || math.Abs(shown-want) > rounding && math.Abs(shown-100*want) > chartRounding {
			v.find(where, attr(n, "data-sort"), strconv.FormatFloat(want, 'g', -1, 64))
		}
	}
	return nil
}

// leads returns an error if a link leads to nothing.
func leads(l table.Link, d *reports.Data) error {
	for _, t := range slices.Concat(l.Trials, l.Against) {
		if t >= len(d.Trials) {
			return fmt.Errorf("trial %d of %d", t, len(d.Trials))
		}
	}
	for _, s := range l.Slots {
		if s >= len(d.Slots) {
			return fmt.Errorf("scoring %d of %d", s, len(d.Slots))
		}
	}
	return nil
}

// value computes a mean, count or difference; ok is false for other statistics, and if the page
// lacks a value.
func value(l table.Link, d *reports.Data) (value float64, ok bool) {
	for _, s := range l.Slots {
		if slices.ContainsFunc(d.Left, func(l reports.DataLeft) bool { return l.Slot == s }) {
			return 0, false
		}
	}
	switch l.Stat {
	case table.StatMean:
		return meanOfMeans(d, l.Trials, strata(d, l))
	case table.StatCount, table.StatDifference:
		difference, n, ok := differences(d, l)
		if l.Stat == table.StatCount {
			return float64(n), ok
		}
		return difference, ok
	}
	return 0, false
}

// strata groups the scorings of a link that are averaged together: splits of one task according to
// the page's data on the benchmark, or all of them.
func strata(d *reports.Data, l table.Link) [][]int {
	if l.ByQuery {
		return [][]int{l.Slots}
	}
	var out [][]int
	places := map[reports.DataSlot]int{}
	for _, s := range l.Slots {
		key := d.Slots[s]
		for _, b := range d.Benchmarks {
			if b.Display == key.Benchmark && len(b.Benchmark.Groups[key.Task]) > 1 {
				key.Task = b.Benchmark.Groups[key.Task][1]
			}
		}
		i, known := places[key]
		if !known {
			i = len(out)
			places[key], out = i, append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// meanOfMeans averages over the queries of each stratum, then over strata, then over trials,
// without undefined values.
func meanOfMeans(d *reports.Data, trials []int, strata [][]int) (mean float64, ok bool) {
	var sum float64
	n := 0
	for _, t := range trials {
		var over float64
		k := 0
		for _, stratum := range strata {
			var values float64
			defined := 0
			for _, s := range stratum {
				of := definedValues(d, t, s)
				for _, q := range words.SortedKeys(of) {
					values += of[q]
					defined++
				}
			}
			if defined > 0 {
				over += values / float64(defined)
				k++
			}
		}
		if k > 0 {
			sum += over / float64(k)
			n++
		}
	}
	return sum / float64(n), n > 0
}

// definedValues returns the values of a trial on a scoring by query.
func definedValues(d *reports.Data, t, s int) map[string]float64 {
	out := map[string]float64{}
	for _, v := range d.Trials[t].Values {
		if v.Slot != s {
			continue
		}
		for i, q := range d.Queries[v.Queries] {
			if !math.IsNaN(v.Values[i]) {
				out[q] = v.Values[i]
			}
		}
	}
	return out
}

// system averages the trials of a system query by query, over queries for which all trials with the
// scoring have a value.
func system(d *reports.Data, trials []int, s int) map[string]float64 {
	sum, count, runs := map[string]float64{}, map[string]int{}, 0
	for _, t := range trials {
		if !slices.ContainsFunc(d.Trials[t].Values, func(v reports.DataValues) bool { return v.Slot == s }) {
			continue
		}
		runs++
		for q, value := range definedValues(d, t, s) {
			sum[q] += value
			count[q]++
		}
	}
	for q := range sum {
		if sum[q] /= float64(runs); count[q] < runs {
			delete(sum, q)
		}
	}
	return sum
}

// differences returns the unweighted mean over strata of the mean difference over the common
// queries of both systems.
func differences(d *reports.Data, l table.Link) (mean float64, n int, ok bool) {
	strata := strata(d, l)
	for _, stratum := range strata {
		var sum float64
		k := 0
		for _, s := range stratum {
			a, b := system(d, l.Against, s), system(d, l.Trials, s)
			for _, q := range words.SortedKeys(b) {
				if was, both := a[q]; both {
					sum += b[q] - was
					k++
				}
			}
		}
		if k == 0 {
			return 0, 0, false
		}
		n += k
		mean += sum / float64(k) / float64(len(strata))
	}
	return mean, n, true
}
