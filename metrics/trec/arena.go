package trec

// arenaSize is the number of bytes that an arena allocates at a time: small compared with the
// text of a block.
const arenaSize = 32 << 10

// arena stores copies of short texts one after the other. This saves one word of memory per
// text, and the original text can be freed.
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
