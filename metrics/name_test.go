package metrics

import (
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// TestParse checks that a name parses and prints in its canonical form, and that the canonical form
// is a fixed point.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"AP", "AP"}, {"MAP", "AP"}, {"ap@10", "AP@10"}, {"AP(rel=2)", "AP(rel=2)"}, {"AP(rel=2)@1000", "AP(rel=2)@1000"},
		{" nDCG@10 ", "nDCG@10"}, {"nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"},
		{`nDCG( dcg = "exp-log2" )@10`, "nDCG(dcg='exp-log2')@10"}, {"nDCG(dcg='log2')", "nDCG"}, {"nDCG()", "nDCG"},
		{"P@5", "P@5"}, {"R(rel=3)@1000", "R(rel=3)@1000"}, {"MRR@10", "RR@10"}, {"IPrec@0.10", "IPrec@0.1"}, {"IPrec@0", "IPrec@0"},
		{"11-pt", "11-pt"}, {"RBP", "RBP"}, {"RBP(p=0.5,rel=2)@10", "RBP(p=0.5,rel=2)@10"}, {"RBP(rel=2,p=0.8)", "RBP(rel=2)"},
		{"SetF(beta=2)", "SetF(beta=2)"}, {"alpha-nDCG@20", "alpha_nDCG@20"}, {"ERR-IA(alpha=0.9)@10", "ERR_IA(alpha=0.9)@10"},
		{"p-mrr", "p-MRR"}, {"p-MRR(ties='insertion')", "p-MRR(ties='insertion')"}, {"num_rel_ret", "NumRelRet"},
		{"FollowIR(measure=AP@1000,qrels='original')", "FollowIR(measure=AP@1000,qrels='original')"},
		{"FollowIR(qrels=changed,measure='nDCG@5')", "FollowIR(measure=nDCG@5,qrels='changed')"},
		{"nAUC", "nAUC(measure=nDCG@10)"}, {"nAUC(measure=AP(rel=2)@10,conf=diff1)", "nAUC(measure=AP(rel=2)@10,conf='diff1')"},
		{"irs", "IRS"}, {"IRS( documents=9546 )", "IRS(documents=9546)"}, {"aspect_ndcg(alpha=0.5)@25", "aspect_nDCG@25"}, {"a-recall@25", "A-Recall@25"},
		{"r_cap(rel=2)@10", "R_cap(rel=2)@10"}, {"Hole@10", "Hole@10"}, {"DeltaMRR@10", "dRR@10"}, {"dr@1", "dR@1"}, {"WinRate", "Monotonicity"},
		{"ndcg_at_10", "nDCG@10"}, {"map_at_1000", "AP@1000"}, {"mrr_at_10", "RR@10"}, {"recall_at_100", "R@100"}, {"precision_at_5", "P@5"},
		{"hit_rate_at_3", "Success@3"}, {"robustness_at_10", "Robustness@10"}, {"NDCG_at_10", "nDCG@10"}, {"map", "AP"}, {"mrr", "RR"},
		{"paired_accuracy", "PairedAccuracy"}, {"nAUC(measure=ndcg_at_20)", "nAUC(measure=nDCG@20)"},
		{"Robustness(sep='[SEP]')@10", "Robustness(sep='[SEP]')@10"}, {"Utility(a=2,b=-1,c=-0.5)", "Utility(a=2,c=-0.5)"},
	} {
		m, err := Parse(c.name)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.name, err)
			continue
		}
		if got := m.String(); got != c.want {
			t.Errorf("Parse(%q) prints %q, want %q", c.name, got, c.want)
		}
		again, err := Parse(m.String())
		if err != nil || again != m {
			t.Errorf("Parse(%q) = %#v, %v; want the measure that printed it, %#v", m.String(), again, err, m)
		}
	}
}

