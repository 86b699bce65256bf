package encoder

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// distanceBias is the score bias by relative position of T5 and MPNet: a table
// [buckets,H] looked up by bucket, as [1,H,S,S].
func (n *network) distanceBias(table string, length, buckets, maxDistance int) *graph.Node {
	index := make([]int32, length*length)
	for i := range length {
		for j := range length {
			index[i*length+j] = distanceBucket(j-i, buckets, maxDistance)
		}
	}
	rows := n.lookup(table, graph.ConstTensor(n.g, tensors.FromFlatDataAndDimensions(index, length, length)))
	return graph.InsertAxes(graph.TransposeAllAxes(rows, 2, 0, 1), 0)
}

// distanceBucket numbers the distance from a query to a key (key minus query):
// half of the buckets for each direction, of these one a distance for the
// nearer half, then ever wider ones up to maxDistance (Raffel et al. 2020). In
// float32 like transformers, which decides the distances on a border.
func distanceBucket(distance, buckets, maxDistance int) int32 {
	half := buckets / 2
	first := 0
	if distance > 0 {
		first = half
	}
	d, near := max(distance, -distance), half/2
	if d < near {
		return int32(first + d)
	}
	log := float32(math.Log(float64(float32(d) / float32(near))))
	log /= float32(math.Log(float64(maxDistance) / float64(near)))
	far := near + int(log*float32(half-near))
	return int32(first + min(far, half-1))
}

// checkBuckets refuses sizes for which the buckets are not defined.
func checkBuckets(buckets, maxDistance int) error {
	if buckets < 4 || buckets%2 != 0 || maxDistance <= buckets/4 {
		return fmt.Errorf("%d relative attention buckets up to distance %d are not possible", buckets, maxDistance)
	}
	return nil
}
