package reports

import (
	"slices"

	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/reports/table"
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

// answerSections say first what was asked and what the tests say to it; not where
// something else than the leaderboards was asked for.
func answerSections(r *Report) ([]section.Section, error) {
	if r.Asked || len(r.set.Trials) == 0 {
		return nil, nil
	}
	asked := answerRequest{Planned: len(r.set.Trials), Overlaps: len(overlapWarnings(r.set, r.options.Overlaps))}
	for _, q := range r.questions {
		asked.Questions = words.AddNew(asked.Questions, q.Text)
	}
	for _, t := range r.set.Trials {
		if t.Finished() {
			asked.Finished++
		}
	}
	var boards []*answerBoard
	for _, b := range r.Boards {
		boards = append(boards, b.asked(r.options.Reference))
	}
	s, err := answerSection(asked, boards)
	return []section.Section{s}, err
}

// asked is what the answer is told from.
func (b *Board) asked(reference string) *answerBoard {
	out := &answerBoard{ID: b.ID, Name: b.Name(), Realm: b.Realm, Set: b.Set, Numbers: b.Numbers, Rankings: b.Rankings, Families: b.Families, Reference: reference}
	for _, t := range b.controls {
		for _, row := range t.Rows {
			out.Checked++
			if slices.ContainsFunc(row.Entries, func(e table.Entry) bool { return e.Tone == table.Worse }) {
				out.Failed = words.AddNew(out.Failed, row.Entries[0].Text)
			}
		}
	}
	return out
}

// recipeSections say how it was trained and run.
func recipeSections(r *Report) ([]section.Section, error) {
	if r.Asked {
		return nil, nil
	}
	return append(adaptiveSections(r.set, r.recipes), recipeSection(r.set, r.recipes)), nil
}
