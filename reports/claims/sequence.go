package claims

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// bySequence limits a verdict that came without a test, from an active sweep that stated the claim
// before it began and decided it over all its looks.
const bySequence = "by its sequence"

// Sequence decides a claim in place of a test. A test is not valid for an active sweep, since the
// sweep chose cells by their results. It is the least favourable comparison of the sweep's own
// sequence.
type Sequence struct {
	Difference stats.Number   // between the sides, with the sign of the tests
	Limits     stats.Interval // at all looks, simultaneous over all comparisons of the sequence
}

// bySequences takes the verdicts of claims that cannot be tested from sweeps that stated this very
// file. If such a sweep leaves a claim undecided, only that is listed as missing.
func (d *Judged) bySequences(found Found) {
	for _, log := range found.Sequences {
		sum := sha256.Sum256([]byte(log.Text))
		if hex.EncodeToString(sum[:]) != d.File.Hash() {
			continue
		}
		_, verdicts := log.Verdicts()
		for _, j := range d.Judgements {
			if j.Verdict != NotRun || j.Of != "" {
				continue
			}
			v, compared := verdicts[j.Claim.ID]
			switch {
			case compared && Verdict(v) == NotShown && log.Stop() == "":
				j.Missing = []string{"its sweep, which chooses cells by their results, has not ended"}
			case compared:
				j.Verdict = Verdict(v)
				j.decidedBy(log, found.Set)
			case log.Last() != nil:
				j.leftBy(log.Last())
			}
		}
	}
}

// decidedBy takes the verdict and numbers from a sequence.
func (j *Judgement) decidedBy(log *results.ActiveLog, v *scores.Set) {
	j.Scope, j.Missing = bySequence, nil
	j.Notes = []string{fmt.Sprintf("its sweep chose cells by their results, stated this claim before it began and decided it after %d cells; at most %v %% of such sweeps give any false verdict", log.Last().Done, 100*log.Alpha)}
	var worst *results.ActiveStanding
	for _, s := range log.Standings() {
		if s.Claim == j.Claim.ID && (worst == nil || weaker(&s, worst)) {
			worst = &s
		}
	}
	j.Rival, j.Sequence = worst.Against, &Sequence{}
	on, why := j.Claim.numberOf(v)
	if why != "" || worst.Looks == 0 {
		return
	}
	lead := j.Claim.Test.lead(on.Direction(), 1) // a sequence's values are positive where the claim holds
	j.Sequence.Difference = stats.Defined(lead * worst.Value)
	if worst.Low != nil && worst.High != nil {
		ends := []float64{lead * *worst.Low, lead * *worst.High}
		j.Sequence.Limits = stats.Interval{Low: slices.Min(ends), High: slices.Max(ends), Level: 1 - log.Alpha}
	}
}

// leftBy gives the reason why a sequence does not decide a claim.
func (j *Judgement) leftBy(last *results.ActiveRound) {
	j.Missing = []string{contrast.Chosen}
	for _, left := range last.Left {
		if why, its := strings.CutPrefix(left, j.Claim.ID+": "); its {
			j.Missing = append(j.Missing, "it does not decide this one: "+why)
		}
	}
}

// weaker reports whether a claim fares worse in comparison a than in b.
func weaker(a, b *results.ActiveStanding) bool {
	rank := map[string]int{"below": -1, "above": 1}
	if rank[a.Side] != rank[b.Side] {
		return rank[a.Side] < rank[b.Side]
	}
	return a.Value < b.Value
}
