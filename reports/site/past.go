package site

import (
	"path/filepath"
	"slices"

	"infbench/datasets/atomicfile"
	"infbench/reports/gate"
	"infbench/reports/words"
)

// Past is what a gate is told of a history: what its commits measured, up to one that is
// measured again; "" of all.
func Past(history []Commit, until string) []gate.Past {
	var out []gate.Past
	for _, c := range history {
		if c.Commit == until {
			break
		}
		p := gate.Past{Commit: c.Commit, Seeds: c.Seeds}
		for _, v := range slices.Concat(c.Values, c.Tasks) {
			p.Values = append(p.Values, gate.PastValue{System: words.Clean(v.System), Number: words.Clean(v.Scoring) + " on " + words.Clean(v.Test), Value: v.Value})
		}
		out = append(out, p)
	}
	return out
}

// HistoryOf reads the history of a site by its folder or the file itself.
func HistoryOf(name string) (History, error) {
	if filepath.Base(name) != HistoryFile {
		name = filepath.Join(name, HistoryFile)
	}
	data, err := atomicfile.ReadFile(name)
	if err != nil {
		return History{}, err
	}
	return ReadHistory(name, data)
}
