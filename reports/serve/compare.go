package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"infbench/internal/words"
	"infbench/reports/diff"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// shiftsAtMost limits the listed differences.
const shiftsAtMost = 200

// pair is the page of two runs side by side.
type pair struct {
	Root, Title, Fault string
	Names              []string
	Asked              [2]string
	Sides              []view
	Shifts             []section.Section
}

// ECharts reports whether charts are drawn; they are not.
func (pair) ECharts() bool { return false }

// PageTitle names the two runs.
func (p pair) PageTitle() string {
	if p.Asked[0] == "" || p.Asked[1] == "" {
		return p.Title
	}
	return words.Clean(p.Asked[0]) + " and " + words.Clean(p.Asked[1])
}

// finished reports whether both runs have all their numbers.
func (p pair) finished() bool {
	return !slices.ContainsFunc(p.Sides, func(v view) bool { return v.Seen.State == nil || doneOf(v.Seen) < len(v.Seen.State.Cells) })
}

// compare shows the page of two runs side by side.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	names, err := s.source.Names()
	p := pair{Root: "./", Title: "Two runs side by side", Names: names, Asked: [2]string{r.FormValue("a"), r.FormValue("b")}}
	if err != nil {
		p.Fault = words.Clean(err.Error())
	}
	var both [2]*follower
	for i, name := range p.Asked {
		if name == "" {
			continue
		}
		f := s.find(name)
		if f == nil {
			s.absent(w, r, "there is no run "+name)
			return
		}
		both[i] = f
		v := s.viewOf(r, f, "./", "runs/"+url.PathEscape(name)+"/")
		v.Prefix = [2]string{"left-", "right-"}[i]
		v.takeBoard(r, f)
		p.Sides = append(p.Sides, v)
	}
	if both[0] != nil && both[1] != nil {
		shifts, err := s.shifts(r.Context(), both, p)
		if p.Shifts = shifts; err != nil {
			p.Fault = words.Clean(err.Error())
		}
	}
	s.show(w, r, http.StatusOK, "compare", p)
}

// shifts tests the numbers that two runs share, as infbench diff does.
func (s *Server) shifts(ctx context.Context, both [2]*follower, p pair) (out []section.Section, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the files of the runs cannot be read: %v", broken)
		}
	}()
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var loaded [2][]*results.Experiment
	for i, f := range both {
		if loaded[i], _, err = f.run.Load(ctx, false); err != nil {
			return nil, err
		}
	}
	changes, err := diff.Compare(loaded[0], loaded[1], false)
	if err != nil {
		return nil, err
	}
	shared := changes.ByWeight()
	moved := slices.DeleteFunc(slices.Clone(shared), func(s *diff.Shift) bool { return s.Incomparable == "" && s.Size() == 0 })
	if len(shared) == 0 {
		said := "No number is in both runs: they have no system with the same settings or label on the same data."
		if !p.finished() {
			said = "No number is in both runs yet."
		}
		return []section.Section{{ID: "shared", Notes: []string{said}}}, nil
	}
	if len(moved) == 0 {
		return []section.Section{{ID: "shared", Notes: []string{fmt.Sprintf("All %s numbers in both runs are equal.", words.Group(len(shared)))}}}, nil
	}
	t := diff.ShiftTable("shifts", "Differences", moved[:min(len(moved), shiftsAtMost)])
	t.Caption = fmt.Sprintf("%s before, %s after, ×100; significant differences first. Shown are %s of %s differences.", words.Clean(p.Asked[0]), words.Clean(p.Asked[1]), words.Group(len(t.Rows)), words.Group(len(moved)))
	real := 0
	for _, s := range moved {
		if s.Real() {
			real++
		}
	}
	said := fmt.Sprintf("%s of the %s in both runs differ, %s of them significantly.", words.Group(len(moved)), words.Plural(len(shared), "number", "numbers"), words.Group(real))
	return []section.Section{{ID: "shared", Told: true, Notes: []string{said}, Tables: []*table.Table{t}}}, nil
}
