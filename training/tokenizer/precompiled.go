package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// charMap is SentencePiece's character map: a double-array trie from byte sequences to their
// replacements.
type charMap struct {
	units  []uint32
	values string // replacements, each ended by a zero byte
}

// precompiled applies a map like HuggingFace's library.
type precompiled struct{ charMap }

func readPrecompiled(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type string  `json:"type"`
		Map  *string `json:"precompiled_charsmap"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if section.Map == nil || *section.Map == "" {
		return rewrite(func(s string) string { return s }), nil
	}
	raw, err := base64.StdEncoding.DecodeString(*section.Map)
	if err != nil {
		return nil, err
	}
	if len(raw) < 4 {
		return nil, errors.New("precompiled_charsmap is too short")
	}
	rules, err := newCharMap(raw)
	return precompiled{rules}, err
}

// newCharMap reads a compiled map; an empty one has no rules.
func newCharMap(raw []byte) (charMap, error) {
	if len(raw) == 0 {
		return charMap{}, nil
	}
	if len(raw) < 4 {
		return charMap{}, errors.New("precompiled_charsmap is too short")
	}
	n := int64(binary.LittleEndian.Uint32(raw))
	if n%4 != 0 || n > int64(len(raw)-4) {
		return charMap{}, errors.New("precompiled_charsmap is damaged")
	}
	c := charMap{values: string(raw[4+n:])}
	for value := range strings.SplitSeq(c.values, "\x00") {
		if len(value) > maxGrowth {
			return charMap{}, fmt.Errorf("precompiled_charsmap replaces a character by %d bytes, more than %d", len(value), maxGrowth)
		}
	}
	for at := int64(4); at < 4+n; at += 4 {
		c.units = append(c.units, binary.LittleEndian.Uint32(raw[at:]))
	}
	return c, nil
}

// normalize replaces grapheme clusters, or their characters if the map lacks the cluster, like
// HuggingFace's spm_precompiled.
func (p precompiled) normalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	clusters := graphemes.FromString(s)
	for clusters.Next() {
		cluster := clusters.Value()
		if len(cluster) < 6 {
			if value, ok := p.find(cluster); ok {
				b.WriteString(value)
				continue
			}
		}
		for _, r := range cluster {
			if value, ok := p.find(string(r)); ok {
				b.WriteString(value)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// find returns the replacement of the shortest prefix of key that has one.
func (c charMap) find(key string) (value string, ok bool) {
	for value := range c.prefixes(key) {
		return value, true
	}
	return "", false
}

// longest returns the replacement of the longest prefix of text that has one, and the prefix's
// length; 0 if there is none.
func (c charMap) longest(text string) (value string, n int) {
	for v, length := range c.prefixes(text) {
		value, n = v, length
	}
	return value, n
}

// prefixes yields the replacements of the prefixes of key that have one, with their lengths. The
// trie is that of darts-clone: in a unit, bits 0-7 and 31 are the label, bit 8 means that a value
// follows, and bits 10-30 (shifted by 8 if bit 9 is set) are the offset of the children.
func (c charMap) prefixes(key string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		if len(c.units) == 0 {
			return
		}
		at := offset(c.units[0])
		for i := range len(key) {
			at ^= uint32(key[i])
			if key[i] == 0 || int(at) >= len(c.units) {
				return
			}
			unit := c.units[at]
			if unit&(1<<31|0xff) != uint32(key[i]) {
				return
			}
			at ^= offset(unit)
			if unit>>8&1 == 0 {
				continue
			}
			if int(at) >= len(c.units) {
				return
			}
			start := c.units[at] & (1<<31 - 1)
			if int64(start) > int64(len(c.values)) {
				return
			}
			value, _, _ := strings.Cut(c.values[start:], "\x00")
			if !yield(value, i+1) {
				return
			}
		}
	}
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
