package metrics

import (
	"regexp"
	"strings"
	"testing"
)

// TestExplain checks the one line on a measure that pages show.
func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"nDCG@10":                          "; here k = 10. Higher is better; shown ×100.",
		"AP@1000":                          "precision at each one's rank (0 if it is not retrieved, or not in the first k); here k = 1000. Higher",
		"IPrec@0.1":                        "Highest precision at or after the rank where round(x*R) relevant documents are found; here x = 0.1. Higher",
		"RprecMult(rel=2)@0.2":             "here x = 0.2. Higher",
		"nAUC(measure=nDCG@10,conf='max')": "the lead of the first ('diff1'). Higher",
		"FollowIR(measure=AP@1000,qrels='original')": "InF-IR paper). Higher",
		"alpha_nDCG(alpha=0.2)@20":                   "nDCG with the gain of a document",
		"RBPResidual":                                "p^retrieved plus",
		"Utility":                                    "a for each relevant document",
		"p-MRR":                                      "How far documents move in the direction that the changed instruction asks for: ",
		"Unjudged@5":                                 "Lower is better",
		"NumRet":                                     "Neither direction is better.",
		"own score":                                  "",
		"nDCG(rel=2)@5":                              "",
	} {
		got := Explain(name)
		if !strings.Contains(got, want) || (name == "own score") != (got == "") || strings.ContainsAny(got, "\n") {
			t.Errorf("%s: %q, want %q in it", name, got, want)
		}
	}
}

// TestAddresses: each address is one of a paper or of a repository, and papers with an arXiv number
// in their source have it.
func TestAddresses(t *testing.T) {
	form := regexp.MustCompile(`^https://(arxiv\.org/abs/\d{4}\.\d{5}|doi\.org/10\.1145/\d+\.\d+|github\.com/[\w-]+/[\w-]+)$`)
	number := regexp.MustCompile(`arXiv (\d{4}\.\d{5})`)
	for _, f := range Families() {
		if f.Address != "" && !form.MatchString(f.Address) {
			t.Errorf("%s: address %q", f.Name, f.Address)
		}
		if m := number.FindStringSubmatch(f.Source); m != nil && !strings.HasSuffix(f.Address, m[1]) {
			t.Errorf("%s: address %q, want arXiv %s", f.Name, f.Address, m[1])
		}
	}
}
