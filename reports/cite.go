package reports

import (
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
)

// programsAtMost limits the programs that a report names at its beginning.
const programsAtMost = 2

// days returns the days on which the trials were begun.
func (r *Report) days() Days {
	if d := daysOf(r.set); d != (Days{}) {
		return d
	}
	return r.options.Measured
}

// origin is when and with which programs the numbers were measured, a few words each. Facts that
// are not recorded are left out.
func (r *Report) origin() []string {
	var out []string
	if d := r.days(); d != (Days{}) {
		out = append(out, "measured "+d.String())
	}
	if programs := r.programs(scores.Build.Version); programs != "" {
		out = append(out, programs)
	}
	return out
}

// programs names the builds that computed the numbers; "" if none is recorded.
func (r *Report) programs(name func(scores.Build) string) string {
	var names []string
	for _, b := range r.set.Builds() {
		names = words.AddNew(names, name(b))
	}
	if len(names) == 0 {
		return ""
	}
	return "infbench " + words.First(programsAtMost, names)
}

// Citation names the report, the days and programs of its numbers, and the SHA-256 of all values,
// by which others find the same numbers; "" if the page carries no values.
func (r *Report) Citation(digest string) string {
	if digest == "" {
		return ""
	}
	said := []string{strings.TrimSuffix(r.Title, ".")}
	if d := r.days(); d != (Days{}) {
		said = append(said, "Measured "+d.String())
	}
	if programs := r.programs(scores.Build.Cited); programs != "" {
		said = append(said, programs)
	}
	return strings.Join(append(said, "SHA-256 of all values: "+digest), ". ") + "."
}
