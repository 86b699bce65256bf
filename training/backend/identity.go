package backend

import (
	"github.com/gomlx/compute"
)

// identities replaces identity nodes by the nodes whose values they copy: the copy is wasted
// if another node needs the values, too, and GoMLX makes an identity for each of our custom
// gradients. Identities that are results stay.
type identities struct{}

// Name implements transformation.
func (identities) Name() string { return "Identities" }

// Apply implements transformation.
func (identities) Apply(b *builder) (unordered bool, err error) {
	for _, f := range b.Functions {
		for _, n := range f.Nodes {
			for i, input := range n.Inputs {
				n.Inputs[i] = original(input)
			}
		}
	}
	return false, nil
}

// original returns the node whose values an identity copies, or the node itself.
func original(n *node) *node {
	for n.OpType == compute.OpTypeIdentity {
		n = n.Inputs[0]
	}
	return n
}
