package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// TrecMeasure is a measure as trec_eval prints it.
type TrecMeasure struct {
	Name        string  // as printed: "map_cut_10"
	Measure     Measure // nil for runid and relstring, which are text
	Integer     bool    // printed without decimals
	SummaryOnly bool    // not printed for single queries
	Length      int     // length of relstring, else 0

	order    int  // position in trec_eval's output
	explicit bool // parameters were given
}

// trecEntry is one of trec_eval's measures with its parameters open. The field that is set among
// plain, depth, level and params determines its parameters; a text has none of them.
type trecEntry struct {
	name                 string
	integer, summaryOnly bool
	plain                Measure                            // no parameters
	depth                func(k int) Measure                // integer cutoffs, one value each
	level                func(x float64) Measure            // real cutoffs, one value each
	params               func(text string) (Measure, error) // one value for all parameters; "" is the default
	defaults             string
}

// Default cutoffs of trec_eval.
const (
	trecCutoffs = "5,10,15,20,30,100,200,500,1000"
	trecLevels  = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
	trecRprec   = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"
)

// trecEntries lists trec_eval's measures in the order in which it prints them. Not included: the
// measures of preference and judgment-group files, dcg, ideal_dcg, yaap.
func trecEntries() []trecEntry {
	return []trecEntry{
		{name: "runid", summaryOnly: true},
		{name: "num_q", plain: Count{Of: "NumQ"}, integer: true, summaryOnly: true},
		{name: "num_ret", plain: Count{Of: "NumRet"}, integer: true},
		{name: "num_rel", plain: Count{Of: "NumRel"}, integer: true},
		{name: "num_rel_ret", plain: Count{Of: "NumRelRet"}, integer: true},
		{name: "map", plain: AP{}},
		{name: "gm_map", plain: GMAP{}, summaryOnly: true},
		{name: "Rprec", plain: Rprec{}},
		{name: "bpref", plain: Bpref{}},
		{name: "recip_rank", plain: RR{}},
		{name: "iprec_at_recall", level: func(x float64) Measure { return IPrec{Recall: x} }, defaults: trecLevels},
		{name: "P", depth: func(k int) Measure { return Precision{K: k} }, defaults: trecCutoffs},
		{name: "relstring"},
		{name: "recall", depth: func(k int) Measure { return Recall{K: k} }, defaults: trecCutoffs},
		{name: "infAP", plain: InfAP{}},
		{name: "gm_bpref", plain: GMBpref{}, summaryOnly: true},
		{name: "Rprec_mult", level: func(x float64) Measure { return RprecMult{Multiple: x} }, defaults: trecRprec},
		{name: "utility", params: trecUtility},
		{name: "11pt_avg", params: trecElevenPoint},
		{name: "binG", plain: BinG{}},
		{name: "G", plain: G{}},
		{name: "ndcg", params: trecNDCG},
		{name: "ndcg_rel", plain: NDCGRel{}},
		{name: "Rndcg", plain: RnDCG{}},
		{name: "ndcg_cut", depth: func(k int) Measure { return NDCG{K: k} }, defaults: trecCutoffs},
		{name: "map_cut", depth: func(k int) Measure { return AP{K: k} }, defaults: trecCutoffs},
		{name: "relative_P", depth: func(k int) Measure { return RelativeP{K: k} }, defaults: trecCutoffs},
		{name: "success", depth: func(k int) Measure { return Success{K: k} }, defaults: "1,5,10"},
		{name: "set_P", plain: SetP{}},
		{name: "set_relative_P", plain: SetRelativeP{}},
		{name: "set_recall", plain: SetR{}},
		{name: "set_map", plain: SetAP{}},
		{name: "set_F", params: trecSetF},
		{name: "num_nonrel_judged_ret", plain: Count{Of: "NumNonrelJudgedRet"}, integer: true},
		{name: "rbp", params: trecRBP(func(p float64) Measure { return RBP{P: p} })},
		{name: "rbp_resid", params: trecRBP(func(p float64) Measure { return RBPResidual{P: p} })},
		{name: "unj", depth: func(k int) Measure { return Unjudged{K: k} }, defaults: "5,10,20"},
	}
}

