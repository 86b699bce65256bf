package encoder

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// modernbert is the pre-norm encoder with rotary positions, gated feed-forward
// and attention that is local in most layers (Warner et al. 2024;
// transformers' ModernBertModel). It has no biases.
type modernbert struct{}

func (modernbert) class() string { return "ModernBertModel" }

func (modernbert) keys() map[string]string {
	return map[string]string{"norm_eps": "layer_norm_eps", "hidden_activation": "hidden_act"}
}

func (modernbert) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-5)
	setDefault(&c.HiddenAct, "gelu")
	setDefault(&c.GlobalEvery, 3)
	setDefault(&c.GlobalTheta, 160000)
	setDefault(&c.LocalTheta, 10000)
	setDefault(&c.LocalAttention, 128)
	c.maxTokens = c.MaxPositionEmbeddings
	if err := c.checkLayers(c.HiddenAct); err != nil {
		return err
	}
	switch {
	case c.AttentionBias || c.MLPBias || c.NormBias:
		return errors.New("attention_bias, mlp_bias and norm_bias true are not supported")
	case c.RopeParameters != nil:
		return errors.New("rope_parameters are not supported (known: global_rope_theta, local_rope_theta)")
	case c.GlobalEvery < 1 || c.LocalAttention < 1:
		return fmt.Errorf("global_attn_every_n_layers %d, local_attention %d", c.GlobalEvery, c.LocalAttention)
	case c.HiddenSize%(2*c.NumAttentionHeads) != 0:
		return fmt.Errorf("hidden_size %d does not give %d heads of even width", c.HiddenSize, c.NumAttentionHeads)
	}
	return nil
}

func (modernbert) canonical(name string) string { return strings.TrimPrefix(name, "model.") }

func (modernbert) ignored(name string) bool {
	return hasAnyPrefix(name, "head.", "decoder.", "classifier.") || strings.HasSuffix(name, ".rotary_emb.inv_freq")
}

func (modernbert) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	list := []tensor{
		{"embeddings.tok_embeddings.weight", []int{c.VocabSize, d}, embedding},
		{"embeddings.norm.weight", []int{d}, ones},
	}
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		if i > 0 { // the embedding norm stands before layer 0
			list = append(list, tensor{layer + "attn_norm.weight", []int{d}, ones})
		}
		list = append(list,
			tensor{layer + "attn.Wqkv.weight", []int{3 * d, d}, matrix},
			tensor{layer + "attn.Wo.weight", []int{d, d}, output},
			tensor{layer + "mlp_norm.weight", []int{d}, ones},
			tensor{layer + "mlp.Wi.weight", []int{2 * f, d}, matrix},
			tensor{layer + "mlp.Wo.weight", []int{d, f}, output})
	}
	return append(list, tensor{"final_norm.weight", []int{d}, ones})
}

func (modernbert) hidden(n *network, in input) *graph.Node {
	c := n.config
	length, width := in.ids.Shape().Dim(1), c.HiddenSize/c.NumAttentionHeads
	var none *RopeScaling
	global := newRotary(n.g, none.frequencies(c.GlobalTheta, width), length)
	local := newRotary(n.g, none.frequencies(c.LocalTheta, width), length)
	everywhere := paddingBias(in.mask)
	nearby := graph.Add(everywhere, bandBias(n.g, length, c.LocalAttention/2, c.LocalAttention/2))
	scale := 1 / math.Sqrt(float64(width))
	x := n.drop(n.plainNorm("embeddings.norm", n.lookup("embeddings.tok_embeddings", in.ids)))
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		x = n.beginBlock(x)
		y, turns, bias := x, local, nearby
		if i > 0 {
			y = n.plainNorm(layer+"attn_norm", x)
		}
		if i%c.GlobalEvery == 0 {
			turns, bias = global, everywhere
		}
		parts := graph.Split(n.project(layer+"attn.Wqkv", y), -1, 3)
		q, k := turns.turn(heads(parts[0], c.NumAttentionHeads)), turns.turn(heads(parts[1], c.NumAttentionHeads))
		mixed := n.attend(q, k, heads(parts[2], c.NumAttentionHeads), bias, scale)
		x = residual(x, n.drop(n.project(layer+"attn.Wo", mixed)))
		halves := graph.Split(n.project(layer+"mlp.Wi", n.plainNorm(layer+"mlp_norm", x)), -1, 2)
		x = residual(x, n.project(layer+"mlp.Wo", n.drop(graph.Mul(n.activate(halves[0]), halves[1]))))
	}
	return n.plainNorm("final_norm", n.endBlocks(x))
}
