package datasets

import (
	"fmt"
	"strings"

	"infbench/datasets/format"
)

// FollowTable's files that distinguish its layout from BEIR's.
const (
	FollowTableQueries = "only_queries.jsonl"            // the bare queries
	FollowTableQrels   = "qrels/for_only_query_test.tsv" // their judgments
)

// FollowTableSets are the names of its folders.
var FollowTableSets = []string{"WQT", "WTR", "TArX", "IndusTR"}

// followTable returns FollowTable: four sets of tables whose instructions narrow a query. It is not
// on the hub and no licence allows redistribution.
func followTable() Suite {
	s := Suite{
		Name: "followtable", About: "FollowTable: four sets of tables, and instructions that narrow a query",
		Licence:   "none stated",
		Citation:  "Jin et al. 2026, FollowTable, arXiv:2605.00400",
		Elsewhere: "https://github.com/deu05232/FollowTable at 1c47fe2, whose folder is data",
		Protocol: "Rank all tables, for IRS knows where each stands; a ranking that is cut makes it leave [-1,1]. " +
			"The authors put the instruction first, then [SEP], then the query.",
		Measures: []string{"IRS", "nDCG@10"},
	}
	for _, set := range FollowTableSets {
		s.Parts = append(s.Parts, SuitePart{Task: set})
	}
	return s
}

// Narrowed is a query under an instruction that narrows it.
type Narrowed struct {
	Bare               string // ID of the bare query
	Query, Instruction string
	Type               string // type of the instruction: 1.1 boundary, 1.2 exclusion, 2.* structure
}

// ReadNarrowed reads queries.jsonl of a set of FollowTable. It returns the queries by ID; IDs have
// the form <query>_<number>.
func ReadNarrowed(file string) (map[string]Narrowed, error) {
	all := map[string]Narrowed{}
	cols := []format.Column{
		{Name: "_id", Kind: format.ID}, {Name: "metadata.origin_query"}, {Name: "metadata.instruction"},
		{Name: "metadata.instruction_type", Kind: format.ID, Optional: true},
	}
	for r, err := range format.Rows([]string{file}, cols) {
		if err != nil {
			return nil, err
		}
		n := Narrowed{Bare: bareOf(r.Text(0)), Query: r.Text(1), Instruction: r.Text(2), Type: r.Text(3)}
		if n.Bare == "" {
			return nil, r.Pos.Errorf("ID %q is not of the form <query>_<number>", r.Text(0))
		}
		all[r.Text(0)] = n
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no queries in %s", file)
	}
	return all, nil
}

// bareOf removes the number of the instruction from an ID; "" if there is none.
func bareOf(id string) string {
	at := strings.LastIndexByte(id, '_')
	if at < 1 || strings.Trim(id[at+1:], "0123456789") != "" || at == len(id)-1 {
		return ""
	}
	return id[:at]
}
