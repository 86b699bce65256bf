package curate

import (
	"encoding/binary"
	"math/rand/v2"

	"crypto/sha256"
)

// Random is the source of randomness of a purpose and an ID under a seed: no other has a
// say in what it gives, so that neither order nor concurrency has.
func Random(seed uint64, purpose, id string) *rand.Rand {
	sum := sha256.Sum256([]byte(purpose + "\n" + id))
	return rand.New(rand.NewPCG(seed^binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
