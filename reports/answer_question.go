package reports

import (
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/sentence"
	"infbench/runners/results"
)

// Question is the question that an experiment states in its plan.
type Question struct {
	Experiment string `json:"experiment"`
	Text       string `json:"text"`
}

// questionsOf lists the questions of experiments, each once.
func questionsOf(exps []*results.Experiment) []Question {
	var out []Question
	for _, e := range exps {
		if e.Question != "" {
			out = words.AddNew(out, Question{words.Clean(e.Name), words.Clean(e.Question)})
		}
	}
	return out
}

// title returns the question of the experiments, or one after the axes that vary.
func (a answerRequest) title(b *answerBoard) string {
	out := sentence.Title{Questions: words.CleanAll(a.Questions), Systems: len(b.candidates()), Axes: b.axes()}
	if out.Systems > 0 {
		out.System = b.candidates()[0].Label
	}
	for _, c := range b.Numbers {
		out.Measures = words.AddNew(out.Measures, c.Measure)
	}
	return out.String()
}

// axesAtMost limits the axes that a question names.
const axesAtMost = 3

// axes names the settings in which trained systems differ; "system" if fewer than two were
// trained.
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

// keyLabel is the name of a key within a sentence.
func keyLabel(key string) string {
	if label := results.KeyOf(key).Label; label != "" && !strings.Contains(label, " of ") {
		return label
	}
	return key
}

// subject is the name of the candidates within a sentence.
func (b *answerBoard) subject() string {
	if len(b.Set.Trained()) >= 2 {
		return "trained systems"
	}
	return "systems"
}
