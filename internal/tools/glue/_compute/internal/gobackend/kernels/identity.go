package kernels

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/internal/gobackend"
)

func init() { gobackend.RegisterTransformation(0, identities{}) }

// identities has nodes take the values of identities from where those have them. An
// identity copies what something else needs, too, and GoMLX makes one for each gradient
// of our own. Those that are results stay.
type identities struct{}

// Name implements gobackend.GraphTransformation.
func (identities) Name() string { return "Identities" }

// Apply implements gobackend.GraphTransformation.
func (identities) Apply(b *gobackend.Builder) (unordered bool, err error) {
	for _, f := range b.Functions {
		for _, n := range f.Nodes {
			for i, input := range n.Inputs {
				n.Inputs[i] = original(input)
			}
		}
	}
	return false, nil
}

// original is what an identity has the values of, any other node itself.
func original(n *gobackend.Node) *gobackend.Node {
	for n.OpType == compute.OpTypeIdentity {
		n = n.Inputs[0]
	}
	return n
}
