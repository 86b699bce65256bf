package encoder

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// distanceBias is the score bias by relative position of T5 and MPNet: a table
// [buckets,H] looked up by the bucket of the distance (key minus query), as
// [1,H,S,S].
func (n *network) distanceBias(table string, length int, bucket func(distance int) int32) *graph.Node {
	index := make([]int32, length*length)
	for i := range length {
		for j := range length {
			index[i*length+j] = bucket(j - i)
		}
	}
	rows := n.lookup(table, graph.ConstTensor(n.g, tensors.FromFlatDataAndDimensions(index, length, length)))
	return graph.InsertAxes(graph.TransposeAllAxes(rows, 2, 0, 1), 0)
}

// bothBuckets numbers the distances of an encoder, with half of the buckets for each direction.
func bothBuckets(buckets, maxDistance int) func(int) int32 {
	half := buckets / 2
	return func(distance int) int32 {
		if distance > 0 {
			return int32(half) + distanceBucket(distance, half, maxDistance)
		}
		return distanceBucket(-distance, half, maxDistance)
	}
}

// pastBuckets numbers the distances of a decoder, which sees no later keys.
func pastBuckets(buckets, maxDistance int) func(int) int32 {
	return func(distance int) int32 { return distanceBucket(max(-distance, 0), buckets, maxDistance) }
}

// distanceBucket numbers a distance that is not negative: one bucket for each distance in the
// nearer half, then ever wider ones up to maxDistance (Raffel et al. 2020). It uses float32 like
// transformers, which matters for distances on a border.
func distanceBucket(distance, buckets, maxDistance int) int32 {
	near := buckets / 2
	if distance < near {
		return int32(distance)
	}
	log := float32(math.Log(float64(float32(distance) / float32(near))))
	log /= float32(math.Log(float64(maxDistance) / float64(near)))
	far := near + int(log*float32(buckets-near))
	return int32(min(far, buckets-1))
}

// checkBuckets returns an error for sizes for which an encoder's buckets are not defined: half of
// them are for each direction, and half of those for the nearer distances.
func checkBuckets(buckets, maxDistance int) error {
	if buckets < 4 || maxDistance <= buckets/2/2 {
		return fmt.Errorf("%d relative attention buckets up to distance %d are not possible", buckets, maxDistance)
	}
	return nil
}
