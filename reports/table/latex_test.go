package table

import (
	"strings"
	"testing"
)

// TestLatexMarks sets marks as superscripts that the table explains, and minus signs.
func TestLatexMarks(t *testing.T) {
	entry := func(text string, tone Tone, best bool) Entry {
		e := Number(text, 1)
		e.Tone, e.Best = tone, best
		return e
	}
	of := &Table{ID: "t", Title: "T", Caption: "Values ×100.", Against: "bm25", Columns: []Column{{Name: "system"}, {Name: "p-MRR", Number: true}},
		Notes: []string{"† Selected on test.", AggregateNote}}
	for _, e := range []Entry{entry("+4.5†", Better, true), entry("-0.3*", Worse, false), entry("-1.0‡", Plain, false), entry("-0.3 [-4.7, +4.2]", Plain, false), {Text: "–"}} {
		of.Rows = append(of.Rows, Row{Entries: []Entry{{Text: "a_b-1*"}, e}})
	}
	var b strings.Builder
	p := &Printer{W: &b}
	of.Latex(p)
	for _, want := range []string{
		`\caption{T. Values $\times$100.}`,
		`a\_b-1* & \textbf{+4.5}$^{\dagger}$$^{\blacktriangle}$ \\`,
		`a\_b-1* & $-$0.3$^{*}$$^{\triangledown}$ \\`,
		`a\_b-1* & $-$1.0$^{\ddagger}$ \\`,
		`a\_b-1* & $-$0.3 [$-$4.7, +4.2] \\`,
		`a\_b-1* & -- \\`,
		`\par\footnotesize $^{\blacktriangle}$: significantly better than bm25, $^{\triangledown}$: significantly worse.`,
		`\par\footnotesize $^{*}$ A mean over fewer values than planned.`,
		`\par\footnotesize $^{\dagger}$ Selected on test.`,
		`\par\footnotesize $^{\ddagger}$ A mean from another source`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	of.Against = ""
	b.Reset()
	of.Latex(p)
	if strings.Contains(b.String(), "triangle") {
		t.Errorf("a mark without a meaning:\n%s", b.String())
	}
}
