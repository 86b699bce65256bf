package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// takes reports whether the entry takes parameters.
func (e trecEntry) takes() bool { return e.plain == nil && e.name != "runid" }

// measures applies the parameters that follow the dot in a trec_eval name.
func (e trecEntry) measures(params string, order int) ([]TrecMeasure, error) {
	one := TrecMeasure{Name: e.name, Measure: e.plain, Integer: e.integer, SummaryOnly: e.summaryOnly, order: order, explicit: params != ""}
	switch {
	case params != "" && !e.takes():
		return nil, fmt.Errorf("%s takes no parameters", e.name)
	case e.depth != nil:
		return e.cutoffs(one, params, trecDepths)
	case e.level != nil:
		return e.cutoffs(one, params, trecReals)
	}
	if params != "" {
		one.Name += "_" + params
	}
	if e.name == "relstring" {
		one.Length = 10
		if params != "" {
			n, err := strconv.Atoi(params)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q is not a length", params)
			}
			one.Length = n
		}
	}
	if e.params != nil {
		m, err := e.params(params)
		if err != nil {
			return nil, err
		}
		one.Measure = m
	}
	return []TrecMeasure{one}, nil
}

// cutoffs makes a measure for each cutoff, in ascending order and each once.
func (e trecEntry) cutoffs(one TrecMeasure, params string, parse func(string) ([]float64, error)) ([]TrecMeasure, error) {
	if params == "" {
		params = e.defaults
	}
	values, err := parse(params)
	if err != nil {
		return nil, err
	}
	slices.Sort(values)
	if len(slices.Compact(slices.Clone(values))) < len(values) {
		return nil, fmt.Errorf("cutoff given twice in %q", params)
	}
	var all []TrecMeasure
	for _, v := range values {
		t := one
		if e.depth != nil {
			t.Measure, t.Name = e.depth(int(v)), t.Name+"_"+strconv.Itoa(int(v))
		} else {
			t.Measure, t.Name = e.level(v), t.Name+trecLevel(v)
		}
		all = append(all, t)
	}
	return all, nil
}

// trecLevel formats a real cutoff.
func trecLevel(x float64) string { return fmt.Sprintf("_%.2f", x) }

// trecDepths parses integer cutoffs; trec_eval drops a fraction.
func trecDepths(text string) ([]float64, error) {
	values, err := trecReals(text)
	for i := range values {
		values[i] = float64(int(values[i]))
		if values[i] < 1 || values[i] > 1e9 {
			return nil, fmt.Errorf("cutoff %v is not at least 1", values[i])
		}
	}
	return values, err
}

// trecReals parses non-negative numbers separated by commas.
func trecReals(text string) ([]float64, error) {
	values, err := numbers(text)
	for _, v := range values {
		if v < 0 {
			return nil, fmt.Errorf("%v is negative", v)
		}
	}
	return values, err
}

// numbers parses finite numbers separated by commas.
func numbers(text string) ([]float64, error) {
	var values []float64
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		values = append(values, v)
	}
	return values, nil
}

func trecUtility(text string) (Measure, error) {
	if text == "" {
		return Utility{A: 1, B: -1}, nil
	}
	w, err := numbers(text)
	if err != nil {
		return nil, err
	}
	if len(w) != 4 || w[3] != 0 {
		return nil, fmt.Errorf("utility takes four weights, the last 0: the size of the collection is not known")
	}
	return Utility{A: w[0], B: w[1], C: w[2]}, nil
}

func trecElevenPoint(text string) (Measure, error) {
	if text == "" {
		return ElevenPoint{}, nil
	}
	levels, err := parseLevels(text)
	if err != nil {
		return nil, err
	}
	return newElevenPoint(levels, 0), nil
}

func trecNDCG(text string) (Measure, error) {
	if text == "" {
		return NDCG{}, nil
	}
	gains, err := parseGains(text)
	if err != nil {
		return nil, err
	}
	return NDCG{Gains: spellGains(gains)}, nil
}

func trecSetF(text string) (Measure, error) {
	if text == "" {
		return SetF{Beta: 1}, nil
	}
	w, err := trecReals(text)
	if err != nil {
		return nil, err
	}
	return SetF{Beta: w[0]}, nil
}

// trecRBP parses "p=0.9", trec_eval's default persistence.
func trecRBP(measure func(p float64) Measure) func(string) (Measure, error) {
	return func(text string) (Measure, error) {
		if text == "" {
			return measure(0.9), nil
		}
		value, ok := strings.CutPrefix(text, "p=")
		p, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(p >= 0 && p < 1) {
			return nil, fmt.Errorf("%q is not p= and a number from 0 to 1", text)
		}
		return measure(p), nil
	}
}
