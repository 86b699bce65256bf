package metrics

import "strings"

// Side says which instruction of a pair a query is under. None is the side of a query
// outside pairs, and of a pair as a whole.
type Side string

// The sides of a pair. Reversed, which InfoSearch has, negates what Changed asks for.
const (
	None     Side = ""
	Original Side = "original"
	Changed  Side = "changed"
	Reversed Side = "reversed"
)

// Sides lists the sides of a pair.
func Sides() []Side { return []Side{Original, Changed, Reversed} }

// Query is the ID of a pair's query on this side as mteb 2 writes it: "301-og".
func (s Side) Query(pair string) string { return pair + s.ending() }

// ending is that of the ID of a query on this side.
func (s Side) ending() string {
	switch s {
	case None:
		return ""
	case Original:
		return "-og"
	}
	return "-" + string(s)
}

// CutSide takes a query ID of mteb 2 apart; its side is None where it names no side.
func CutSide(query string) (pair string, side Side) {
	for _, s := range Sides() {
		if pair, ok := strings.CutSuffix(query, s.ending()); ok {
			return pair, s
		}
	}
	return query, None
}
