package training

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"infbench/internal/nearest"
	"infbench/training/setting"
)

// Modifiers act on the candidates of a loss, whatever its form and terms: which
// negatives are left out and which are made harder, whose judgment a row follows, and
// how wide vectors are. The zero value changes nothing.
type Modifiers struct {
	False      FalseNegatives
	Hardness   Hardness
	Focal      float64 // a row's loss of -log pi weighs (1-pi)^Focal, without gradient through the weight
	Spread     float64 // weight of the spread-out regulariser; see spreadOut
	Distill    Distill
	Matryoshka Matryoshka
}

// FalseNegatives says which negatives are left out because they may be answers.
type FalseNegatives struct {
	Equal    bool    // those that read as the row's own, in every term; of the preset
	Guide    string  // whose cosines tell more of them: "", Self, or a model
	Margin   float64 // a negative goes where its cosine is above the positive's less this,
	Relative bool    // or less this share of the positive's
	Own      bool    // those of the row's own record go, too
}

// Self is the guide of a model that judges its own negatives.
const Self = "self"

// Hardness adds Alpha times its cosine to the score of a negative, without gradient
// (LLaVE, arXiv 2503.04812); in the term ST to none.
type Hardness struct {
	Alpha float64 `yaml:"alpha,omitempty" json:",omitempty"`
	On    Reach   `yaml:"on,omitempty" json:",omitempty"`
}

// Describe says what the fields of a Hardness are.
func (Hardness) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "alpha", Label: "hardness of negatives", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "score for a cosine of 1", Unsaid: "0: none", Meaning: "times its cosine is added to a negative's score, in all terms but ST", Source: "LLaVE (arXiv 2503.04812): 9; EmbeddingGemma (arXiv 2509.20354): 5"},
		{Name: "on", Label: "negatives made harder", Unsaid: "own", Meaning: "the negatives of a row's own record, those of others in the batch, or all", Source: "EmbeddingGemma (arXiv 2509.20354): own; LLaVE: all"},
	}
}

// Reach says on which negatives of a row something acts.
type Reach string

// ReachOwn are those of the row's own record, ReachBatch all others, ReachAll both.
// None stands for ReachOwn: there a poisoned text is.
const (
	ReachOwn   Reach = "own"
	ReachBatch Reach = "batch"
	ReachAll   Reach = "all"
)

// Distill is how a row follows a teacher, who scores a list of passages for it.
type Distill struct {
	Teacher     string // "", Taught, or a model, whose cosines are the scores
	Loss        Divergence
	List        List
	Share       float64 // of the distilled loss; the rest is the contrastive one's
	Temperature float64 // of the teacher; the student's is the objective's
}

// On says whether there is a teacher.
func (d Distill) On() bool { return d.Teacher != "" }

// Taught is the teacher whose scores the data holds.
const Taught = "scores"

// Divergence says how the scores of student and teacher are compared.
type Divergence string

// KL is sum_c T_c (ln T_c - ln S_c) over the softmaxes of both, without the factor of
// squared temperature that silences it beside a contrastive loss. MarginMSE is the mean
// over negatives of the squared difference between the margins by which the positive is
// ahead, the student's being of scaled cosines.
const (
	KL        Divergence = "kl"
	MarginMSE Divergence = "margin_mse"
)

// List says which passages a teacher scores for a row.
type List string

// OwnList is the positive and the mined negatives, RecordList the passages of the row's
// record, BatchList those of the batch.
const (
	OwnList    List = "own"
	RecordList List = "record"
	BatchList  List = "batch"
)

// Matryoshka takes a loss at several widths: of the first values of every vector,
// normalised again (arXiv 2205.13147). The losses are added up.
type Matryoshka struct {
	Dims    []int     `yaml:"dims,omitempty" json:",omitempty"`     // none: the full width alone
	Weights []float64 `yaml:"weights,omitempty" json:",omitempty"`  // of Dims; none: 1 each
	PerStep int       `yaml:"per_step,omitempty" json:",omitempty"` // widths that each batch draws; 0: all
}

