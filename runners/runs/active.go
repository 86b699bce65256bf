package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/strict"
	"infbench/internal/words"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// ActiveFile is the log of an active sweep, whose cells are chosen by results: a line of JSON
// for its settings, then one for each round, each with its hash and that of the previous line.
const ActiveFile = "active.jsonl"

// Active is the content of ActiveFile.
type Active struct {
	results.ActiveLog
	last string // hash of the last line
}

// Log returns the settings and decisions; nil for a folder without a log.
func (a *Active) Log() *results.ActiveLog {
	if a == nil {
		return nil
	}
	return &a.ActiveLog
}

// activeLine is a line of the file.
type activeLine struct {
	Previous string          `json:"previous"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Round    json.RawMessage `json:"round,omitempty"`
	Sum      string          `json:"sum"` // hash of the other fields
}

// sum returns the hash of a line's content. The next line contains it, too; the last line has
// no next one.
func (l activeLine) sum() string {
	return disk.Sum(bytes.Join([][]byte{[]byte(l.Previous), l.Settings, l.Round}, []byte("\n")))
}

// line returns the text of a line after the existing ones.
func (a *Active) line(settings *results.ActiveSettings, round *results.ActiveRound) (text []byte, err error) {
	l := activeLine{Previous: a.last}
	if settings != nil {
		l.Settings, err = json.Marshal(settings)
	} else {
		l.Round, err = json.Marshal(round)
	}
	if err != nil {
		return nil, err
	}
	l.Sum = l.sum()
	return json.Marshal(l)
}

// read adds a line.
func (a *Active) read(text []byte) error {
	var l activeLine
	first := a.last == ""
	switch err := unmarshal(text, &l); {
	case err != nil:
		return err
	case l.Previous != a.last:
		return errors.New("the previous line was changed: its hash differs")
	case l.Sum != l.sum():
		return errors.New("this line was changed: its hash differs")
	case first && l.Settings == nil || !first && l.Round == nil:
		return errors.New("want the settings first, then rounds")
	}
	var round results.ActiveRound
	if first {
		if err := unmarshal(l.Settings, &a.ActiveSettings); err != nil {
			return err
		}
	} else if err := unmarshal(l.Round, &round); err != nil {
		return err
	} else if round.Round != len(a.Rounds)+1 {
		return fmt.Errorf("found round %d after round %d", round.Round, len(a.Rounds))
	} else {
		a.Rounds = append(a.Rounds, round)
	}
	a.last = disk.Sum(text)
	return nil
}

// unmarshal is strict.Line with an explanation in its errors.
func unmarshal(text []byte, into any) error {
	if err := strict.Line(text, into); err != nil {
		return fmt.Errorf("not a line of an active sweep: %w", err)
	}
	return nil
}

// ChosenByResults reports whether a file is in the folder of an active sweep that has not run
// all of its cells. Which trials such a folder has depends on their results.
func ChosenByResults(path string) (bool, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	for dir := filepath.Dir(path); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		f := At(dir)
		if there, err := disk.Exists(f.Rounds().Path()); err != nil || there {
			return there && !f.isComplete(), err
		}
	}
	return false, nil
}

// isComplete reports whether all trials of the plan are done.
func (f Folder) isComplete() bool {
	plan, err := f.Plan()
	return err == nil && !slices.ContainsFunc(plan.Trials, func(t spec.Trial) bool {
		done, err := f.Trial(t.ID).Marker().Exists()
		return err != nil || !done
	})
}

// Table returns the standing of every comparison.
func (a *Active) Table() (head []string, rows [][]string) {
	head = []string{"claim", "against", "stands", "difference", "limits", "information", "would be shown"}
	if a == nil {
		return head, nil
	}
	for _, s := range a.Standings() {
		row := []string{s.Claim, s.Against, s.Side, "", "", "", ""}
		if s.Looks > 0 {
			row[3], row[5] = words.Fixed(100*s.Value, 1), fmt.Sprintf("%.0f %%", 100*s.Share)
		}
		if s.Low != nil {
			row[4] = fmt.Sprintf("%s, %s", words.Fixed(100**s.Low, 1), words.Fixed(100**s.High, 1))
		}
		if s.Side == "open" && s.Looks > 0 {
			row[6] = fmt.Sprintf("%.0f %%", 100*s.Chance)
		}
		rows = append(rows, row)
	}
	return head, rows
}

// Words describes the progress and the verdicts of an active sweep in sentences.
func (a *Active) Words() (said []string) {
	if a == nil {
		return nil
	}
	chosen, done := 0, 0
	for _, r := range a.Rounds {
		chosen, done = chosen+len(r.Cells), r.Done
	}
	text := fmt.Sprintf("Active sweep, round %d: %d of at most %d cells were chosen, %d looked at.", len(a.Rounds), chosen, a.Budget, done)
	if stop := a.Stop(); stop != "" {
		text += " It ended: " + stop + "."
	}
	said = append(said, text)
	if claims, verdicts := a.Verdicts(); len(claims) > 0 {
		var parts []string
		for _, c := range claims {
			parts = append(parts, c+" "+verdicts[c])
		}
		said = append(said, fmt.Sprintf("Verdicts on %s: %s. At most %v %% of such sweeps give any false verdict, whenever they end (alpha spending over all looks, Holm over %d comparisons, equal weights of claims).", a.Claims, strings.Join(parts, ", "), 100*a.Alpha, len(a.Standings())))
	}
	if text := a.Earlier(); text != "" {
		said = append(said, text)
	}
	return said
}

// Earlier explains that cells were finished before the claims were stated; "" if there were
// none.
func (a *Active) Earlier() string {
	if a.Before == 0 {
		return ""
	}
	return fmt.Sprintf("%s finished before the claims of this active sweep were stated. The sweep still begins with its random draw, and uses their results only if it chooses them; its error rate is valid if these results influenced neither the claims nor the draw.", words.Plural(a.Before, "cell was", "cells were"))
}
