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

// ActiveFile is the log of a sweep whose cells were chosen as results came in: a line of
// JSON for its settings, then one for each round, each with its hash and that of the line
// before.
const ActiveFile = "active.jsonl"

// Active is that log.
type Active struct {
	results.ActiveLog
	last string // hash of the last line
}

// Log is what it states and decided; nil of a folder that has none.
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
	Sum      string          `json:"sum"` // of the others
}

// sum is the hash of what a line says: the next one holds it too, which the last one lacks.
func (l activeLine) sum() string {
	return disk.Sum(bytes.Join([][]byte{[]byte(l.Previous), l.Settings, l.Round}, []byte("\n")))
}

// line is the text of a line that follows what there is.
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

// read takes a line in.
func (a *Active) read(text []byte) error {
	var l activeLine
	first := a.last == ""
	switch err := unmarshal(text, &l); {
	case err != nil:
		return err
	case l.Previous != a.last:
		return errors.New("the line before was changed: its hash is another")
	case l.Sum != l.sum():
		return errors.New("this line was changed: its hash is another")
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

// unmarshal is strict.Line, whose errors it puts into words.
func unmarshal(text []byte, into any) error {
	if err := strict.Line(text, into); err != nil {
		return fmt.Errorf("no line that an active sweep writes: %w", err)
	}
	return nil
}

// ChosenByResults says whether a file lies in the folder of an active sweep that has not
// run all of its cells, so that which trials there are depends on what trials show.
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
			return there && !f.isWhole(), err
		}
	}
	return false, nil
}

// isWhole says whether all trials of the plan are done.
func (f Folder) isWhole() bool {
	plan, err := f.Plan()
	return err == nil && !slices.ContainsFunc(plan.Trials, func(t spec.Trial) bool {
		done, err := f.Trial(t.ID).Marker().Exists()
		return err != nil || !done
	})
}

// Table is how every comparison stands.
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

// Words says how far an active sweep is and what it says, in sentences.
func (a *Active) Words() (said []string) {
	if a == nil {
		return nil
	}
	chosen, done := 0, 0
	for _, r := range a.Rounds {
		chosen, done = chosen+len(r.Cells), r.Done
	}
	text := fmt.Sprintf("Active sweep, round %d: %d cells were chosen of at most %d, %d looked at.", len(a.Rounds), chosen, a.Budget, done)
	if stop := a.Stop(); stop != "" {
		text += " It ended: " + stop + "."
	}
	said = append(said, text)
	if claims, verdicts := a.Verdicts(); len(claims) > 0 {
		var parts []string
		for _, c := range claims {
			parts = append(parts, c+" "+verdicts[c])
		}
		said = append(said, fmt.Sprintf("Of %s it says: %s. At most %v %% of such sweeps say anything false, whenever they end (alpha spending over all looks, Holm over %d comparisons, claims weighing alike).", a.Claims, strings.Join(parts, ", "), 100*a.Alpha, len(a.Standings())))
	}
	if text := a.Earlier(); text != "" {
		said = append(said, text)
	}
	return said
}

// Earlier says what it means that cells were finished before the claims were stated; "" where
// none was.
func (a *Active) Earlier() string {
	if a.Before == 0 {
		return ""
	}
	return fmt.Sprintf("%s finished before the claims of this active sweep were stated. It begins with its draw all the same, and looks at what they gave only where it chooses them; its error rate holds if neither the claims nor the draw were chosen by looking at them.", words.Plural(a.Before, "cell was", "cells were"))
}