// TestParseErrors checks that the errors name the mistake.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "unknown measure"}, {"nDCGG@10", `did you mean "nDCG"`}, {"P", "needs a cutoff"}, {"P@0", "at least 1"}, {"P@x", "at least 1"},
		{"P@", "no cutoff"}, {"ndcgg_at_10", `did you mean "nDCG"`}, {"precision_at_0", "at least 1"}, {"ndcg_at_x", "unknown measure"}, {"P@-1", "at least 1"}, {"P@+5", "at least 1"}, {"P@1e3", "at least 1"}, {"P@5@5", "at least 1"},
		{"P@99999999999999999999", "at least 1"}, {"Bpref@10", "takes no cutoff"}, {"AP(rel=0)", "at least 1"}, {"AP(rel=x)", "at least 1"},
		{"AP(rl=2)", `unknown option of AP "rl"; did you mean "rel"`}, {"AP(rel=2", "closing parenthesis"}, {"AP(rel=2)x@5", "after the options"},
		{"AP(rel)", "name=value"}, {"AP(rel=1,rel=2)", "given twice"}, {"nDCG(dcg='exp')@10", "unknown value of dcg"},
		{"RBP(p=1)", "p=1"}, {"RBP(p=NaN)", "p=NaN"}, {"IPrec", "needs a cutoff"}, {"IPrec@1.5", "needs a cutoff"}, {"FollowIR", "qrels='original'"},
		{"FollowIR(measure=XX,qrels='changed')", `unknown measure "XX"`}, {"ERR(max=1.5)", "whole number"}, {"IRS(documents=0)", "documents=0"}, {"IRS(documents=2.5)", "whole number"}, {"IRS@10", "takes no cutoff"},
		{"A-Recall", "needs a cutoff"}, {"Hole", "needs a cutoff"},
		{strings.Repeat("nAUC(measure=", 100), "longer than"},
	} {
		_, err := Parse(c.name)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// TestFamilies checks that every family is documented, that no two share a name and that their
// forms parse.
func TestFamilies(t *testing.T) {
	seen := map[string]string{}
	for _, f := range Families() {
		for _, text := range []string{f.Name, f.Forms, f.Definition, f.Range, string(f.Direction), f.Source} {
			if text == "" {
				t.Errorf("%s: a field is empty: %+v", f.Name, f)
			}
		}
		for _, name := range append(f.Aliases, f.Name) {
			key := strings.ToLower(name)
			if other, twice := seen[key]; twice {
				t.Errorf("%s and %s are both called %q", f.Name, other, name)
			}
			seen[key] = f.Name
		}
		for _, form := range strings.Split(f.Forms, ", ") {
			m, err := Parse(strings.Replace(form, "@k", "@10", 1))
			if err != nil {
				t.Errorf("%s: form %q: %v", f.Name, form, err)
				continue
			}
			if !strings.HasPrefix(m.String(), f.Name) {
				t.Errorf("form %q of %s prints %q", form, f.Name, m)
			}
		}
	}
}

// FuzzParse looks for names that panic or do not round-trip.
func FuzzParse(f *testing.F) {
	for _, family := range Families() {
		for _, form := range strings.Split(family.Forms, ", ") {
			f.Add(strings.Replace(form, "@k", "@10", 1))
		}
	}
	for _, odd := range []string{"", "@", "(", ")", "AP()", "AP(,)", "AP(rel=2,)@", "nAUC(measure=nAUC(measure=AP))", "Robustness(sep=',')@1", "Robustness(sep=' ')@1", "IPrec@-0", "RBP(p=1e-320)"} {
		f.Add(odd)
	}
	f.Fuzz(func(t *testing.T, name string) {
		testkit.Small.Within(t, len(name), func() {
			m, err := Parse(name)
			if err != nil {
				return
			}
			again, err := Parse(m.String())
			if err != nil || again != m {
				t.Errorf("%q parses and prints %q, which parses as %#v, %v", name, m.String(), again, err)
			}
		})
	})
}
