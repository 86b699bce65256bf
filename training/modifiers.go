package training

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"infbench/internal/nearest"
	"infbench/training/setting"
)

// Modifiers act on the candidates of a loss of any form and terms: they select the negatives to
// leave out and to make harder, the teacher of a row, and the width of vectors. The zero value
// changes nothing.
type Modifiers struct {
	False      FalseNegatives
	Hardness   Hardness
	Focal      float64 // a row's loss of -log pi weighs (1-pi)^Focal, without gradient through the weight
	Spread     float64 // weight of the spread-out regulariser; see spreadOut
	Distill    Distill
	Matryoshka Matryoshka
}

// FalseNegatives selects the negatives to leave out because they may be answers.
type FalseNegatives struct {
	Equal    bool    // leave out texts equal to the row's own, in every term; the preset sets the default
	Guide    string  // the model whose cosines find more of them: "", Self, or a model
	Margin   float64 // a negative is left out if its cosine is above the positive's less this,
	Relative bool    // or less this share of the positive's
	Own      bool    // also leave out negatives of the row's own record
}

// Self is the guide of a model that judges its own negatives.
const Self = "self"

// Hardness adds Alpha times its cosine to the score of a negative, without gradient (LLaVE, arXiv
// 2503.04812). It does not apply to the term ST.
type Hardness struct {
	Alpha float64 `yaml:"alpha,omitempty" json:",omitempty"`
	On    Reach   `yaml:"on,omitempty" json:",omitempty"`
}

// Describe describes the fields of a Hardness.
func (Hardness) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "alpha", Label: "hardness of negatives", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "score for a cosine of 1", Unsaid: "0: none", Meaning: "a negative's score is raised by this times its cosine, in all terms except ST", Source: "LLaVE (arXiv 2503.04812): 9; EmbeddingGemma (arXiv 2509.20354): 5"},
		{Name: "on", Label: "negatives made harder", Unsaid: "own", Meaning: "the negatives of a row's own record, those of others in the batch, or all", Source: "EmbeddingGemma (arXiv 2509.20354): own; LLaVE: all"},
	}
}

// Reach selects the negatives of a row that a modifier acts on.
type Reach string

// ReachOwn selects the negatives of the row's own record, ReachBatch all others, ReachAll both.
// Empty means ReachOwn: the record holds the poisoned text.
const (
	ReachOwn   Reach = "own"
	ReachBatch Reach = "batch"
	ReachAll   Reach = "all"
)

// Distill makes a row follow a teacher, which scores a list of passages for it.
type Distill struct {
	Teacher     string // "", Taught, or a model, which scores by its cosines
	Loss        Divergence
	List        List
	Share       float64   // weight of the distilled loss; the contrastive loss gets the rest
	Temperature float64   // the teacher's temperature, for KL; the student uses the objective's
	Weights     Weighting // of ListMLE: Unweighted or PList
	MinMax      bool      // the student's scores of each row are moved to the range 0 to 1 first
}

// On reports whether there is a teacher.
func (d Distill) On() bool { return d.Teacher != "" }

// Taught is the teacher whose scores are in the data.
const Taught = "scores"

// Divergence is the way in which the scores of student and teacher are compared.
type Divergence string

// KL is sum_c T_c (ln T_c - ln S_c) over the softmaxes of both, without the factor of squared
// temperature, which would make it too small next to a contrastive loss; apart from the teacher's
// entropy it is ListNet. MarginMSE is the mean over negatives of the squared difference between
// the two margins of the positive, and MSE the mean over passages of the squared difference of the
// scores; the student's are scaled ones. The others follow the teacher's order only: ListMLE is
// -log of the probability of that order (Xia and others 2008; PListMLE with the weights PList),
// ADRMSE compares ranks with smooth ranks (arXiv 2405.07920), and PairLoss is RankNet with the
// teacher's scores as grades.
const (
	KL        Divergence = "kl"
	MarginMSE Divergence = "margin_mse"
	MSE       Divergence = "mse"
	ListMLE   Divergence = "list_mle"
	ADRMSE    Divergence = "adr_mse"
	PairLoss  Divergence = "pair"
)

// List is the list of passages that a teacher scores for a row.
type List string

