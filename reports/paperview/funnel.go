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

// funnel shows how many records were left and dropped when corpora were made: a row for
// each stage, followed by a row for each reason to drop records, and a chart of the
// records left.
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

// ofStage formats a count as a share of the records that reached its stage.
func ofStage(v results.StudyValue) table.Entry {
	if v.Value == nil || v.N == 0 {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	share := 100 * *v.Value / float64(v.N)
	return table.Number(fmt.Sprintf("%s%%", words.Fixed(share, 1)), share)
}