// Describe says what the fields of a Matryoshka are.
func (Matryoshka) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "dims", Label: "widths trained", Paper: []string{"", "[]"}, Range: "[1,∞)", Unit: "values", Unsaid: "none", Meaning: "widths at which the loss is taken, and added up", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "weights", Label: "weights of the widths", Range: "[0,∞)", Unit: "weight", Unsaid: "1 each", Meaning: "weights of the widths, in their order", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "per_step", Label: "widths a batch", Range: "[0,∞)", Unit: "widths", Unsaid: "0: all", Meaning: "so many of the widths a batch, drawn", Source: "Sentence Transformers"},
	}
}

// Weight is that of the width at place i.
func (m Matryoshka) Weight(i int) float64 {
	if len(m.Weights) == 0 {
		return 1
	}
	return m.Weights[i]
}

// drawn says whether batches differ in the widths that they take.
func (m Matryoshka) drawn() bool { return m.PerStep > 0 && m.PerStep < len(m.Dims) }

// FalseNegativeConfig is FalseNegatives as a file has it. Margin is 0.05 and Relative
// true where they are not given: the best of NV-Retriever's ablation (arXiv 2407.15831).
type FalseNegativeConfig struct {
	Equal    Duplicates `yaml:"equal,omitempty" json:",omitempty"` // mask or keep; "": as the preset says
	Guide    string     `yaml:"guide,omitempty" json:",omitempty"`
	Margin   *float64   `yaml:"margin,omitempty" json:",omitempty"`
	Relative *bool      `yaml:"relative,omitempty" json:",omitempty"`
	Own      Duplicates `yaml:"own,omitempty" json:",omitempty"` // keep, the default, or mask
}

// Describe says what the fields of a FalseNegativeConfig are.
func (FalseNegativeConfig) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "equal", Label: "equal texts in a batch", Paper: []string{"", "keep"}, Unsaid: "mask, of fidelity paper and reference keep; plans spell it out where training data holds equal texts", Meaning: "texts that equal the row's own, in every term: left out, or kept as false negatives", Source: "Qwen3-Embedding (arXiv 2506.05176)"},
		{Name: "guide", Label: "who tells false negatives", Paper: []string{""}, Unsaid: "none", Meaning: "who tells others by the cosine of query and passage: self, the model that is trained, or a model that gives vectors", Source: "GISTEmbed (arXiv 2402.16829)"},
		{Name: "margin", Label: "margin of false negatives", Range: "(-∞,∞)", Unit: "cosine, or share of the positive's", Unsaid: "0.05", Meaning: "a negative is left out where the guide's cosine is above the positive's less this; -0.1 with relative false is Qwen3-Embedding's", Source: "NV-Retriever (arXiv 2407.15831)"},
		{Name: "relative", Label: "margin as a share of the positive's score", Unsaid: "true", Meaning: "the margin is a share of the positive's cosine", Source: "NV-Retriever (arXiv 2407.15831)"},
		{Name: "own", Label: "a row's own negatives under the guide", Unsaid: "keep", Meaning: "whether the guide may leave out (mask) what the row's own record calls negative: to a guide that reads no instructions these look like answers", Source: setting.Own},
	}
}

// DistillConfig is Distill as a file has it. Loss is kl, List record, Share 0.5 and
// Temperature 1 where they are not given.
type DistillConfig struct {
	Teacher     string     `yaml:"teacher,omitempty" json:",omitempty"`
	Loss        Divergence `yaml:"loss,omitempty" json:",omitempty"`
	List        List       `yaml:"list,omitempty" json:",omitempty"`
	Share       *float64   `yaml:"share,omitempty" json:",omitempty"`
	Temperature float64    `yaml:"temperature,omitempty" json:",omitempty"`
}