// trecSets are trec_eval's names for sets of measures; all_trec is every entry.
var trecSets = map[string][]string{
	"official": {"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"},
	"set":      {"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"},
}

// ParseTrec returns the measures of a trec_eval -m argument: a measure with or without parameters
// ("map", "P.5,10"), a set ("official", "all_trec", "set"), or a name that trec_eval prints
// ("map_cut_10").
func ParseTrec(name string) ([]TrecMeasure, error) {
	if len(name) > maxName {
		return nil, fmt.Errorf("trec_eval measure %.20q...: name longer than %d bytes", name, maxName)
	}
	if set, ok := trecSet(name); ok {
		return set, nil
	}
	base, params, dotted := strings.Cut(name, ".")
	for order, e := range trecEntries() {
		if e.name != base {
			continue
		}
		if dotted && params == "" {
			return nil, fmt.Errorf("trec_eval measure %q: no parameters after the dot", name)
		}
		all, err := e.measures(params, order)
		if err != nil {
			return nil, fmt.Errorf("trec_eval measure %q: %w", name, err)
		}
		return all, nil
	}
	for order, e := range trecEntries() {
		printed, ok := strings.CutPrefix(name, e.name+"_")
		if !ok || printed == "" || !e.takes() {
			continue
		}
		if all, err := e.measures(printed, order); err == nil {
			return all, nil
		}
	}
	return nil, nearest.Unknown("trec_eval measure", base, trecNames())
}

// trecSet returns the measures of a set, each with its standard parameters.
func trecSet(name string) (all []TrecMeasure, ok bool) {
	names := trecSets[name]
	if names == nil && name != "all_trec" {
		return nil, false
	}
	for order, e := range trecEntries() {
		if names != nil && !slices.Contains(names, e.name) {
			continue
		}
		own, err := e.measures("", order)
		if err != nil {
			return nil, false
		}
		all = append(all, own...)
	}
	return all, true
}

// TrecName returns the form in which trec_eval prints m; ok is false if trec_eval does not have m.
func TrecName(m Measure) (t TrecMeasure, ok bool) {
	for order, e := range trecEntries() {
		t = TrecMeasure{Name: e.name, Measure: m, Integer: e.integer, SummaryOnly: e.summaryOnly, order: order, explicit: true}
		if e.plain == m && m != nil {
			return t, true
		}
		switch v := m.(type) {
		case IPrec:
			if e.level != nil && e.level(v.Recall) == m {
				t.Name += trecLevel(v.Recall)
				return t, true
			}
		case RprecMult:
			if e.level != nil && e.level(v.Multiple) == m {
				t.Name += trecLevel(v.Multiple)
				return t, true
			}
		}
		if k := depthOf(m); k > 0 && e.depth != nil && e.depth(k) == m {
			t.Name += "_" + strconv.Itoa(k)
			return t, true
		}
		if e.params != nil {
			if standard, err := e.params(""); err == nil && standard == m {
				return t, true
			}
		}
	}
	return TrecMeasure{}, false
}

// SortTrec sorts measures into the order of trec_eval's output and drops repetitions. A measure
// with explicit parameters also replaces its defaults.
func SortTrec(all []TrecMeasure) []TrecMeasure {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b TrecMeasure) int { return a.order - b.order })
	var kept []TrecMeasure
	for _, t := range all {
		dropped := slices.ContainsFunc(all, func(o TrecMeasure) bool { return o.order == t.order && o.explicit && !t.explicit }) ||
			slices.ContainsFunc(kept, func(o TrecMeasure) bool { return o.Name == t.Name })
		if !dropped {
			kept = append(kept, t)
		}
	}
	return kept
}

// depthOf returns the integer cutoff of a measure, if it has one.
func depthOf(m Measure) int {
	switch v := m.(type) {
	case AP:
		return v.K
	case NDCG:
		return v.K
	case Precision:
		return v.K
	case Recall:
		return v.K
	case RelativeP:
		return v.K
	case Success:
		return v.K
	case Unjudged:
		return v.K
	}
	return 0
}

// trecNames lists the names that ParseTrec accepts.
func trecNames() []string {
	names := []string{"official", "all_trec", "set"}
	for _, e := range trecEntries() {
		names = append(names, e.name)
	}
	return names
}
