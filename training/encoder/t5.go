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

func (t5) canonical(name string) string { return name }

// ignored: encoder.embed_tokens is a copy of shared.
func (t5) ignored(name string) bool {
	return name == "encoder.embed_tokens.weight" || hasAnyPrefix(name, "decoder.", "lm_head.", "classification_head.")
}

func (t t5) tensors(c *Config) []tensor {
	d, f, inner := c.HiddenSize, c.IntermediateSize, c.NumAttentionHeads*c.HeadDim
	list := []tensor{{"shared.weight", []int{c.VocabSize, d}, embedding}}
	_, gated := t.gated(c.HiddenAct)
	for i := range c.NumHiddenLayers {
		attention := fmt.Sprintf("encoder.block.%d.layer.0.", i)
		for _, part := range []string{"q", "k", "v"} {
			list = append(list, tensor{attention + "SelfAttention." + part + ".weight", []int{inner, d}, matrix})
		}
		list = append(list, tensor{attention + "SelfAttention.o.weight", []int{d, inner}, output})
		if i == 0 {
			list = append(list, tensor{t5Bias + ".weight", []int{c.RelativeBuckets, c.NumAttentionHeads}, embedding})
		}
		list = append(list, tensor{attention + "layer_norm.weight", []int{d}, ones})
		forward := fmt.Sprintf("encoder.block.%d.layer.1.", i)
		ups := []string{"wi"}
		if gated {
			ups = []string{"wi_0", "wi_1"}
		}
		for _, up := range ups {
			list = append(list, tensor{forward + "DenseReluDense." + up + ".weight", []int{f, d}, matrix})
		}
		list = append(list,
			tensor{forward + "DenseReluDense.wo.weight", []int{d, f}, output},
			tensor{forward + "layer_norm.weight", []int{d}, ones})
	}
	return append(list, tensor{"encoder.final_layer_norm.weight", []int{d}, ones})
}

func (t t5) hidden(n *network, in input) *graph.Node {
	c := n.config
	bias := n.distanceBias(t5Bias, in.ids.Shape().Dim(1), c.RelativeBuckets, c.RelativeDistance)
	bias = graph.Add(paddingBias(in.mask), bias)
	name, gated := t.gated(c.HiddenAct)
	activation := activations()[name]
	x := n.lookup("shared", in.ids)
	for i := range c.NumHiddenLayers {
		attention := fmt.Sprintf("encoder.block.%d.layer.0.", i)
		y := n.rmsNorm(attention+"layer_norm", x)
		part := func(name string) *graph.Node {
			return heads(n.project(attention+"SelfAttention."+name, y), c.NumAttentionHeads)
		}
		mixed := attend(part("q"), part("k"), part("v"), bias, 1)
		x = graph.Add(x, n.project(attention+"SelfAttention.o", mixed))
		forward := fmt.Sprintf("encoder.block.%d.layer.1.", i)
		y = n.rmsNorm(forward+"layer_norm", x)
		dense := forward + "DenseReluDense."
		if gated {
			y = graph.Mul(activation(n.project(dense+"wi_0", y)), n.project(dense+"wi_1", y))
		} else {
			y = activation(n.project(dense+"wi", y))
		}
		x = graph.Add(x, n.project(dense+"wo", y))
	}
	return n.rmsNorm("encoder.final_layer_norm", x)
}
