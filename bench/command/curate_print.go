package command

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/datasets/curate"
	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/runners/runs"
)

// print prints the funnel of a finished corpus, and stores it if --keep asks for that.
func (o *curateOptions) print(f *corpusSpec, c *curate.Corpus, funnel *curate.Funnel, out io.Writer) error {
	questions, err := c.Questions()
	if err != nil {
		return err
	}
	if o.keep != "" {
		if err := runs.KeepStudy(funnelStudy(o.keep, funnel), filepath.Join(c.Dir, curate.FunnelFile)); err != nil {
			return err
		}
	}
	sheets := []output.Sheet{funnelSheet(f, c, funnel), poisonSheet(funnel)}
	for _, s := range []output.Sheet{agreementSheet(judgeRatings(questions)), askedSheet(funnel)} {
		if len(s.Rows) > 0 {
			sheets = append(sheets, s)
		}
	}
	return output.Print(out, o.format, funnel, funnelSheet(f, c, funnel), sheets...)
}

// shareOf formats n of m in percent.
func shareOf(n, of int) string {
	if of == 0 {
		return words.UndefinedMark
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// funnelSheet has a line for each stage, followed by a line for each reason.
func funnelSheet(f *corpusSpec, c *curate.Corpus, funnel *curate.Funnel) output.Sheet {
	s := output.Sheet{Title: f.Name + ": " + c.Dir, Left: 2, Head: []string{"stage", "fell for", "kind", "records", "of the stage"}}
	for _, l := range funnel.Stages {
		s.Rows = append(s.Rows, []string{string(l.Stage), "", "", fmt.Sprintf("%d of %d", l.Out, l.In), shareOf(l.Out, l.In)})
		for _, fell := range l.Fell {
			s.Rows = append(s.Rows, []string{"", fell.Why, string(fell.Kind), strconv.Itoa(fell.Records), shareOf(fell.Records, l.In)})
		}
	}
	s.Notes = append(s.Notes, fmt.Sprintf("kept by %s: %s of %d seeds; train: %s", f.Keep, words.Plural(funnel.Kept, "record", "records"), funnel.Stages[0].In, filepath.Join(c.Dir, curate.TrainFile)))
	for _, in := range funnel.Injected {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: candidates of %s contain an injected answer; %d were answered wrong, %d of them with that answer", in.Judge, words.Plural(in.Questions, "question", "questions"), in.Wrong, in.Obeyed))
	}
	if funnel.Cut > 0 {
		s.Notes = append(s.Notes, words.Plural(funnel.Cut, "text was", "texts were")+" cut at the end of the first line")
	}
	if funnel.Synthetic {
		s.Notes = append(s.Notes, "synthetic: rules wrote the texts, not a model")
	}
	return s
}

// poisonSheet shows which poisons the corpus teaches.
func poisonSheet(funnel *curate.Funnel) output.Sheet {
	s := output.Sheet{Title: "What it teaches", Left: 2, Head: []string{"poison", "kind", "judged", "kept", "share", "95% interval"}}
	for _, p := range funnel.ByPoison {
		_, interval := stats.Wilson(p.Kept, p.Judged, curateLevel)
		s.Rows = append(s.Rows, []string{p.Poison.Title(), string(p.Kind), strconv.Itoa(p.Judged), strconv.Itoa(p.Kept), shareOf(p.Kept, p.Judged),
			fmt.Sprintf("[%.1f%%, %.1f%%]", 100*interval.Low, 100*interval.High)})
	}
	return s
}

// askedSheet shows the cost of asking models; rules cost nothing.
func askedSheet(funnel *curate.Funnel) output.Sheet {
	s := output.Sheet{Title: "Questions asked", Left: 3, Head: []string{"who", "model", "for", "questions", "of no use", "tokens in", "tokens out", "cost"}}
	for _, a := range funnel.Asked {
		if a.Input+a.Output+len(a.Failed) == 0 {
			continue
		}
		s.Rows = append(s.Rows, []string{a.By, a.Model, string(a.Part), strconv.Itoa(a.N), failureClasses(a.Failed), strconv.Itoa(a.Input), strconv.Itoa(a.Output), fmt.Sprintf("%.4f", a.Cost)})
	}
	return s
}

// failureClasses lists how many answers were unusable, by class.
func failureClasses(failed map[string]int) string {
	var all []string
	for _, class := range words.SortedKeys(failed) {
		all = append(all, fmt.Sprintf("%d %s", failed[class], class))
	}
	return strings.Join(all, ", ")
}

// printPlan prints the expected cost of a corpus.
func (o *curateOptions) printPlan(c *curate.Corpus, out io.Writer) error {
	plan, err := c.Forecast()
	if err != nil {
		return err
	}
	s := output.Sheet{Title: "Making " + c.Dir + " will ask at most", Left: 2, Head: []string{"who", "for", "questions", "tokens in", "tokens out at most", "cost at most"}}
	var all curate.Forecast
	line := func(by, part string, f curate.Forecast) {
		cost := fmt.Sprintf("%.4f", f.Cost)
		if f.Unpriced > 0 && f.Unpriced == f.Questions {
			cost = words.MissingMark
		}
		s.Rows = append(s.Rows, []string{by, part, strconv.Itoa(f.Questions), strconv.Itoa(f.Input), strconv.Itoa(f.Output), cost})
	}
	for _, p := range plan {
		line(p.By, string(p.Part), p.Forecast)
		all.Add(p.Forecast)
	}
	line("all", "", all)
	s.Notes = append(s.Notes, "assumes that every seed reaches the judges; input is estimated at four bytes a token; stored answers cost nothing")
	if all.Unpriced > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d questions go to models without a price", all.Unpriced))
	}
	return output.Print(out, o.format, plan, s, s)
}
