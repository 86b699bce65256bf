package trec

// arenaSize is how many bytes an arena takes at a time: little beside the text of a block.
const arenaSize = 32 << 10

// arena keeps copies of short texts one after the other: a word of memory each is spared,
// and the text they come from need not be kept for them.
type arena []byte

// keep returns a copy of text.
func (a *arena) keep(text []byte) string {
	if cap(*a)-len(*a) < len(text) {
		*a = make([]byte, 0, max(arenaSize, len(text)))
	}
	start := len(*a)
	*a = append(*a, text...)
	return unsafeString((*a)[start:])
}
