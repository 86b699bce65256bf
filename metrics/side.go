package metrics

import "strings"

// Side is the instruction of a pair that a query belongs to. None is the side of a query outside
// pairs, and of a pair as a unit.
type Side string

// The sides of a pair. Reversed, used by InfoSearch, negates the request of Changed.
const (
	None     Side = ""
	Original Side = "original"
	Changed  Side = "changed"
	Reversed Side = "reversed"
)

// Sides lists the sides of a pair.
func Sides() []Side { return []Side{Original, Changed, Reversed} }

// Query returns the ID of a pair's query on this side in mteb 2's form: "301-og".
func (s Side) Query(pair string) string { return pair + s.ending() }

// ending returns the ending of a query ID on this side.
func (s Side) ending() string {
	switch s {
	case None:
		return ""
	case Original:
		return "-og"
	}
	return "-" + string(s)
}

// CutSide splits a query ID of mteb 2 into pair and side; an ID without an ending of a side
// has side None.
func CutSide(query string) (pair string, side Side) {
	for _, s := range Sides() {
		if pair, ok := strings.CutSuffix(query, s.ending()); ok {
			return pair, s
		}
	}
	return query, None
}
