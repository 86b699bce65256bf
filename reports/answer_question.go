package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Question is what an experiment is to answer, where its plan says.
type Question struct {
	Experiment string `json:"experiment"`
	Text       string `json:"text"`
}

// questionsOf lists what experiments are to answer, each question once.
func questionsOf(exps []*results.Experiment) []Question {
	var out []Question
	for _, e := range exps {
		if e.Question != "" {
			out = words.AddNew(out, Question{words.Clean(e.Name), words.Clean(e.Question)})
		}
	}
	return out
}

// title is the question of the experiments, or one that their axes ask.
func (a answerRequest) title(b *answerBoard) string {
	if len(a.Questions) > 0 {
		return words.Clean(strings.Join(a.Questions, " "))
	}
	return b.question()
}

// measuresAtMost bounds the measures that a question names.
const measuresAtMost = 4

// question asks for the best of what varies.
func (b *answerBoard) question() string {
	on := b.measures()
	switch n := len(b.candidates()); {
	case n == 0:
		return "What was measured?"
	case n == 1:
		return fmt.Sprintf("What does %s score%s?", b.candidates()[0].Label, on)
	}
	axes := b.axes()
	verb := "is"
	if len(axes) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("Which %s %s best%s?", joinAnd(axes), verb, on)
}

// measures names what decides, in the order of the board.
func (b *answerBoard) measures() string {
	var names []string
	for _, c := range b.Numbers {
		names = words.AddNew(names, c.Measure)
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > measuresAtMost:
		return fmt.Sprintf(" on %d measures", len(names))
	}
	return " on " + joinAnd(names)
}

// axesAtMost bounds the axes that a question names.
const axesAtMost = 3

// axes names what tells the trained systems apart; "system" where few were trained.
func (b *answerBoard) axes() []string {
	trained := b.Set.Trained()
	if len(trained) < 2 {
		return []string{"system"}
	}
	var out []string
	for _, key := range append([]string{results.Loss, results.Backbone}, b.Set.SettingKeys()...) {
		if scores.Varies(key, trained) {
			out = append(out, keyLabel(key))
		}
	}
	if len(out) == 0 || len(out) > axesAtMost {
		return []string{"configuration"}
	}
	return out
}

// keyLabel is what a key is called in a sentence.
func keyLabel(key string) string {
	if label := results.KeyOf(key).Label; label != "" && !strings.Contains(label, " of ") {
		return label
	}
	return key
}

// joinAnd joins names in a sentence.
func joinAnd(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// subject is what the candidates are called.
func (b *answerBoard) subject() string {
	if len(b.Set.Trained()) >= 2 {
		return "trained systems"
	}
	return "systems"
}
