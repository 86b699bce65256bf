package reports

import (
	"infbench/reports/contrast"
	"infbench/reports/table"
	"infbench/reports/words"
)

// entry prints the difference with its interval; a degree sign says that no
// difference is shown.
func entry(t *contrast.Tested) table.Entry {
	if !t.Known() {
		return table.Entry{Text: words.MissingMark, Tone: table.Absent}
	}
	e := table.Number(words.Signed(t.Test.MeanDifference)+" "+words.Interval(t.Interval), t.Test.MeanDifference)
	switch t.Direction() {
	case 1:
		e.Tone = table.Better
	case -1:
		e.Tone = table.Worse
	default:
		e.Text += "°"
	}
	return e
}
