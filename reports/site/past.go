package site

import "infbench/reports/gate"

// Past is a history as a gate asks for it: how numbers vary over commits.
func Past(history []Commit) []gate.Past {
	var out []gate.Past
	for _, c := range history {
		p := gate.Past{Commit: c.Commit, Seeds: c.Seeds}
		for _, v := range c.Values {
			p.Values = append(p.Values, gate.PastValue{System: v.System, Number: v.Scoring + " on " + v.Test, Value: v.Value})
		}
		out = append(out, p)
	}
	return out
}
