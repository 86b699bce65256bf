package reports

import (
	"fmt"
	"strings"

	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/runners/results"
)

// experimentFiles shows the experiment file of each run folder, as it was at planning, and
// names folders that kept none.
func experimentFiles(exps []*results.Experiment) []section.Section {
	var out []section.Section
	seen := map[[2]string]bool{}
	var without []string
	for _, e := range exps {
		name, text := words.Clean(e.Name), cleanLines(e.File)
		if seen[[2]string{name, text}] {
			continue
		}
		seen[[2]string{name, text}] = true
		if text == "" {
			without = words.AddNew(without, name)
			continue
		}
		s := section.Section{ID: fmt.Sprintf("%s-files-%d", recipeID, len(out)+1), Title: name, Text: text, Source: section.OfRuns()}
		if len(e.Set) > 0 {
			s.Notes = []string{"Set on the command line, not in the file: " + withoutRoots(words.Clean(strings.Join(e.Set, ", "))) + "."}
		}
		out = append(out, s)
	}
	if len(without) > 0 {
		out = append(out, section.Section{ID: recipeID + "-files-none", Title: "Without an experiment file",
			Notes: []string{"No experiment file was kept for " + words.Listed(without) + ": single evaluations and imports have none."}, Source: section.OfRuns()})
	}
	return out
}

// cleanLines returns a text of several lines that is safe to print, without paths of a
// machine.
func cleanLines(text string) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n \t")
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	return withoutRoots(strings.Join(words.CleanAll(lines), "\n"))
}

// repeatCommands lists the commands that recreate run folders, their report and its
// verification.
func repeatCommands(exps []*results.Experiment) []section.Term {
	var out []section.Term
	var planned, folders []string
	for _, e := range exps {
		if name := words.Clean(e.Name); e.File != "" {
			planned = words.AddNew(planned, name)
		}
	}
	for _, name := range planned {
		command := "infbench sweep " + usage.Quote(name+".yaml")
		for _, e := range exps {
			if words.Clean(e.Name) == name && len(e.Set) > 0 {
				for _, set := range e.Set {
					command += " --set " + usage.Quote(withoutRoots(words.Clean(set)))
				}
				break
			}
		}
		folders = append(folders, usage.Quote("runs/"+name))
		out = append(out, section.Term{Name: "Run " + name, Text: "With its file above, saved as " + name + ".yaml. For single trials, see the commands further down.", Command: command})
	}
	if len(folders) == 0 {
		return nil
	}
	all := strings.Join(folders, " ")
	return append(out, section.Term{Name: "Report", Command: "infbench report " + all + " --format html --out report.html"},
		section.Term{Name: "Check", Text: "The page and the run folders are checked, and every value is scored again from the saved rankings.", Command: "infbench verify report.html --runs " + strings.Join(folders, " --runs ")})
}
