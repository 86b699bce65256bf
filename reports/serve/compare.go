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

// shiftsAtMost is how many differences a page lists.
const shiftsAtMost = 200

// pair is two runs side by side.
type pair struct {
	Root, Title, Fault string
	Names              []string
	Asked              [2]string
	Sides              []view
	Shifts             []section.Section
}

// ECharts says that no charts are drawn.
func (pair) ECharts() bool { return false }

// compare is the page of two runs side by side.
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
		shifts, err := s.shifts(r.Context(), both)
		if p.Shifts = shifts; err != nil {
			p.Fault = words.Clean(err.Error())
		}
	}
	s.show(w, r, http.StatusOK, "compare", p)
}

// shifts tests the numbers that two runs share, as infbench diff does.
func (s *Server) shifts(ctx context.Context, both [2]*follower) (out []section.Section, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("what is there cannot be understood: %v", broken)
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
		return []section.Section{{ID: "shared", Notes: []string{"No number is in both runs yet."}}}, nil
	}
	if len(moved) == 0 {
		return []section.Section{{ID: "shared", Notes: []string{fmt.Sprintf("All of %s numbers that both have are the same.", words.Group(len(shared)))}}}, nil
	}
	t := diff.ShiftTable("shifts", "Where they differ", moved[:min(len(moved), shiftsAtMost)])
	t.Caption = fmt.Sprintf("The left run before, the right one after, ×100; those that a test tells apart first. %s of %s that differ, of %s numbers that both have.", words.Group(len(t.Rows)), words.Group(len(moved)), words.Group(len(shared)))
	return []section.Section{{ID: "shared", Tables: []*table.Table{t}}}, nil
}
