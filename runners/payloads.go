package runners

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Payloads stores data of varying length that a model makes from texts, such as token vectors
// or term weights, in the files of an embedding cache. It is like Cached, with the same
// folders, segments and turns.
//
// The bytes of a text, preceded by their number, are cut into records of equal length. If a
// record of a text is missing or damaged, the text is encoded again.
type Payloads struct{ kept }

var _ Keeper = (*Payloads)(nil)

// Keeper stores bytes that were made from texts; Payloads is one.
type Keeper interface {
	Data(ctx context.Context, kind string, a, b []string, encode func(ctx context.Context, a, b []string) ([][]byte, error)) ([][]byte, error)
}

// payloadValues is the length of a record in values of four bytes: long compared with its key,
// and short compared with the vectors of a passage.
const payloadValues = 512

// payloadBytes is the size of a record; the first record of a text begins with the total number
// of bytes.
const (
	payloadBytes = 4 * payloadValues
	payloadHead  = 4
)

// OpenPayloads opens the part of an embedding cache in a folder that belongs to a fingerprint,
// with the same meaning as in NewCached. Close it after use.
func OpenPayloads(folder, fingerprint string) (*Payloads, error) {
	p := &Payloads{}
	if err := p.open(folder, fingerprint, payloadValues); err != nil {
		return nil, err
	}
	return p, nil
}

// Data returns the stored data of each text of a kind, given in two parts as to NewCached's
// encoder. It calls encode for texts without stored data. It is safe for concurrent use.
func (p *Payloads) Data(ctx context.Context, kind string, a, b []string, encode func(ctx context.Context, a, b []string) ([][]byte, error)) ([][]byte, error) {
	found := make([][]byte, len(a))
	var missing []int
	err := p.fill(ctx,
		func() (some bool, err error) { missing, err = p.find(kind, a, b, found); return len(missing) > 0, err },
		func() error { return p.add(ctx, kind, a, b, missing, found, encode) })
	if err != nil {
		return nil, err
	}
	return found, nil
}

// add encodes the missing texts, fills in their data and stores them.
func (p *Payloads) add(ctx context.Context, kind string, a, b []string, missing []int, found [][]byte, encode func(ctx context.Context, a, b []string) ([][]byte, error)) error {
	restA, restB := make([]string, len(missing)), make([]string, len(missing))
	for k, i := range missing {
		restA[k], restB[k] = a[i], b[i]
	}
	made, err := encode(ctx, restA, restB)
	if err != nil {
		return err
	}
	if len(made) != len(missing) {
		return fmt.Errorf("embedding cache: %d texts were encoded, but %d were requested", len(made), len(missing))
	}
	for k, i := range missing {
		found[i] = made[k]
	}
	return p.keep(kind, restA, restB, made)
}

// find fills in stored data that are not yet found, and lists the texts that have none.
func (p *Payloads) find(kind string, a, b []string, found [][]byte) (missing []int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range found {
		if found[i] != nil {
			continue
		}
		if found[i], err = p.read(kind, a[i], b[i]); err != nil {
			return nil, fmt.Errorf("embedding cache: %w", err)
		}
		if found[i] == nil {
			missing = append(missing, i)
		} else {
			p.hits++
		}
	}
	return missing, nil
}

// read joins the records of a text; nil if one is missing.
func (p *Payloads) read(kind, a, b string) ([]byte, error) {
	record, err := p.store.payload(p.key(kind, a, b, 0))
	if record == nil || err != nil {
		return nil, err
	}
	total := int(binary.LittleEndian.Uint32(record))
	data := append(make([]byte, 0, total+payloadBytes), record[payloadHead:]...)
	for part := 1; len(data) < total; part++ {
		if record, err = p.store.payload(p.key(kind, a, b, part)); record == nil || err != nil {
			return nil, err
		}
		data = append(data, record...)
	}
	return data[:total], nil
}

// key is the key of a part of a text's data.
func (p *Payloads) key(kind, a, b string, part int) [sha256.Size]byte {
	return vectorKey(p.fingerprint, kind, a, b, strconv.Itoa(part))
}

// keep stores the data of new texts.
func (p *Payloads) keep(kind string, a, b []string, made [][]byte) error {
	var keys [][sha256.Size]byte
	var parts [][]byte
	for i, data := range made {
		whole := append(binary.LittleEndian.AppendUint32(make([]byte, 0, payloadHead+len(data)), uint32(len(data))), data...)
		for part := 0; len(whole) > 0; part++ {
			n := min(payloadBytes, len(whole))
			keys, parts = append(keys, p.key(kind, a[i], b[i], part)), append(parts, whole[:n])
			whole = whole[n:]
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.misses += len(made)
	err := p.store.write(keys, func(record []byte, k int) []byte {
		return append(append(record, parts[k]...), make([]byte, payloadBytes-len(parts[k]))...)
	})
	if err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	return nil
}
