package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Funnel counts the records that reached each stage, and those dropped there by reason.
type Funnel struct {
	Stages    []Level    `json:"stages"`
	Kept      int        `json:"kept"`
	Cut       int        `json:"cut"` // texts truncated after their first line
	Asked     []Asked    `json:"asked"`
	Injected  []Injected `json:"injected,omitempty"`
	ByPoison  []Share    `json:"by_poison"`
	Synthetic bool       `json:"synthetic"` // texts were written by rules
}

// Level is one stage of a funnel.
type Level struct {
	Stage Stage  `json:"stage"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	Fell  []Fell `json:"fell"`
}

// Fell counts the records dropped for one reason.
type Fell struct {
	Why     string `json:"why"`
	Kind    Kind   `json:"kind"`
	Records int    `json:"records"`
}

// Share counts the outcomes of a poison's records.
type Share struct {
	Poison Poison `json:"poison"`
	Kind   Kind   `json:"kind"`
	Judged int    `json:"judged"`
	Kept   int    `json:"kept"`
}

// Asked is the usage of one author or judge.
type Asked struct {
	By     string         `json:"by"`
	Model  string         `json:"model"`
	Part   Part           `json:"part"`
	N      int            `json:"questions"`
	Failed map[string]int `json:"failed,omitempty"` // unusable answers by class: refused, malformed...
	Input  int            `json:"input_tokens"`
	Output int            `json:"output_tokens"`
	Cost   float64        `json:"cost"`
}

// newFunnel counts the records of all stages.
func newFunnel(made map[Stage][]Record, questions []Question, kept map[string]bool, by string) *Funnel {
	f := &Funnel{Kept: len(kept), Injected: injections(questions)}
	for _, s := range Stages()[:len(Stages())-1] {
		level := Level{Stage: s, In: len(made[s]), Out: len(standing(made[s])), Fell: []Fell{}}
		for i := range made[s] {
			if r := &made[s][i]; r.Fell != "" {
				level.fell(r.Fell, r.Kind)
			}
		}
		f.Stages = append(f.Stages, level.sorted())
	}
	for i := range made[Filtered] {
		f.Cut += len(made[Filtered][i].Cut)
		f.Synthetic = f.Synthetic || made[Filtered][i].Synthetic
	}
	f.judged(made, questions, kept, by)
	f.asked(made, questions)
	return f
}

func (l *Level) fell(why string, kind Kind) {
	i := slices.IndexFunc(l.Fell, func(f Fell) bool { return f.Why == why && f.Kind == kind })
	if i < 0 {
		l.Fell, i = append(l.Fell, Fell{Why: why, Kind: kind}), len(l.Fell)
	}
	l.Fell[i].Records++
}

// sorted returns the level with its most frequent reasons first.
func (l Level) sorted() Level {
	slices.SortStableFunc(l.Fell, func(a, b Fell) int {
		return cmp.Or(b.Records-a.Records, strings.Compare(a.Why, b.Why), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return l
}

// judged counts the records that the judges kept. Any other record counts under the first scenario
// with a wrong answer.
func (f *Funnel) judged(made map[Stage][]Record, questions []Question, kept map[string]bool, by string) {
	wrong := map[string]Scenario{}
	for i := range questions {
		q := &questions[i]
		if _, known := wrong[q.Record]; !known && !q.AnsweredRight(by) {
			wrong[q.Record] = q.Scenario
		}
	}
	level := Level{Stage: Judged, Fell: []Fell{}}
	for _, r := range standing(made[Filtered]) {
		level.In++
		if kept[r.ID] {
			level.Out++
		} else {
			level.fell("another passage chosen for "+string(wrong[r.ID]), r.Kind)
		}
		f.share(&r, kept[r.ID])
	}
	f.Stages = append(f.Stages, level.sorted())
	slices.SortFunc(f.ByPoison, func(a, b Share) int {
		return cmp.Or(slices.Index(Poisons(), a.Poison)-slices.Index(Poisons(), b.Poison), strings.Compare(string(a.Kind), string(b.Kind)))
	})
}

func (f *Funnel) share(r *Record, kept bool) {
	i := slices.IndexFunc(f.ByPoison, func(s Share) bool { return s.Poison == r.Poison && s.Kind == r.Kind })
	if i < 0 {
		f.ByPoison, i = append(f.ByPoison, Share{Poison: r.Poison, Kind: r.Kind}), len(f.ByPoison)
	}
	f.ByPoison[i].Judged++
	if kept {
		f.ByPoison[i].Kept++
	}
}

// asked sums the usage of all questions, in the order of the parts.
func (f *Funnel) asked(made map[Stage][]Record, questions []Question) {
	add := func(s *Step) {
		i := slices.IndexFunc(f.Asked, func(a Asked) bool { return a.By == s.By && a.Model == s.Model && a.Part == s.Part })
		if i < 0 {
			f.Asked, i = append(f.Asked, Asked{By: s.By, Model: s.Model, Part: s.Part}), len(f.Asked)
		}
		a := &f.Asked[i]
		a.N, a.Input, a.Output, a.Cost = a.N+1, a.Input+s.Input, a.Output+s.Output, a.Cost+s.Cost
		if s.Fault != "" {
			if a.Failed == nil {
				a.Failed = map[string]int{}
			}
			a.Failed[s.Fault]++
		}
	}
	for _, s := range []Stage{Instructions, Poisoned, Passages} {
		for i := range made[s] {
			r := &made[s][i]
			for k := range r.Lineage {
				if step := &r.Lineage[k]; stageOf(step.Part) == s {
					add(step)
				}
			}
		}
	}
	for _, q := range questions {
		for _, p := range q.Picks {
			if p.Lineage != nil {
				add(p.Lineage)
			}
		}
	}
}

// stageOf returns the stage in which a part is written.
func stageOf(p Part) Stage {
	switch p {
	case Instruction:
		return Instructions
	case NegativeInstruction, NegativeQuery:
		return Poisoned
	}
	return Passages
}

// reasons lists why records were dropped and how many, the most frequent reason first.
func reasons(records []Record) (list []string) {
	var l Level
	for _, r := range records {
		if r.Fell != "" {
			l.fell(r.Fell, "")
		}
	}
	for _, f := range l.sorted().Fell {
		list = append(list, fmt.Sprintf("%s (%d)", f.Why, f.Records))
	}
	return list
}
