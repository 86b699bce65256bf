package verify

import (
	"testing"

	"infbench/reports"
	"infbench/reports/claims"
	"infbench/runners/results"
)

func build(t *testing.T, o reports.Options, exps ...*results.Experiment) *reports.Report {
	t.Helper()
	r, err := reports.Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// claimsOf are claims on tiny and on a study, one for each possible verdict.
func claimsOf(t *testing.T) *claims.File {
	t.Helper()
	f, err := claims.Parse("claims.yaml", []byte(`paper: {title: "A paper", url: "https://example.org"}
sweep: tiny.yaml
claims:
  - {id: gain, says: training helps, where: section 1, test: better, measure: p-MRR, on: pairs, system: {kind: trained}, against: {model: untrained}, pair: []}
  - {id: best, says: one loss is best, test: best, measure: AP@1000, side: original, on: pairs, system: {loss: uni(P)}, each: design.pooling}
  - {id: kappa, says: people agree, test: higher, study: agreement, measure: Cohen's kappa, system: {of: a}, than: 0.1, command: infbench data agreement}
  - {id: missing, says: more helps, test: better, measure: p-MRR, on: elsewhere, system: {form: multi}, against: {form: uni}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
