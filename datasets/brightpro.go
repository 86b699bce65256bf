package datasets

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/format"
	"infbench/metrics/suites"
)

// brightProDomains are the domains of BRIGHT-Pro and the names of their queries.
var brightProDomains = []struct{ split, called string }{
	{"biology", "Biology"}, {"earth_science", "Earth Science"}, {"economics", "Economics"}, {"psychology", "Psychology"},
	{"robotics", "Robotics"}, {"stackoverflow", "Stackoverflow"}, {"sustainable_living", "Sustainable Living"},
}

// brightPro returns BRIGHT-Pro: seven domains of BRIGHT with new judgments by experts, and weighted
// aspects that an answer should cover.
func brightPro() Suite {
	s := Suite{
		Name: "bright-pro", About: "BRIGHT-Pro: reasoning-intensive queries with weighted aspects that documents cover",
		Licence:  "MIT",
		Citation: "Zhao et al. 2026, BRIGHT-Pro, ACL 2026, arXiv:2605.04018",
		Protocol: "Rank the full corpus; nothing is excluded. The table is the unweighted mean of the seven domains. aspect_nDCG@25 is the authors' alpha-nDCG@25. " +
			"A query whose relevant documents have no aspect leaves aspect_nDCG and counts 0 in A-Recall; a query without a ranking counts 0, where the authors leave it out.",
		Measures: []string{"nDCG@10", "aspect_nDCG@25", "A-Recall@25", "R@25"}, Layout: WithAspects,
	}
	for _, d := range brightProDomains {
		s.Parts = append(s.Parts, SuitePart{Task: d.split, Repo: "yale-nlp/Bright-Pro", Revision: "dbdc22b", Within: d.split,
			Instruction: fmt.Sprintf("Given a %s post, retrieve relevant passages that help answer the post", d.called)})
	}
	return s
}

// aspectNumber matches the part of an aspect's ID after the domain and the query.
var aspectNumber = regexp.MustCompile(`-(?:a\d+|aspect-\d+)$`)

// Aspects are the aspects of a domain by query.
type Aspects struct {
	// ByQuery has each query's aspects in the order of the files; their weights add up to 1. A
	// document belongs to one aspect of the domain, the last that lists it, as in the authors'
	// scripts. If a gold document of a query belongs to an aspect of another query, that aspect is
	// appended to the query's own, with its weight there.
	ByQuery map[string][]suites.Aspect
	Foreign int // gold documents that belong to another query's aspect
	Orphans int // aspects of queries that have no gold documents
}

// ReadAspects reads the aspects of a domain; gold has the gold documents of its queries.
func ReadAspects(files []string, domain string, gold map[string]map[string]int) (*Aspects, error) {
	all, err := aspectRows(files, domain)
	if err != nil {
		return nil, fmt.Errorf("aspects: %w", err)
	}
	last := map[string]int{} // by document: its aspect
	for i, a := range all {
		for _, doc := range a.Docs {
			last[doc] = i
		}
	}
	read := &Aspects{ByQuery: map[string][]suites.Aspect{}}
	for i, a := range all {
		a.Docs = slices.DeleteFunc(a.Docs, func(doc string) bool { return last[doc] != i })
		all[i] = a
		if gold[a.query] == nil {
			read.Orphans++
			continue
		}
		read.ByQuery[a.query] = append(read.ByQuery[a.query], a.Aspect)
	}
	for query, docs := range gold {
		foreign := map[int]bool{}
		for doc := range docs {
			if i, has := last[doc]; has && all[i].query != query {
				read.Foreign++
				foreign[i] = true
			}
		}
		for _, i := range slices.Sorted(maps.Keys(foreign)) {
			read.ByQuery[query] = append(read.ByQuery[query], all[i].Aspect)
		}
	}
	return read, nil
}

// ownedAspect is an aspect with its query.
type ownedAspect struct {
	query string
	suites.Aspect
}

// aspectRows reads the rows of the table; the weights of each query's aspects add up to 1.
func aspectRows(files []string, domain string) ([]ownedAspect, error) {
	var all []ownedAspect
	seen, total := map[string]bool{}, map[string]float64{}
	cols := []format.Column{{Name: "id", Kind: format.ID}, {Name: "weight", Kind: format.Number}, {Name: "supporting_docs", Kind: format.ID, List: true, Optional: true}}
	for r, err := range format.Rows(files, cols) {
		if err != nil {
			return nil, err
		}
		id := r.Text(0)
		weight, _ := strconv.ParseFloat(r.Text(1), 64) // checked when it was read
		stem := aspectNumber.ReplaceAllString(id, "")
		query, prefixed := strings.CutPrefix(stem, domain+"-")
		switch {
		case !prefixed || stem == id:
			return nil, r.Pos.Errorf("ID %q is not of the form %s-<query>-a<number>", id, domain)
		case seen[id]:
			return nil, r.Pos.Errorf("aspect %q comes twice", id)
		case !(weight >= 0) || math.IsInf(weight, 1):
			return nil, r.Pos.Errorf("aspect %q: weight %g is negative or infinite", id, weight)
		}
		seen[id] = true
		total[query] += weight
		all = append(all, ownedAspect{query, suites.Aspect{ID: id, Weight: weight, Docs: append([]string(nil), r.Texts(2)...)}})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("none in %q", files)
	}
	for i, a := range all {
		if total[a.query] > 0 {
			all[i].Weight /= total[a.query]
		}
	}
	return all, nil
}