// OwnList is the positive and the mined negatives, RecordList the passages of the row's record,
// BatchList the passages of the batch.
const (
	OwnList    List = "own"
	RecordList List = "record"
	BatchList  List = "batch"
)

// Matryoshka takes a loss at several widths: the first values of every vector, normalised again
// (arXiv 2205.13147). The losses are added up.
type Matryoshka struct {
	Dims    []int     `yaml:"dims,omitempty" json:",omitempty"`     // none: the full width alone
	Weights []float64 `yaml:"weights,omitempty" json:",omitempty"`  // one for each of Dims; none: 1 each
	PerStep int       `yaml:"per_step,omitempty" json:",omitempty"` // widths that each batch draws; 0: all
}

// Describe describes the fields of a Matryoshka.
func (Matryoshka) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "dims", Label: "widths trained", Paper: []string{"", "[]"}, Range: "[1,∞)", Unit: "values", Unsaid: "none", Meaning: "widths at which the loss is computed; the losses are added up", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "weights", Label: "weights of the widths", Range: "[0,∞)", Unit: "weight", Unsaid: "1 each", Meaning: "weights of the widths, in their order", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "per_step", Label: "widths a batch", Range: "[0,∞)", Unit: "widths", Unsaid: "0: all", Meaning: "number of widths that each batch draws", Source: "Sentence Transformers"},
	}
}

// Weight is the weight of the width at index i.
func (m Matryoshka) Weight(i int) float64 {
	if len(m.Weights) == 0 {
		return 1
	}
	return m.Weights[i]
}

// drawn reports whether batches draw a subset of the widths.
func (m Matryoshka) drawn() bool { return m.PerStep > 0 && m.PerStep < len(m.Dims) }

// FalseNegativeConfig is the file form of FalseNegatives. Margin defaults to 0.05 and Relative to
// true, the best of NV-Retriever's ablation (arXiv 2407.15831).
type FalseNegativeConfig struct {
	Equal    Duplicates `yaml:"equal,omitempty" json:",omitempty"` // mask or keep; "": as the preset sets it
	Guide    string     `yaml:"guide,omitempty" json:",omitempty"`
	Margin   *float64   `yaml:"margin,omitempty" json:",omitempty"`
	Relative *bool      `yaml:"relative,omitempty" json:",omitempty"`
	Own      Duplicates `yaml:"own,omitempty" json:",omitempty"` // keep, the default, or mask
}

// Describe describes the fields of a FalseNegativeConfig.
func (FalseNegativeConfig) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "equal", Label: "equal texts in a batch", Paper: []string{"", "keep"}, Unsaid: "mask, of fidelity paper and reference keep; plans write it out if training data holds equal texts", Meaning: "texts that equal the row's own, in every term: left out, or kept as false negatives", Source: "Qwen3-Embedding (arXiv 2506.05176)"},
		{Name: "guide", Label: "guide that finds false negatives", Paper: []string{""}, Unsaid: "none", Meaning: "guide that finds other false negatives by the cosine of query and passage: self (the model in training) or another embedding model", Source: "GISTEmbed (arXiv 2402.16829)"},
		{Name: "margin", Label: "margin of false negatives", Range: "(-∞,∞)", Unit: "cosine, or share of the positive's", Unsaid: "0.05", Meaning: "a negative is left out if the guide's cosine exceeds the positive's minus this; Qwen3-Embedding uses -0.1 with relative false", Source: "NV-Retriever (arXiv 2407.15831)"},
		{Name: "relative", Label: "margin as a share of the positive's score", Unsaid: "true", Meaning: "the margin is a share of the positive's cosine", Source: "NV-Retriever (arXiv 2407.15831)"},
		{Name: "own", Label: "a row's own negatives under the guide", Unsaid: "keep", Meaning: "whether the guide may leave out (mask) the negatives of the row's own record; a guide that ignores instructions takes them for answers", Source: setting.Own},
	}
}

// Scaling is a change of a student's scores before they are compared with a teacher's.
type Scaling string

// The scalings; empty means Unscaled.
const (
	Unscaled Scaling = "none"
	MinMax   Scaling = "minmax" // see Distill.MinMax
)

