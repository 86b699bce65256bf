package suites

import (
	"maps"
	"math"
	"regexp"
	"slices"
)

// Judged is an agent's answer to a query: its overall quality by a judge, from 1 to 5 (or a
// mean of repeats), and the number of retrieval rounds, at least 1.
type Judged struct {
	Quality float64
	Rounds  int
}

// EfficiencyQuality is BRIGHT-Pro's efficiency-quality reward (AER): the mean over queries of
// quality times exp(-gamma (rounds-1)), on the scale of the quality. ok is false without
// queries. Zhao et al. 2026, aer.py; their gamma is 0.05.
func EfficiencyQuality(queries []Judged, gamma float64) (value float64, ok bool) {
	for _, q := range queries {
		value += q.Quality * math.Exp(-gamma*float64(q.Rounds-1))
	}
	if len(queries) == 0 {
		return 0, false
	}
	return value / float64(len(queries)), true
}

// Coverage is how far an answer covers a query's aspects.
type Coverage struct {
	Plain, Weighted float64 // means of the aspects' scores
	Completeness    float64 // 1 to 5: 4 times Weighted plus 1, rounded half to even as in Python
}

// CoverageOf sums up a judge's scores (0, 0.5 or 1) of a query's aspects; an ungraded aspect
// (nil) counts 0. ok is false without aspects.
func CoverageOf(scores []*float64, weights []float64) (c Coverage, ok bool) {
	total := 0.0
	for i, s := range scores {
		total += weights[i]
		if s != nil {
			c.Plain += *s
			c.Weighted += *s * weights[i]
		}
	}
	if len(scores) == 0 {
		return c, false
	}
	c.Plain /= float64(len(scores))
	c.Weighted = share(c.Weighted, total)
	c.Completeness = math.RoundToEven(4*c.Weighted + 1)
	return c, true
}

// AgentRecall is BrowseComp-Plus' recall of an agent: the share of a query's evidence that
// the agent ever retrieved, averaged over the answered queries with evidence. ok is false if
// there is no such query. (The authors' script stops with a division by zero at an answered
// query without evidence.)
//
// Chen et al. 2025 (arXiv 2508.06600).
func AgentRecall(retrieved, evidence map[string][]string) (value float64, ok bool) {
	n := 0
	for _, query := range slices.Sorted(maps.Keys(retrieved)) {
		want := setOf(evidence[query])
		if len(want) == 0 {
			continue
		}
		value += float64(shared(want, retrieved[query])) / float64(len(want))
		n++
	}
	if n == 0 {
		return 0, false
	}
	return value / float64(n), true
}

// Citations describes how an agent cites. Coverage is over all answers; the rest are means
// over the answers that cite at least one document, and 0, as the authors print them, if none
// does.
type Citations struct {
	Answers, Citing          int
	Coverage                 float64 // share of the answers that cite
	PerAnswer                float64 // documents cited per answer
	Precision, EvidenceFound float64 // share of the cited documents that are evidence; share of the evidence that is cited
}

// CitationsOf sums up the documents that answers cite, each counted once; an unfinished
// answer cites nothing.
func CitationsOf(cited, evidence map[string][]string) Citations {
	c := Citations{Answers: len(cited)}
	for _, query := range slices.Sorted(maps.Keys(cited)) {
		docs, want := setOf(cited[query]), setOf(evidence[query])
		if len(docs) == 0 {
			continue
		}
		hits := float64(shared(want, cited[query]))
		c.Citing++
		c.PerAnswer += float64(len(docs))
		c.Precision += hits / float64(len(docs))
		c.EvidenceFound += share(hits, float64(len(want)))
	}
	n := float64(c.Citing)
	c.Coverage = share(n, float64(c.Answers))
	c.PerAnswer, c.Precision, c.EvidenceFound = share(c.PerAnswer, n), share(c.Precision, n), share(c.EvidenceFound, n)
	return c
}

// bracketed is text in ASCII or full-width square brackets, without such brackets inside.
var (
	bracketed = regexp.MustCompile(`\[([^\[\]]*)\]|【([^【】]*)】`)
	number    = regexp.MustCompile(`\d+`)
)

// CitedIn lists the numbers in [..] and 【..】 of an answer, each once and in order, which
// BrowseComp-Plus treats as citations. "[see 2021]" is one.
func CitedIn(answer string) []string {
	var all []string
	for _, match := range bracketed.FindAllString(answer, -1) {
		all = append(all, number.FindAllString(match, -1)...)
	}
	return distinct(all)
}
