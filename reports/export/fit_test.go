package export

import (
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/terminal"
)

// No line of a report is wider than the screen, whatever its texts, and no table is without rows.
func TestTerminalFits(t *testing.T) {
	for name, r := range map[string]*reports.Report{
		"hostile": build(t, reports.Options{}, reportstest.HostileExperiment()),
		"small":   build(t, reports.Options{}, reportstest.Small()),
	} {
		for _, r := range []*reports.Report{r, r.Brief()} {
			for _, width := range []int{terminal.LeastWidth, 33, 80, 120, 200} {
				var out strings.Builder
				if err := WriteTerminal(terminal.Screen{W: &out, Width: width}, r); err != nil {
					t.Fatal(err)
				}
				before := ""
				for line := range strings.Lines(out.String()) {
					line = strings.TrimSuffix(line, "\n")
					if got := terminal.Width(line); got > width {
						t.Errorf("%s at %d: %d columns: %q", name, width, got, line)
					}
					if strings.HasPrefix(before, "──") && line == "" {
						t.Errorf("%s at %d: a table without rows", name, width)
					}
					before = line
				}
			}
		}
	}
}
