package results

import "fmt"

// ActiveLog is what a sweep stated before it began whose cells were chosen as results came
// in, and what it decided.
type ActiveLog struct {
	ActiveSettings
	Rounds []ActiveRound
}

// ActiveSettings are stated before the first cell.
type ActiveSettings struct {
	Claims string  `json:"claims"`      // base name of the file
	Text   string  `json:"claims_text"` // all of it
	Alpha  float64 `json:"alpha"`       // chance that any verdict is false
	Budget int     `json:"budget"`      // cells at most
	Round  int     `json:"round_size"`
	Start  int     `json:"start"`                 // cells of the first round, which is drawn
	Seed   uint64  `json:"seed"`                  // of the draw
	Plan   string  `json:"plan"`                  // SHA-256 of the trials' IDs
	Before int     `json:"done_before,omitempty"` // cells that were finished when this was stated
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
	Level         float64  `json:"level,omitempty"` // of alpha that it is tested at, or was settled at
	Limit         *float64 `json:"limit,omitempty"` // of the normal deviate; none where nothing could be shown
	Low           *float64 `json:"low,omitempty"`   // of the interval; none as yet
	High          *float64 `json:"high,omitempty"`
	Chance        float64  `json:"chance"` // that all cells would show it
}

// Chosen is why each trial was chosen, by its ID, with the round.
func (a *ActiveLog) Chosen() map[string]string {
	out := map[string]string{}
	for _, r := range a.Rounds {
		for _, c := range r.Cells {
			out[c.ID] = fmt.Sprintf("round %d: %s", r.Round, c.Why)
		}
	}
	return out
}

// Stop is why the sweep ended; "" while it has not.
func (a *ActiveLog) Stop() string {
	if last := a.Last(); last != nil {
		return last.Stop
	}
	return ""
}

// Standings are those of the last decision.
func (a *ActiveLog) Standings() []ActiveStanding {
	if last := a.Last(); last != nil {
		return last.Standings
	}
	return nil
}

// Verdicts lists the claims that are decided, with what the sequence says of each: holds
// where all that it says was shown, reversed where something of it was shown the other way
// round.
func (a *ActiveLog) Verdicts() (claims []string, verdicts map[string]string) {
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
func (a *ActiveLog) Last() *ActiveRound {
	if a == nil || len(a.Rounds) == 0 {
		return nil
	}
	return &a.Rounds[len(a.Rounds)-1]
}
