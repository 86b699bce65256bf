package catalog

import (
	"errors"
	"fmt"

	"infbench/runners"
	"infbench/training/encoder"
)

// VectorCaches are the embedding caches that an evaluation has open.
type VectorCaches struct {
	folders []string
	open    []cache
}

// cache is the common interface of caches of vectors and of other outputs.
type cache interface {
	Stats() runners.CacheStats
	Close() error
}

// Keep returns an encoder with a cache of its vectors in a folder; "" means no cache. source
// returns the origin of the model.
func (v *VectorCaches) Keep(enc *encoder.Encoder, folder, dev string, source func() (string, error)) (runners.Encoder, error) {
	if folder == "" {
		return enc, nil
	}
	from, err := source()
	if err != nil {
		return nil, err
	}
	of, err := fingerprint(from, enc, dev)
	if err != nil {
		return nil, err
	}
	return v.put(enc, folder, of)
}

// put returns an encoder with a cache in a folder; "" means no cache.
func (v *VectorCaches) put(enc runners.Encoder, folder, fingerprint string) (runners.Encoder, error) {
	if folder == "" {
		return enc, nil
	}
	c, err := runners.NewCached(enc, folder, fingerprint)
	if err != nil {
		return nil, err
	}
	v.folders, v.open = append(v.folders, folder), append(v.open, c)
	return c, nil
}

// putTexts opens a cache in a folder for outputs of a model that are not single vectors.
func (v *VectorCaches) putTexts(folder, fingerprint string) (*runners.Payloads, error) {
	p, err := runners.OpenPayloads(folder, fingerprint)
	if err != nil {
		return nil, err
	}
	v.folders, v.open = append(v.folders, folder), append(v.open, p)
	return p, nil
}

// Use describes the use of the caches; "" if there is none.
func (v *VectorCaches) Use() string {
	if len(v.open) == 0 {
		return ""
	}
	hits, misses, damaged := 0, 0, 0
	for _, c := range v.open {
		s := c.Stats()
		hits, misses, damaged = hits+s.Hits, misses+s.Misses, damaged+s.Damaged
	}
	use := fmt.Sprintf("embedding cache %s: %d texts found, %d encoded", v.folders[0], hits, misses)
	if damaged > 0 {
		use += fmt.Sprintf(", %d damaged vectors skipped", damaged)
	}
	return use + "\n"
}

// Close closes the caches.
func (v *VectorCaches) Close() error {
	var all error
	for _, c := range v.open {
		all = errors.Join(all, c.Close())
	}
	v.open = nil
	return all
}
