package paperview

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// funnel is what became of the seeds of corpora in the making: a row for each stage and,
// below it, each reason for which records fell there; a chart of what was left.
func (b *builder) funnel() ([]section.Section, error) {
	studies := studiesOf(b.Studies, b.name)
	t := b.figureTable(table.Column{Name: "corpus"}, table.Column{Name: "stage"}, table.Column{Name: "fell for"},
		table.Column{Name: "records", Number: true, Best: table.NoBest}, table.Column{Name: "of the stage", Number: true, Best: table.NoBest})
	bars := map[string][]chart.Datum{}
	for _, s := range studies {
		for _, v := range s.Values {
			stage, left := strings.CutPrefix(v.Measure, results.FunnelLeft)
			why := ""
			if !left {
				stage, why = "", v.Of
			}
			if !left && !strings.HasPrefix(v.Measure, results.FunnelFell) {
				continue
			}
			t.Rows = append(t.Rows, table.Row{Class: s.Name, Entries: []table.Entry{{Text: words.Clean(s.Name)}, {Text: words.Clean(stage)}, {Text: words.Clean(why)}, counted(v), ofStage(v)}})
			if left {
				bars["records after each stage"] = bar(v, bars["records after each stage"], stage, len(studies), s)
			}
		}
	}
	return b.ofStudies(studies, t, bars)
}

// ofStage is a count as a share of the records that came to its stage.
func ofStage(v results.StudyValue) table.Entry {
	if v.Value == nil || v.N == 0 {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	share := 100 * *v.Value / float64(v.N)
	return table.Number(fmt.Sprintf("%s%%", words.Fixed(share, 1)), share)
}
