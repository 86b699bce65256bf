package reports

import (
	"fmt"
	"strings"

	"infbench/datasets/chat"
	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// chatSections shows the questions to language models that order documents, their answers,
// and the quality of the rankings.
func chatSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-chat", Title: "Language models that order documents", Nav: "Language models",
		Tables: section.Listed(chatTable(b.Set, b.ID+"-chat-table", b.Numbers))}}, nil
}

// chatTable has a row for each system that asked a language model; nil if there are none.
func chatTable(v *scores.Set, id string, columns []scores.Number) *table.Table {
	t := &table.Table{ID: id, Title: "Language models",
		Caption: "Quality ×100, with the questions of all runs of a system: usable answers, failures by class, tokens and money. " +
			"Ranks by log-odds of yes against no do not tie; those by yes or no, and by grades, tie, and tied documents keep their earlier order. " +
			"κ is Cohen's, between the judgments and the model's verdicts of relevance on the judged documents that it was shown, with 95 % intervals. Only pointwise and graded questions give verdicts. " +
			"A few patterns find documents that seem to give orders to a model. They may miss some, and some of these documents only discuss such orders.",
		Columns: []table.Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	t.Columns = append(t.Columns, table.Column{Name: "ranks by"}, table.Column{Name: "answered", Number: true}, table.Column{Name: "failures"}, table.Column{Name: "tokens in", Number: true},
		table.Column{Name: "tokens out", Number: true}, table.Column{Name: "cost", Number: true}, table.Column{Name: "κ to judgments", Number: true}, table.Column{Name: "judged", Number: true},
		table.Column{Name: "documents with orders", Number: true})
	recipes := false
	for _, s := range v.Systems {
		said := chatOf(s)
		if said == nil {
			continue
		}
		recipes = recipes || said.Recipe != ""
		row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
		for _, c := range columns {
			row.Entries = append(row.Entries, v.Cell(s, c).Entry())
		}
		row.Entries = append(row.Entries, chatEntries(said)...)
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if recipes {
		t.Caption += " Some answers to recipes were used although something is missing in them: cut thoughts reached their budget, unclosed ones ended without their end, a bounded verdict has one word that was not among the likeliest tokens, and an incomplete order misses or repeats numbers."
	}
	return t
}

// chatOf adds the records of a system's trials; nil if none asked anything.
func chatOf(s *scores.System) *results.Chat {
	var sum *results.Chat
	for _, t := range s.Trials {
		said := t.Provenance.Chat
		if said == nil {
			continue
		}
		if sum == nil {
			sum = &results.Chat{Model: said.Model, How: said.How, Recipe: said.Recipe, Scale: said.Scale, Tasks: []results.ChatTask{{}}}
			sum.Usage.Failures = map[chat.Class]int{}
		}
		if said.Scale != sum.Scale {
			sum.Scale = "" // some tie
		}
		sum.Usage.Answered += said.Usage.Answered
		sum.Usage.Input += said.Usage.Input
		sum.Usage.Output += said.Usage.Output
		sum.Usage.Money += said.Usage.Money
		for class, n := range said.Usage.Failures {
			sum.Usage.Failures[class] += n
		}
		for _, task := range said.Tasks {
			addChatTask(&sum.Tasks[0], task)
		}
	}
	return sum
}

// addChatTask adds the record of another task.
func addChatTask(sum *results.ChatTask, t results.ChatTask) {
	sum.Documents += t.Documents
	sum.Bounded, sum.Cut, sum.Unclosed, sum.Incomplete = sum.Bounded+t.Bounded, sum.Cut+t.Cut, sum.Unclosed+t.Unclosed, sum.Incomplete+t.Incomplete
	for i, row := range t.Verdicts {
		for j, n := range row {
			sum.Verdicts[i][j] += n
		}
	}
	for pattern, n := range t.Addressing {
		if sum.Addressing == nil {
			sum.Addressing = map[string]int{}
		}
		sum.Addressing[pattern] += n
	}
}

// ranksBy describes what orders the documents, with the answers that were used although something is
// missing in them.
func ranksBy(c *results.Chat) string {
	by := "order"
	switch c.How {
	case "pointwise", "judge":
		if by = "log-odds"; c.Ties() {
			by = "yes or no; ranks tie"
		}
	case "graded":
		by = "grades; ranks tie"
	case "setwise":
		by = "the best of several"
	}
	if c.Recipe != "" {
		by = c.Recipe + ": " + by
	}
	if doubts := c.Tasks[0].Doubts(); doubts != "" {
		by += ", " + doubts
	}
	return by
}

// chatEntries formats the records.
func chatEntries(c *results.Chat) []table.Entry {
	number := func(n int) table.Entry { return table.Number(words.Group(n), float64(n)) }
	var failures []string
	for _, class := range chat.Classes() {
		if n := c.Usage.Failures[class]; n > 0 {
			failures = append(failures, fmt.Sprintf("%s %s", words.Group(n), class))
		}
	}
	failed := table.Entry{Text: "none"}
	if len(failures) > 0 {
		failed = table.Entry{Text: strings.Join(failures, ", "), Tone: table.Worse}
	}
	cost, kappa := table.Entry{Text: "no price"}, table.Entry{}
	if c.Usage.Money > 0 {
		cost = table.Number(words.Fixed(c.Usage.Money, 4), c.Usage.Money)
	}
	seen := c.Tasks[0]
	k := seen.Kappa()
	if value, ok := k.Value.Get(); ok {
		kappa = table.Number(fmt.Sprintf("%s [%s, %s]", words.Fixed(value, 3), words.Fixed(k.Interval.Low, 3), words.Fixed(k.Interval.High, 3)), value)
	} else if k.N > 0 {
		kappa.Text = "undefined"
	}
	orders := 0
	for _, n := range seen.Addressing {
		orders += n
	}
	return []table.Entry{{Text: ranksBy(c)}, number(c.Usage.Answered), failed, number(c.Usage.Input), number(c.Usage.Output), cost, kappa, number(k.N),
		table.Number(fmt.Sprintf("%s of %s", words.Group(orders), words.Group(seen.Documents)), float64(orders))}
}
