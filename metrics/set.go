package metrics

// SetP is the precision of all retrieved documents, 0 if none is retrieved. trec_eval's set_P.
type SetP struct{ Rel int }

var setPFamily = Family{
	Name: "SetP", Aliases: []string{"set_P"}, Forms: "SetP, SetP(rel=2)",
	Definition: "relevant documents retrieved, divided by documents retrieved",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval set_P", Address: trecEval,
	make: func(a *arguments) Measure { return SetP{Rel: a.rel()} },
}

func (m SetP) String() string { return spell("SetP", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m SetP) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	return ratio(s.both, s.retrieved), ok
}

// SetR is the recall of all retrieved documents, 0 if none is relevant. trec_eval's set_recall.
type SetR struct{ Rel int }

var setRFamily = Family{
	Name: "SetR", Aliases: []string{"set_recall"}, Forms: "SetR, SetR(rel=2)",
	Definition: "relevant documents retrieved, divided by relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval set_recall", Address: trecEval,
	make: func(a *arguments) Measure { return SetR{Rel: a.rel()} },
}

func (m SetR) String() string { return spell("SetR", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m SetR) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	return ratio(s.both, s.relevant), ok
}

// SetF is the weighted harmonic mean (Beta+1)PR/(Beta*P+R) of SetP and SetR.
// trec_eval's set_F, whose Beta is not squared.
type SetF struct {
	Beta float64
	Rel  int
}

var setFFamily = Family{
	Name: "SetF", Aliases: []string{"set_F"}, Forms: "SetF, SetF(beta=2), SetF(rel=2)",
	Definition: "(beta+1)PR/(beta*P+R) of set precision P and set recall R; beta is 1 by default and is not squared",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval set_F; van Rijsbergen 1979", Address: trecEval,
	make: func(a *arguments) Measure { return SetF{Beta: a.number("beta", 1, 0, 1e6), Rel: a.rel()} },
}

func (m SetF) String() string {
	return spell("SetF", 0, numberOption("beta", m.Beta, 1), relOption(m.Rel))
}

// Score implements Measure.
func (m SetF) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	p, r := ratio(s.both, s.retrieved), ratio(s.both, s.relevant)
	return ratio((m.Beta+1)*p*r, m.Beta*p+r), ok
}

// SetAP is SetP times SetR. trec_eval's set_map.
type SetAP struct{ Rel int }

var setAPFamily = Family{
	Name: "SetAP", Aliases: []string{"set_map"}, Forms: "SetAP, SetAP(rel=2)",
	Definition: "set precision times set recall",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval set_map", Address: trecEval,
	make: func(a *arguments) Measure { return SetAP{Rel: a.rel()} },
}

func (m SetAP) String() string { return spell("SetAP", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m SetAP) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	return ratio(s.both*s.both, s.retrieved*s.relevant), ok
}

// SetRelativeP is SetP relative to the best value for this number of retrieved documents.
// trec_eval's set_relative_P.
type SetRelativeP struct{ Rel int }

var setRelativePFamily = Family{
	Name: "SetRelativeP", Aliases: []string{"set_relative_P"}, Forms: "SetRelativeP",
	Definition: "relevant documents retrieved, divided by the smaller of documents retrieved and relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval set_relative_P", Address: trecEval,
	make: func(a *arguments) Measure { return SetRelativeP{Rel: a.rel()} },
}

func (m SetRelativeP) String() string { return spell("SetRelativeP", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m SetRelativeP) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	return ratio(s.both, min(s.retrieved, s.relevant)), ok
}

// RelativeP is P@K relative to the best value for K documents. trec_eval's relative_P.
type RelativeP struct{ K, Rel int }

var relativePFamily = Family{
	Name: "RelativeP", Aliases: []string{"relative_P"}, Forms: "RelativeP@k",
	Definition: "relevant documents in the first k, divided by the smaller of k and all relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval relative_P", Address: trecEval,
	make: func(a *arguments) Measure { return RelativeP{K: a.needDepth(), Rel: a.rel()} },
}

func (m RelativeP) String() string { return spell("RelativeP", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m RelativeP) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	best := min(m.K, r.relevant(level))
	return ratio(float64(hits(r.top(m.K), level)), float64(best)), true
}

// Utility is a weighted sum over the contingency table of retrieval: A for each relevant document
// retrieved, B for each other document retrieved, C for each relevant document missed. trec_eval's
// utility with its fourth weight 0.
type Utility struct {
	A, B, C float64
	Rel     int
}

var utilityFamily = Family{
	Name: "Utility", Forms: "Utility, Utility(a=2,b=-1,c=0)",
	Definition: "a for each relevant document retrieved, b for each other one retrieved, c for each relevant one missed; 1, -1, 0 by default",
	Range:      "(-inf,inf)", Direction: Higher, Count: true, Source: "trec_eval utility", Address: trecEval,
	make: func(a *arguments) Measure {
		weight := func(key string, fallback float64) float64 { return a.number(key, fallback, -1e6, 1e6) }
		return Utility{weight("a", 1), weight("b", -1), weight("c", 0), a.rel()}
	},
}

func (m Utility) String() string {
	return spell("Utility", 0, numberOption("a", m.A, 1), numberOption("b", m.B, -1), numberOption("c", m.C, 0), relOption(m.Rel))
}

// Score implements Measure.
func (m Utility) Score(c *Case) (float64, bool) {
	s, ok := setOf(c, m.Rel)
	return m.A*s.both + m.B*(s.retrieved-s.both) + m.C*(s.relevant-s.both), ok
}

// direction compares the worth of retrieving a relevant document with that of retrieving another
// one. With a=0, b=1 and c=1 the measure counts errors, so fewer are better.
func (m Utility) direction() Direction {
	switch worth := m.A - m.B - m.C; {
	case worth > 0:
		return Higher
	case worth < 0:
		return Lower
	}
	return Neither
}

// set holds the sizes of the retrieved set, the relevant set and their intersection.
type set struct{ retrieved, relevant, both float64 }

// setOf counts a case's sets; ok is false without judgments.
func setOf(c *Case, rel int) (s set, ok bool) {
	r, ok := c.relevance()
	if !ok {
		return set{}, false
	}
	level := c.level(rel)
	return set{float64(len(r.grades)), float64(r.relevant(level)), float64(hits(r.grades, level))}, true
}
