package command

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"infbench/reports"
	"infbench/reports/export"
	"infbench/reports/gate"
	"infbench/reports/site"
	"infbench/runners/results"
)

// push is a commit that is published.
type push struct {
	publishOptions
	at       *site.Folder
	results  []*results.Experiment
	judged   *gate.Gate            // nil if there is no verdict
	baseline []byte                // the page that it was compared with
	page     []byte                // the full report of the last commit
	last     []*results.Experiment // the results it carries; nil if it carries only a part, or none
}

// record adds the commit to a history, with the gate's outcome.
func (p *push) record(history []site.Commit) ([]site.Commit, error) {
	out := site.Push{Commit: p.commit, Date: p.date, Results: p.results, Next: p.before}
	var err error
	if p.page, err = p.at.Last(); err != nil {
		return nil, err
	}
	if p.last, err = carriedBy(site.ReportFile, p.page); err != nil {
		return nil, err
	}
	if n := len(history); n > 0 && history[n-1].Commit != p.commit && p.before == "" {
		out.Before = p.last
	}
	if p.rules != "" {
		if err := p.judge(site.Until(site.Until(history, p.commit), p.before)); err != nil {
			return nil, err
		}
		out.Marks = marksOf(p.judged)
	}
	return site.Record(history, out)
}

// late reports whether a history has commits after the one that is published.
func (p *push) late(history []site.Commit) bool {
	return p.commit != "" && history[len(history)-1].Commit != p.commit
}

// putHistory writes only a history, no pages.
func (p *push) putHistory(history []site.Commit) error {
	files, err := site.HistoryFiles(history)
	if err != nil {
		return err
	}
	return p.at.Put(files)
}

// judge checks the commit against the rules, given the history before it; without a baseline
// it does nothing.
func (p *push) judge(history []site.Commit) (err error) {
	if p.baseline, err = p.at.Baseline(); err != nil || p.baseline == nil {
		return err
	}
	baseline, err := carriedBy(site.BaselineFile, p.baseline)
	if err != nil || baseline == nil {
		return err
	}
	known, err := (&gateKnown{Accepted: p.accepted}).Read()
	if err != nil {
		return err
	}
	known.History, known.Shifts, known.Now = site.Past(history), site.Shifts(history), p.day()
	p.judged, err = judgeGate(p.rules, known, baseline, p.results)
	return err
}

// day is the day on which acceptances must still be valid: that of the commit, else now.
func (p *push) day() time.Time {
	if t, err := time.Parse(time.RFC3339, p.date); err == nil {
		return t
	}
	if t, err := time.Parse(time.DateOnly, p.date); err == nil {
		return t
	}
	return time.Now()
}

// put writes a site. If the gate did not pass the commit by itself, or could not decide, the
// old baseline page is kept: else a drop that is not yet detectable would become the baseline
// of the next commits. A longer history will decide, or somebody accepts the drop. A commit
// that is not the last changes no baseline.
func (p *push) put(files []export.File, history []site.Commit) error {
	late := p.late(history)
	if late {
		p.keepReport(files)
	}
	held := !late && p.judged != nil && len(p.judged.Failed())+len(p.judged.Undecided())+len(p.judged.Accepted()) > 0
	if held {
		files = append([]export.File{{Name: site.BaselineFile, Data: p.baseline}}, files...)
	}
	if err := p.at.Put(files); err != nil {
		return err
	}
	if p.judged != nil && !held && !late {
		if err := p.at.DropBaseline(); err != nil {
			return err
		}
	}
	return p.at.Prune(files, history)
}

// keepReport restores the full report of the last commit as it was written from its run
// folders, since they hold more than the report carries.
func (p *push) keepReport(files []export.File) {
	i := slices.IndexFunc(files, func(f export.File) bool { return f.Name == site.ReportFile })
	made := files[i].Data
	for i := range files {
		if bytes.Equal(files[i].Data, made) {
			files[i].Data = p.page
		}
	}
}

// marksOf lists the numbers that a gate failed, could not decide, or passed because somebody
// accepted them; means over tasks come before single tasks.
func marksOf(g *gate.Gate) []site.Mark {
	if g == nil {
		return nil
	}
	var boards, tasks []site.Mark
	for _, c := range slices.Concat(g.Failed(), g.Undecided(), g.Accepted()) {
		m := site.Mark{Number: c.Place, Reason: c.Reason, Accepted: c.Outcome == gate.Agreed, Undecided: c.Outcome == gate.Undecided}
		if c.Board {
			boards = append(boards, m)
		} else {
			tasks = append(tasks, m)
		}
	}
	return append(boards, tasks...)
}

// carriedBy returns the results in a full report; nil if it carries only a part of them.
func carriedBy(name string, page []byte) ([]*results.Experiment, error) {
	if page == nil {
		return nil, nil
	}
	data, err := reports.ReadData(page)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data.Left) > 0 {
		return nil, nil
	}
	return data.Experiments(), nil
}
