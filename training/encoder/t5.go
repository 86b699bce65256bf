package encoder

import (
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// t5 is the encoder half of T5 (Raffel et al. 2020; transformers'
// T5EncoderModel): pre-norm without biases, unscaled attention, a bias by
// relative distance that all blocks share.
type t5 struct{}

const t5Bias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"

func (t5) class() string { return "T5EncoderModel" }

func (t5) keys() map[string]string {
	return map[string]string{
		"d_model": "hidden_size", "d_ff": "intermediate_size", "d_kv": "head_dim",
		"num_heads": "num_attention_heads", "num_layers": "num_hidden_layers",
		"layer_norm_epsilon": "layer_norm_eps", "feed_forward_proj": "hidden_act",
	}
}

func (t t5) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-6)
	setDefault(&c.HiddenAct, "relu")
	setDefault(&c.HeadDim, 64)
	setDefault(&c.RelativeBuckets, 32)
	setDefault(&c.RelativeDistance, 128)
	activation, _ := t.gated(c.HiddenAct)
	if err := c.checkLayers(activation); err != nil {
		return err
	}
	return checkBuckets(c.RelativeBuckets, c.RelativeDistance)
}

// gated splits feed_forward_proj: "gated-gelu" is a gate with the tanh gelu.
func (t5) gated(name string) (activation string, gated bool) {
	activation, gated = strings.CutPrefix(name, "gated-")
	if gated && activation == "gelu" {
		activation = "gelu_new"
	}
	return activation, gated
}

func (t5) canonical(name string) string { return strings.TrimPrefix(name, "transformer.") }

// ignored: encoder.embed_tokens is a copy of shared.
func (t5) ignored(name string) bool {
	return name == "encoder.embed_tokens.weight" || hasAnyPrefix(name, "decoder.", "lm_head.", "classification_head.")
}

func (t t5) tensors(c *Config) []tensor {
	list := []tensor{{"shared.weight", []int{c.VocabSize, c.HiddenSize}, embedding}}
	for i := range c.NumHiddenLayers {
		block := fmt.Sprintf("encoder.block.%d.", i)
		list = append(list, t.attentionTensors(c, block+"layer.0.", "SelfAttention")...)
		if i == 0 {
			list = append(list, tensor{t5Bias + ".weight", []int{c.RelativeBuckets, c.NumAttentionHeads}, embedding})
		}
		list = append(list, t.forwardTensors(c, block+"layer.1.")...)
	}
	return append(list, tensor{"encoder.final_layer_norm.weight", []int{c.HiddenSize}, ones})
}

// attentionTensors are the projections of an attention layer and its norm.
func (t5) attentionTensors(c *Config, layer, kind string) []tensor {
	d, inner := c.HiddenSize, c.NumAttentionHeads*c.HeadDim
	var list []tensor
	for _, part := range []string{"q", "k", "v"} {
		list = append(list, tensor{layer + kind + "." + part + ".weight", []int{inner, d}, matrix})
	}
	return append(list,
		tensor{layer + kind + ".o.weight", []int{d, inner}, output},
		tensor{layer + "layer_norm.weight", []int{d}, ones})
}

// forwardTensors are the weights of a feed-forward layer and its norm.
func (t t5) forwardTensors(c *Config, layer string) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	ups := []string{"wi"}
	if _, gated := t.gated(c.HiddenAct); gated {
		ups = []string{"wi_0", "wi_1"}
	}
	var list []tensor
	for _, up := range ups {
		list = append(list, tensor{layer + "DenseReluDense." + up + ".weight", []int{f, d}, matrix})
	}
	return append(list,
		tensor{layer + "DenseReluDense.wo.weight", []int{d, f}, output},
		tensor{layer + "layer_norm.weight", []int{d}, ones})
}

func (t t5) hidden(n *network, in input) *graph.Node {
	c := n.config
	bias := n.distanceBias(t5Bias, in.ids.Shape().Dim(1), bothBuckets(c.RelativeBuckets, c.RelativeDistance))
	bias = graph.Add(paddingBias(in.mask), bias)
	x := n.drop(n.lookup("shared", in.ids))
	for i := range c.NumHiddenLayers {
		block := fmt.Sprintf("encoder.block.%d.", i)
		x = n.beginBlock(x)
		y := n.rmsNorm(block+"layer.0.layer_norm", x)
		x = residual(x, n.drop(t.attend(n, block+"layer.0.SelfAttention.", y, y, bias)))
		x = residual(x, n.drop(t.forward(n, block+"layer.1.", x)))
	}
	return n.drop(n.rmsNorm("encoder.final_layer_norm", n.endBlocks(x)))
}

// attend lets x [B,S,D] attend to memory [B,M,D].
func (t5) attend(n *network, name string, x, memory, bias *graph.Node) *graph.Node {
	count := n.config.NumAttentionHeads
	q := heads(n.project(name+"q", x), count)
	k, v := heads(n.project(name+"k", memory), count), heads(n.project(name+"v", memory), count)
	return n.project(name+"o", n.attend(q, k, v, bias, 1))
}

// forward is the feed-forward layer, norm first.
func (t t5) forward(n *network, layer string, x *graph.Node) *graph.Node {
	name, gated := t.gated(n.config.HiddenAct)
	y := n.rmsNorm(layer+"layer_norm", x)
	dense := layer + "DenseReluDense."
	if gated {
		y = graph.Mul(n.activateBy(name, n.project(dense+"wi_0", y)), n.project(dense+"wi_1", y))
	} else {
		y = n.activateBy(name, n.project(dense+"wi", y))
	}
	return n.project(dense+"wo", n.drop(y))
}
