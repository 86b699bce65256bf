package metrics

// sieve is a Bloom filter with one bit per string: it rejects most strings that were not added,
// using a cheap hash. A ranking holds far more documents than are judged, so asking the sieve first
// saves nine of ten map look-ups.
type sieve [sieveBits / 64]uint64

const sieveBits = 1 << 12

func (s *sieve) add(text string) {
	at := sieveHash(text)
	s[at/64] |= 1 << (at % 64)
}

// has reports true for every text that was added, and for a few others.
func (s *sieve) has(text string) bool {
	at := sieveHash(text)
	return s[at/64]>>(at%64)&1 == 1
}

// sieveHash mixes the last eight bytes, in which identifiers differ.
func sieveHash(text string) uint64 {
	var word uint64
	if n := len(text); n >= 8 {
		t := text[n-8:]
		word = uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
	} else {
		for i := range n {
			word = word<<8 | uint64(text[i])
		}
	}
	return word * 0x9e3779b97f4a7c15 >> (64 - 12) // the golden ratio: Knuth's multiplicative hash
}