// DistillConfig is the file form of Distill. Loss defaults to kl, List to record, Share to 0.5
// and Temperature to 1.
type DistillConfig struct {
	Teacher     string     `yaml:"teacher,omitempty" json:",omitempty"`
	Loss        Divergence `yaml:"loss,omitempty" json:",omitempty"`
	List        List       `yaml:"list,omitempty" json:",omitempty"`
	Share       *float64   `yaml:"share,omitempty" json:",omitempty"`
	Temperature float64    `yaml:"temperature,omitempty" json:",omitempty"`
	Weights     Weighting  `yaml:"weights,omitempty" json:",omitempty"`
	Scale       Scaling    `yaml:"scale,omitempty" json:",omitempty"`
}

// Describe describes the fields of a DistillConfig.
func (DistillConfig) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "teacher", Label: "teacher", Paper: []string{""}, Unsaid: "none", Meaning: "scores (the field teacher_scores of the data), or an embedding model, whose cosines are the scores (with a temperature such as 0.05)", Source: setting.Own},
		{Name: "loss", Label: "distance to the teacher", Unsaid: "kl", Meaning: "how scores are compared: by the divergence of their softmaxes (kl), by margins (margin_mse), as they are (mse), or by the teacher's order alone (list_mle, adr_mse, pair)", Source: "kl: arXiv 2010.11386; margin_mse: arXiv 2010.02666; list_mle: Xia and others 2008; adr_mse: arXiv 2405.07920; pair: RankNet"},
		{Name: "list", Label: "passages the teacher scores", Unsaid: "record", Meaning: "passages scored for a row: own (its passage and its mined negatives), record (the passages of its record), or batch (needs a model as teacher)", Source: setting.Own},
		{Name: "share", Label: "share of distillation", Range: "[0,1]", Unit: "share of the loss", Unsaid: "0.5", Meaning: "weight of the teacher; 1 is distillation only", Source: setting.Own},
		{Name: "temperature", Label: "temperature of the teacher", Range: "[0,∞)", Unit: "score", Unsaid: "1", Meaning: "divisor of the teacher's scores in kl; the student uses train.temperature", Source: setting.Own},
		{Name: "weights", Label: "weights of ranks", Paper: []string{""}, Unsaid: "none", Meaning: "weights of ranks in list_mle: none, or plist, 2^(candidates - rank) - 1 over their sum", Source: "PListMLE (Lan and others 2014)"},
		{Name: "scale", Label: "scale of the student's scores", Paper: []string{""}, Unsaid: "none", Meaning: "minmax moves the student's scores of a row to the range 0 to 1 before they are compared", Source: "PyLate's Distillation"},
	}
}

