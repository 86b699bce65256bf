package metrics

// FollowIR is the score of FollowIR: a measure of the ranking under the original instruction,
// AP@1000 on Robust04 and Core17 and nDCG@5 on News21. The name includes the judgments used,
// because two conventions exist whose values differ by large amounts: mteb 1.x and the InF-IR paper
// used the changed judgments (mteb 1.x loaded the two files the wrong way round), mteb 2.x uses the
// original ones.
type FollowIR struct {
	Of      Measure
	Changed bool // scored with the changed judgments
}

// followIRFamily is a function because its make parses the measure, which reads the list of
// families.
func followIRFamily() Family {
	return Family{
		Name: "FollowIR", Forms: "FollowIR(measure=AP@1000,qrels='original'), FollowIR(measure=nDCG@5,qrels='changed')",
		Definition: "the measure of the ranking under the original instruction, against the original judgments (mteb 2.x) or the changed ones (mteb 1.x, InF-IR paper)",
		Range:      "that of the measure", Direction: Higher, Pairs: true, Source: "Weller et al. 2024, FollowIR; mteb 1.18 and 2.20", Address: "https://arxiv.org/abs/2403.15246",
		make: func(a *arguments) Measure {
			qrels, given := a.take("qrels")
			if !given || qrels != "original" && qrels != "changed" {
				a.fail("needs qrels='original' or qrels='changed'")
			}
			return FollowIR{Of: a.measure("measure", ""), Changed: qrels == "changed"}
		},
	}
}

func (m FollowIR) String() string {
	qrels := "original"
	if m.Changed {
		qrels = "changed"
	}
	return spell("FollowIR", 0, "measure="+m.Of.String(), "qrels='"+qrels+"'")
}

// direction returns that of the inner measure.
func (m FollowIR) direction() Direction { return familyDirection(m.Of) }

// Score implements Measure. It is undefined without the ranking under the
// original instruction or the judgments asked for.
func (m FollowIR) Score(c *Case) (float64, bool) {
	if len(c.Before) == 0 {
		return 0, false
	}
	judgments := c.BeforeJudgments
	if m.Changed {
		judgments = c.Judgments
	}
	return m.Of.Score(&Case{Query: c.Query, Judgments: judgments, Ranking: c.Before, Level: c.Level})
}
