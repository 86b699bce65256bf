package results

import "fmt"

// ActiveLog has the settings of an active sweep, stated before its first cell, and its
// decisions. An active sweep chooses its cells by the results so far.
type ActiveLog struct {
	ActiveSettings
	Rounds []ActiveRound
}

// ActiveSettings are stated before the first cell.
type ActiveSettings struct {
	Claims string  `json:"claims"`      // base name of the claims file
	Text   string  `json:"claims_text"` // content of the claims file
	Alpha  float64 `json:"alpha"`       // chance that any verdict is false
	Budget int     `json:"budget"`      // largest number of cells
	Round  int     `json:"round_size"`
	Start  int     `json:"start"`                 // cells of the first round, which are drawn at random
	Seed   uint64  `json:"seed"`                  // seed of the draw
	Plan   string  `json:"plan"`                  // SHA-256 of the trials' IDs
	Before int     `json:"done_before,omitempty"` // cells that were finished before
}

// ActiveRound is a decision: the state of the claims, and the cells chosen for it.
type ActiveRound struct {
	Round     int              `json:"round"`
	Done      int              `json:"done"`             // number of cells with results
	Failed    []string         `json:"failed,omitempty"` // cells of earlier rounds without results
	Standings []ActiveStanding `json:"standings,omitempty"`
	Left      []string         `json:"left_out,omitempty"` // claims that the sweep does not decide, with reasons
	Cells     []ActiveCell     `json:"cells,omitempty"`
	Stop      string           `json:"stop,omitempty"` // reason why no cell was chosen
}

// ActiveCell is a chosen trial.
type ActiveCell struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// ActiveStanding is the state of one comparison of a claim. The claim is that the difference is
// above 0.
type ActiveStanding struct {
	Claim         string   `json:"claim"`
	Against       string   `json:"against,omitempty"`
	On            string   `json:"on"`
	Side          string   `json:"side"` // above, below, open
	Value         float64  `json:"value"`
	StandardError float64  `json:"standard_error"`
	Freedom       float64  `json:"freedom"`
	Share         float64  `json:"information"` // share of the information of all cells
	Looks         int      `json:"looks"`
	Level         float64  `json:"level,omitempty"` // part of alpha at which it is tested or was settled
	Limit         *float64 `json:"limit,omitempty"` // limit of the normal deviate; nil if nothing could be shown
	Low           *float64 `json:"low,omitempty"`   // interval; nil before the first test
	High          *float64 `json:"high,omitempty"`
	Chance        float64  `json:"chance"` // probability that all cells together would show the claim
}

// Chosen returns the reason for each chosen trial, with the round, by trial ID.
func (a *ActiveLog) Chosen() map[string]string {
	out := map[string]string{}
	for _, r := range a.Rounds {
		for _, c := range r.Cells {
			out[c.ID] = fmt.Sprintf("round %d: %s", r.Round, c.Why)
		}
	}
	return out
}

// Stop returns the reason why the sweep ended, or "" before its end.
func (a *ActiveLog) Stop() string {
	if last := a.Last(); last != nil {
		return last.Stop
	}
	return ""
}

// Standings returns the standings of the last decision.
func (a *ActiveLog) Standings() []ActiveStanding {
	if last := a.Last(); last != nil {
		return last.Standings
	}
	return nil
}

// Verdicts lists the claims with the verdict on each: "holds" if all of its comparisons were
// shown, "reversed" if the opposite of one was shown, else "not shown".
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

// Last returns the last decision, or nil.
func (a *ActiveLog) Last() *ActiveRound {
	if a == nil || len(a.Rounds) == 0 {
		return nil
	}
	return &a.Rounds[len(a.Rounds)-1]
}