// modifiers resolves the settings of modifiers except Equal.
func (c Config) modifiers() Modifiers {
	f, d := c.FalseNegatives, c.Distill
	m := Modifiers{
		False:    FalseNegatives{Guide: f.Guide, Margin: 0.05, Relative: true, Own: f.Own == Mask},
		Hardness: Hardness{c.Hardness.Alpha, cmp.Or(c.Hardness.On, ReachOwn)},
		Focal:    c.Focal, Spread: c.Spread,
		Distill: Distill{
			Teacher: d.Teacher, Loss: cmp.Or(d.Loss, KL), List: cmp.Or(d.List, RecordList), Share: 0.5, Temperature: cmp.Or(d.Temperature, 1),
			Weights: d.Weights, MinMax: d.Scale == MinMax,
		},
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

// leaveUsual brings equivalent settings into one form, so that they have one identity. It clears
// values that equal the default. If there is a guide or a teacher, it writes out their numbers.
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
	clear(c.Distill.Weights == Unweighted, (*string)(&c.Distill.Weights))
	clear(c.Distill.Scale == Unscaled, (*string)(&c.Distill.Scale))
	clear(c.Candidates == WithinBatch, (*string)(&c.Candidates))
	c.Couples.leaveUsual()
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
		return m // Check returns the error
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

// validateModifiers returns every modifier setting that is out of range on its own.
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
	refuse(c.Couples.K < 0, "pair: k %d: want at least 1, or 0 for all", c.Couples.K)
	refuse(!finiteFrom0(c.Couples.Mu), "pair: mu %v: want a number above 0, or 0 for 10", c.Couples.Mu)
	refuse(!finiteFrom0(c.Couples.Sigma), "pair: sigma %v: want a number above 0, or 0 for 1", c.Couples.Sigma)
	refuse(slices.Contains(lambdaWeights, d.Weights), "distill: weights %s: the scores of a teacher are not grades, so they have no gains: want none, or plist with loss list_mle", d.Weights)
	refuse(c.Matryoshka.PerStep < 0, "matryoshka: per_step %d: want at least 0", c.Matryoshka.PerStep)
	var distillWeights error
	if !slices.Contains(lambdaWeights, d.Weights) {
		distillWeights = nearest.OneOf("distill: weights", d.Weights, Unweighted, PList)
	}
	for _, dim := range c.Matryoshka.Dims {
		refuse(dim < 1, "matryoshka: dims %d: want at least 1", dim)
	}
	for _, w := range c.Matryoshka.Weights {
		refuse(!finiteFrom0(w), "matryoshka: weights %v: want at least 0", w)
	}
	return errors.Join(append(errs,
		nearest.OneOf("treatment of equal texts", f.Equal, Mask, Keep), nearest.OneOf("treatment of equal instructions", c.Negatives.Equal, Mask, Keep), nearest.OneOf("treatment of own negatives", f.Own, Keep, Mask),
		nearest.OneOf("hardness: on", c.Hardness.On, ReachOwn, ReachBatch, ReachAll),
		nearest.OneOf("distill: loss", d.Loss, KL, MarginMSE, MSE, ListMLE, ADRMSE, PairLoss), nearest.OneOf("distill: list", d.List, OwnList, RecordList, BatchList),
		nearest.OneOf("distill: scale", d.Scale, Unscaled, MinMax), distillWeights, c.Candidates.Check(),
		nearest.OneOf("pair: weights", c.Couples.Weights, append([]Weighting{Unweighted}, lambdaWeights...)...))...)
}

// lambdaWeights are the schemes of LambdaLoss.
var lambdaWeights = []Weighting{LambdaRank, NDCG2, NDCG2PP}

// CheckModifiers returns the settings of modifiers that lack another setting they need, or
// contradict one. Validate accepts such settings, because a sweep sets them one by one.
func (c Config) CheckModifiers() error {
	var errs refusals
	refuse := errs.when
	f, d, m := c.FalseNegatives, c.Distill, c.Matryoshka
	refuse(f.Guide == "" && (f.Margin != nil || f.Relative != nil || f.Own != ""), "false_negatives: margin, relative or own without guide")
	refuse(f.Equal != "" && c.Negatives.Equal != "" && f.Equal != c.Negatives.Equal,
		"false_negatives: equal %s and instruction_negatives: equal %s: these are two names of one setting, give one", f.Equal, c.Negatives.Equal)
	refuse(c.Hardness.On != "" && c.Hardness.Alpha == 0, "hardness: on without alpha")
	refuse(d.Teacher == "" && d != (DistillConfig{}), "distill: weights, scale, loss, list, share or temperature without teacher")
	refuse(d.Weights == PList && d.Loss != ListMLE, "distill: weights %s without loss list_mle", d.Weights)
	refuse(c.Couples.Mu != 0 && c.Couples.Weights != NDCG2PP, "pair: mu %v without weights ndcg2pp", c.Couples.Mu)
	refuse(c.Candidates.narrow() && c.Negatives != (NegativeConfig{Equal: c.Negatives.Equal}), "instruction_negatives: scope, divisor or own_hard with candidates %s, which selects the instructions itself", c.Candidates)
	refuse(d.Teacher != "" && d.List == OwnList && c.Mined == 0, "distill: list own without negatives: the list is a row's passage and its mined negatives")
	refuse(d.Teacher == Taught && d.List == BatchList, "distill: list batch needs a model as teacher: the scores of the data cover a row's own passages only")
	refuse(len(m.Weights) > 0 && len(m.Weights) != len(m.Dims), "matryoshka: %d weights of %d dims", len(m.Weights), len(m.Dims))
	refuse(len(m.Weights) > 0 && !slices.ContainsFunc(m.Weights, func(w float64) bool { return w != 0 }), "matryoshka: weights %v: at least one must be above 0", m.Weights)
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