// Describe says what the fields of a DistillConfig are.
func (DistillConfig) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "teacher", Label: "teacher", Paper: []string{""}, Unsaid: "none", Meaning: "scores: those that the data holds in its field teacher_scores; or a model that gives vectors, whose cosines they are (temperature 0.05, say)", Source: setting.Own},
		{Name: "loss", Label: "distance to the teacher", Unsaid: "kl", Meaning: "how scores are compared: by the divergence of their softmaxes, or by margins", Source: "kl: arXiv 2010.11386; margin_mse: arXiv 2010.02666"},
		{Name: "list", Label: "passages the teacher scores", Unsaid: "record", Meaning: "passages that a row's scores are of: own, the row's with its mined negatives; record, those of its record; batch needs a teacher that is a model", Source: setting.Own},
		{Name: "share", Label: "share of distillation", Range: "[0,1]", Unit: "share of the loss", Unsaid: "0.5", Meaning: "weight of the teacher; 1 is distillation alone", Source: setting.Own},
		{Name: "temperature", Label: "temperature of the teacher", Range: "[0,∞)", Unit: "score", Unsaid: "1", Meaning: "what the teacher's scores are divided by; the student's is train.temperature", Source: setting.Own},
	}
}

// modifiers resolves what a configuration says of candidates but for equal texts.
func (c Config) modifiers() Modifiers {
	f, d := c.FalseNegatives, c.Distill
	m := Modifiers{
		False:    FalseNegatives{Guide: f.Guide, Margin: 0.05, Relative: true, Own: f.Own == Mask},
		Hardness: Hardness{c.Hardness.Alpha, cmp.Or(c.Hardness.On, ReachOwn)},
		Focal:    c.Focal, Spread: c.Spread,
		Distill:    Distill{d.Teacher, cmp.Or(d.Loss, KL), cmp.Or(d.List, RecordList), 0.5, cmp.Or(d.Temperature, 1)},
		Matryoshka: c.Matryoshka.sorted(),
	}
	if f.Margin != nil {
		m.False.Margin = *f.Margin
	}
	if f.Relative != nil {
		m.False.Relative = *f.Relative
	}
	if d.Share != nil {
		m.Distill.Share = *d.Share
	}
	return m
}

// leaveUsual says in one way what can be said in several, so that one thing has one
// identity: what says no more than nothing does is cleared, and the numbers of a guide
// and of a teacher stand where there is one.
func (c *Config) leaveUsual() {
	clear := func(usual bool, value *string) {
		if usual {
			*value = ""
		}
	}
	clear(c.FalseNegatives.Own == Keep, (*string)(&c.FalseNegatives.Own))
	clear(c.Hardness.On == ReachOwn, (*string)(&c.Hardness.On))
	clear(c.Distill.Loss == KL, (*string)(&c.Distill.Loss))
	clear(c.Distill.List == RecordList, (*string)(&c.Distill.List))
	m := c.modifiers()
	if m.False.Guide != "" {
		c.FalseNegatives.Margin, c.FalseNegatives.Relative = &m.False.Margin, &m.False.Relative
	}
	if m.Distill.On() {
		c.Distill.Share, c.Distill.Temperature = &m.Distill.Share, m.Distill.Temperature
	}
	c.Matryoshka = m.Matryoshka
	if w := &c.Matryoshka; len(w.Weights) == len(w.Dims) && !slices.ContainsFunc(w.Weights, func(v float64) bool { return v != 1 }) {
		w.Weights = nil
	}
	if w := &c.Matryoshka; w.PerStep == len(w.Dims) {
		w.PerStep = 0
	}
}

// sorted puts the widest first, each with its weight.
func (m Matryoshka) sorted() Matryoshka {
	if len(m.Weights) != 0 && len(m.Weights) != len(m.Dims) {
		return m // for Check to refuse
	}
	order := make([]int, len(m.Dims))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return m.Dims[b] - m.Dims[a] })
	out := Matryoshka{PerStep: m.PerStep}
	for _, i := range order {
		out.Dims = append(out.Dims, m.Dims[i])
		if len(m.Weights) > 0 {
			out.Weights = append(out.Weights, m.Weights[i])
		}
	}
	return out
}

