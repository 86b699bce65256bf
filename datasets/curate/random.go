package curate

import (
	"encoding/binary"
	"math/rand/v2"

	"crypto/sha256"
)

// Random returns the random source of a purpose and an ID under a seed. Its values depend on
// nothing else, in particular not on order and concurrency.
func Random(seed uint64, purpose, id string) *rand.Rand {
	sum := sha256.Sum256([]byte(purpose + "\n" + id))
	return rand.New(rand.NewPCG(seed^binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
