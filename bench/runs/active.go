package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/datasets/atomicfile"
	"infbench/reports/words"
)

// ActiveFile is the log of a sweep whose cells were chosen as results came in: a line of
// JSON for its settings, then one for each round, each with the hash of the line before.
const ActiveFile = "active.jsonl"

// Active is that log.
type Active struct {
	ActiveSettings
	Rounds []ActiveRound
	last   string // hash of the last line
}

// ActiveSettings are stated before the first cell.
type ActiveSettings struct {
	Claims string  `json:"claims"`      // base name of the file
	Text   string  `json:"claims_text"` // all of it
	Alpha  float64 `json:"alpha"`       // chance that any verdict is false
	Budget int     `json:"budget"`      // cells at most
	Round  int     `json:"round_size"`
	Start  int     `json:"start"` // cells of the first round, which is drawn
	Seed   uint64  `json:"seed"`  // of the draw
	Plan   string  `json:"plan"`  // SHA-256 of the trials' IDs
}

// ActiveRound is a decision: what was known, and what is run for that.
type ActiveRound struct {
	Round     int              `json:"round"`
	Done      int              `json:"done"`             // cells that it looked at
	Failed    []string         `json:"failed,omitempty"` // cells of earlier rounds that gave nothing
	Standings []ActiveStanding `json:"standings,omitempty"`
	Left      []string         `json:"left_out,omitempty"` // claims that the sweep does not decide, and why
	Cells     []ActiveCell     `json:"cells,omitempty"`
	Stop      string           `json:"stop,omitempty"` // why no cell was chosen
}

// ActiveCell is a trial that was chosen.
type ActiveCell struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// ActiveStanding is how one comparison of a claim stands: the claim says that it lies above
// 0.
type ActiveStanding struct {
	Claim         string   `json:"claim"`
	Against       string   `json:"against,omitempty"`
	On            string   `json:"on"`
	Side          string   `json:"side"` // above, below, open
	Value         float64  `json:"value"`
	StandardError float64  `json:"standard_error"`
	Freedom       float64  `json:"freedom"`
	Share         float64  `json:"information"` // of what all cells would tell
	Looks         int      `json:"looks"`
	Limit         *float64 `json:"limit,omitempty"` // of the normal deviate; none where nothing could be shown
	Low           *float64 `json:"low,omitempty"`   // of the interval; none as yet
	High          *float64 `json:"high,omitempty"`
	Chance        float64  `json:"chance"` // that all cells would show it
}

// activeLine is a line of the file.
type activeLine struct {
	Previous string          `json:"previous"`
	Settings *ActiveSettings `json:"settings,omitempty"`
	Round    *ActiveRound    `json:"round,omitempty"`
}

// ActivePath is where the log of an active sweep lies.
func (f Folder) ActivePath() string { return f.path(ActiveFile) }