// validateModifiers returns what is out of range in the settings of modifiers, each by
// itself.
func (c Config) validateModifiers() error {
	var errs refusals
	refuse := errs.when
	finiteFrom0 := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	f, d := c.FalseNegatives, c.Distill
	refuse(f.Margin != nil && !finite(*f.Margin), "false_negatives: margin %v: want a number", deref(f.Margin))
	refuse(!finiteFrom0(c.Hardness.Alpha), "hardness: alpha %v: want at least 0", c.Hardness.Alpha)
	refuse(d.Share != nil && !(*d.Share >= 0 && *d.Share <= 1), "distill: share %v: want a share, 0 to 1", deref(d.Share))
	refuse(!finiteFrom0(d.Temperature), "distill: temperature %v: want a number above 0, or 0 for 1", d.Temperature)
	refuse(!finiteFrom0(c.Focal), "focal %v: want at least 0", c.Focal)
	refuse(!finiteFrom0(c.Spread), "spread %v: want at least 0", c.Spread)
	refuse(c.Mined < 0, "negatives %d: want at least 0", c.Mined)
	refuse(c.Matryoshka.PerStep < 0, "matryoshka: per_step %d: want at least 0", c.Matryoshka.PerStep)
	for _, dim := range c.Matryoshka.Dims {
		refuse(dim < 1, "matryoshka: dims %d: want at least 1", dim)
	}
	for _, w := range c.Matryoshka.Weights {
		refuse(!finiteFrom0(w), "matryoshka: weights %v: want at least 0", w)
	}
	return errors.Join(append(errs,
		nearest.OneOf("treatment of equal texts", f.Equal, Mask, Keep), nearest.OneOf("treatment of equal instructions", c.Negatives.Equal, Mask, Keep), nearest.OneOf("treatment of own negatives", f.Own, Keep, Mask),
		nearest.OneOf("hardness: on", c.Hardness.On, ReachOwn, ReachBatch, ReachAll),
		nearest.OneOf("distill: loss", d.Loss, KL, MarginMSE), nearest.OneOf("distill: list", d.List, OwnList, RecordList, BatchList))...)
}

// CheckModifiers returns the settings of modifiers that need another one that is not
// there, or does not go with them. Validate leaves them be: a sweep sets them one by one.
func (c Config) CheckModifiers() error {
	var errs refusals
	refuse := errs.when
	f, d, m := c.FalseNegatives, c.Distill, c.Matryoshka
	refuse(f.Guide == "" && (f.Margin != nil || f.Relative != nil || f.Own != ""), "false_negatives: margin, relative or own without guide")
	refuse(f.Equal != "" && c.Negatives.Equal != "" && f.Equal != c.Negatives.Equal,
		"false_negatives: equal %s and instruction_negatives: equal %s: these are two names of one thing, give one", f.Equal, c.Negatives.Equal)
	refuse(c.Hardness.On != "" && c.Hardness.Alpha == 0, "hardness: on without alpha")
	refuse(d.Teacher == "" && (d.Loss != "" || d.List != "" || d.Share != nil || d.Temperature != 0), "distill: loss, list, share or temperature without teacher")
	refuse(d.Teacher != "" && d.List == OwnList && c.Mined == 0, "distill: list own without negatives: the list is a row's passage and its mined negatives")
	refuse(d.Teacher == Taught && d.List == BatchList, "distill: list batch with the scores of the data: they are of a row's own passages")
	refuse(len(m.Weights) > 0 && len(m.Weights) != len(m.Dims), "matryoshka: %d weights of %d dims", len(m.Weights), len(m.Dims))
	refuse(len(m.Weights) > 0 && !slices.ContainsFunc(m.Weights, func(w float64) bool { return w != 0 }), "matryoshka: weights %v: they leave nothing to train on", m.Weights)
	refuse(m.PerStep > len(m.Dims), "matryoshka: per_step %d of %d dims", m.PerStep, len(m.Dims))
	for i, dim := range m.Dims {
		refuse(slices.Contains(m.Dims[:i], dim), "matryoshka: dims holds %d twice", dim)
	}
	return errors.Join(errs...)
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
