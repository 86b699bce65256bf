package tokenizer

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// precompiled is SentencePiece's character map: a double-array trie from byte
// sequences to their replacements.
type precompiled struct {
	units  []uint32
	values []byte // replacements, each ended by a zero byte
}

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
	n := int64(binary.LittleEndian.Uint32(raw))
	if n%4 != 0 || n > int64(len(raw)-4) {
		return nil, errors.New("precompiled_charsmap is damaged")
	}
	p := precompiled{values: raw[4+n:]}
	for at := int64(4); at < 4+n; at += 4 {
		p.units = append(p.units, binary.LittleEndian.Uint32(raw[at:]))
	}
	return p, nil
}

// normalize replaces grapheme clusters, or where the map has none their
// characters, as HuggingFace's spm_precompiled.
func (p precompiled) normalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	clusters := graphemes.FromString(s)
	for clusters.Next() {
		cluster := clusters.Value()
		if len(cluster) < 6 {
			if value, ok := p.find(cluster); ok {
				b.Write(value)
				continue
			}
		}
		for _, r := range cluster {
			if value, ok := p.find(string(r)); ok {
				b.Write(value)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// find returns the replacement of the shortest prefix of key that has one.
// The trie is darts-clone's: in a unit, bits 0-7 and 31 are the label, bit 8
// says that a value follows, bits 10-30 (shifted by 8 if bit 9 is set) are the
// offset of the children.
func (p precompiled) find(key string) (value []byte, ok bool) {
	if len(p.units) == 0 {
		return nil, false
	}
	at := offset(p.units[0])
	for i := range len(key) {
		if key[i] == 0 {
			return nil, false
		}
		at ^= uint32(key[i])
		if int(at) >= len(p.units) {
			return nil, false
		}
		unit := p.units[at]
		if unit&(1<<31|0xff) != uint32(key[i]) {
			return nil, false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if int(at) >= len(p.units) {
			return nil, false
		}
		start := p.units[at] & (1<<31 - 1)
		if int64(start) > int64(len(p.values)) {
			return nil, false
		}
		value, _, _ = bytes.Cut(p.values[start:], []byte{0})
		return value, true
	}
	return nil, false
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
