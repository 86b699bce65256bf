package site

import (
	"path/filepath"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports/gate"
)

// Past converts a history to the form for a gate: the values of numbers over commits.
func Past(history []Commit) []gate.Past {
	var out []gate.Past
	for _, c := range history {
		p := gate.Past{Commit: c.Commit, Seeds: c.Seeds}
		for _, v := range slices.Concat(c.Values, c.Tasks) {
			p.Values = append(p.Values, gate.PastValue{System: words.Clean(v.System), Number: words.Clean(v.Scoring) + " on " + words.Clean(v.Test), Value: v.Value})
		}
		out = append(out, p)
	}
	return out
}

// Shifts lists the steps and drifts of a history in the form for a gate.
func Shifts(history []Commit) []gate.Shift {
	var out []gate.Shift
	for _, t := range tracesOf(history) {
		for _, s := range t.Shifts {
			out = append(out, gate.Shift{System: t.System, Number: t.Scoring + " on " + t.Test, From: t.Commits[s.From], To: t.Commits[s.To],
				Drift: s.Drift(), Before: s.Before, After: s.After})
		}
	}
	return out
}

// Until returns the history before a commit that is measured again.
func Until(history []Commit, commit string) []Commit {
	if i := slices.IndexFunc(history, func(c Commit) bool { return c.Commit == commit }); i >= 0 {
		return history[:i]
	}
	return history
}

// HistoryOf reads the history of a site from its folder or the file itself.
func HistoryOf(name string) (History, error) {
	if filepath.Base(name) != HistoryFile {
		name = filepath.Join(name, HistoryFile)
	}
	data, err := disk.ReadFile(name)
	if err != nil {
		return History{}, err
	}
	return ReadHistory(name, data)
}
