package curate

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Signature sizes. Bands of equal rows find pairs of texts that share more than about
// (1/bands)^(1/rows) = 0.42 of their shingles.
const (
	bands       = 32
	rowsOfABand = 4
	shingle     = 3 // length in words
)

// alike finds near-duplicates among texts with MinHash signatures (Broder 1997) in bands. The
// similarity of two texts that share a band is their share of equal hashes.
type alike struct {
	from  float64 // minimum Jaccard similarity of shingles of near-duplicates
	bands [bands]map[uint64][]int32
	texts [][bands * rowsOfABand]uint32
}

func newAlike(from float64) *alike {
	a := &alike{from: from}
	for i := range a.bands {
		a.bands[i] = map[uint64][]int32{}
	}
	return a
}

// seen reports whether a text is a near-duplicate of an added one, and adds it if not.
func (a *alike) seen(text string) bool {
	s := signature(text)
	var keys [bands]uint64
	for b := range bands {
		key := uint64(14695981039346656037)
		for _, h := range s[b*rowsOfABand : (b+1)*rowsOfABand] {
			key = (key ^ uint64(h)) * 1099511628211
		}
		keys[b] = key
		for _, i := range a.bands[b][key] {
			if equalShare(&s, &a.texts[i]) >= a.from {
				return true
			}
		}
	}
	for b, key := range keys {
		a.bands[b][key] = append(a.bands[b][key], int32(len(a.texts)))
	}
	a.texts = append(a.texts, s)
	return false
}

func equalShare(s, t *[bands * rowsOfABand]uint32) float64 {
	n := 0
	for i := range s {
		if s[i] == t[i] {
			n++
		}
	}
	return float64(n) / float64(len(s))
}

// signature returns the minimum hash of a text's shingles under each of several hash functions.
func signature(text string) (s [bands * rowsOfABand]uint32) {
	for i := range s {
		s[i] = math.MaxUint32
	}
	for h := range shingles(text) {
		for i := range s {
			x := (h + uint64(i)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
			x = (x ^ x>>29) * 0x94d049bb133111eb
			s[i] = min(s[i], uint32(x>>32))
		}
	}
	return s
}

// shingles returns hashes of a text's word sequences of length shingle, or of the entire text if it
// is shorter.
func shingles(text string) map[uint64]bool {
	words := plainWords(text)
	n := min(shingle, len(words))
	all := map[uint64]bool{}
	for i := 0; i+n <= len(words); i++ {
		h := fnv.New64a()
		h.Write([]byte(strings.Join(words[i:i+n], " ")))
		all[h.Sum64()] = true
	}
	return all
}

// similarity returns the Jaccard similarity of the shingles of two texts.
func similarity(x, y string) float64 {
	a, b := shingles(x), shingles(y)
	both := 0
	for h := range a {
		if b[h] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// plainWords returns the words of a text in lower case without punctuation.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sameWords reports whether two texts are equal except for case, punctuation and spaces.
func sameWords(x, y string) bool { return slices.Equal(plainWords(x), plainWords(y)) }