// Active reads the log of an active sweep; nil of a folder that has none. Every line is
// held to the hash that the next one has of it.
func (f Folder) Active() (*Active, error) {
	data, err := atomicfile.ReadFile(f.ActivePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &Active{}
	if err := f.readLines(a, linesOf(data), 0); err != nil {
		return nil, err
	}
	return a, nil
}

// linesOf are the lines of a file, without their ends.
func linesOf(data []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// readLines takes lines in that so many stand before.
func (f Folder) readLines(a *Active, lines [][]byte, before int) error {
	for i, text := range lines {
		if err := a.read(text); err != nil {
			return fmt.Errorf("%s:%d: %w", f.ActivePath(), before+i+1, err)
		}
	}
	return nil
}

// read takes a line in.
func (a *Active) read(text []byte) error {
	var l activeLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	first := a.last == ""
	switch err := d.Decode(&l); {
	case err != nil:
		return fmt.Errorf("no line that an active sweep writes: %w", err)
	case l.Previous != a.last:
		return errors.New("the line before was changed: its hash is another")
	case first && l.Settings == nil || !first && l.Round == nil:
		return errors.New("want the settings first, then rounds")
	case first:
		a.ActiveSettings = *l.Settings
	case l.Round.Round != len(a.Rounds)+1:
		return fmt.Errorf("found round %d after round %d", l.Round.Round, len(a.Rounds))
	default:
		a.Rounds = append(a.Rounds, *l.Round)
	}
	a.last = SumOfText(string(text))
	return nil
}

// BeginActive writes the settings of an active sweep, or reads the log of another process
// that was faster.
func (f Folder) BeginActive(s ActiveSettings) (*Active, error) {
	a := &Active{}
	text, err := json.Marshal(activeLine{Settings: &s})
	if err != nil {
		return nil, err
	}
	if err := a.read(text); err != nil {
		return nil, err
	}
	err = atomicfile.WriteNew(f.ActivePath(), append(text, '\n'))
	if errors.Is(err, fs.ErrExist) {
		return f.Active()
	}
	return a, err
}

// AddRound appends a round to the log, or takes in what another process wrote that decided
// the same. The whole file is written anew: it is small, and is then whole whatever happens.
func (f Folder) AddRound(a *Active, r ActiveRound) error {
	text, err := json.Marshal(activeLine{Previous: a.last, Round: &r})
	if err != nil {
		return err
	}
	before, err := atomicfile.ReadFile(f.ActivePath())
	if err != nil {
		return err
	}
	lines := linesOf(before)
	last := slices.IndexFunc(lines, func(l []byte) bool { return SumOfText(string(l)) == a.last })
	if after := lines[last+1:]; last >= 0 && len(after) > 0 && bytes.Equal(after[0], text) {
		return f.readLines(a, after, last+1)
	}
	if last != len(lines)-1 {
		return fmt.Errorf("%s: another process has gone on with it", f.ActivePath())
	}
	if err := a.read(text); err != nil {
		return err
	}
	return atomicfile.WriteBytesTo(f.Files, f.ActivePath(), append(append(before, text...), '\n'))
}

// Chosen is why each trial was chosen, by its ID, with the round.
func (a *Active) Chosen() map[string]string {
	out := map[string]string{}
	for _, r := range a.Rounds {
		for _, c := range r.Cells {
			out[c.ID] = fmt.Sprintf("round %d: %s", r.Round, c.Why)
		}
	}
	return out
}

// Stop is why the sweep ended; "" while it has not.
func (a *Active) Stop() string {
	if last := a.Last(); last != nil {
		return last.Stop
	}
	return ""
}

// Standings are those of the last decision.
func (a *Active) Standings() []ActiveStanding {
	if last := a.Last(); last != nil {
		return last.Standings
	}
	return nil
}

// Verdicts lists the claims that are decided, with what the sequence says of each: holds
// where all that it says was shown, reversed where something of it was shown the other way
// round.
func (a *Active) Verdicts() (claims []string, verdicts map[string]string) {
	verdicts = map[string]string{}
	for _, s := range a.Standings() {
		before, known := verdicts[s.Claim]
		if !known {
			claims, before = append(claims, s.Claim), "holds"
		}
		switch {
		case s.Side == "below" || before == "reversed":
			before = "reversed"
		case s.Side == "open":
			before = "not shown"
		}
		verdicts[s.Claim] = before
	}
	return claims, verdicts
}

// Last is the last decision; nil where there is none.
func (a *Active) Last() *ActiveRound {
	if a == nil || len(a.Rounds) == 0 {
		return nil
	}
	return &a.Rounds[len(a.Rounds)-1]
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
		said = append(said, fmt.Sprintf("Of %s it says: %s. At most %v %% of such sweeps say anything false, whenever they end (alpha spending over all looks, Holm over %d comparisons).", a.Claims, strings.Join(parts, ", "), 100*a.Alpha, len(a.Standings())))
	}
	return said
}

// noteActive says in an experiment what its active sweep says, and marks its trials while
// some of the plan are not done.
func (f Folder) noteActive(exp *results.Experiment) error {
	a, err := f.Active()
	if a == nil || err != nil {
		return err
	}
	exp.Notes = append(exp.Notes, a.Words()...)
	if !slices.ContainsFunc(exp.Trials, func(t results.Trial) bool { return t.State != results.Done }) {
		return nil // all were run: nothing was chosen
	}
	for i := range exp.Trials {
		exp.Trials[i].Active = true
	}
	return nil
}
