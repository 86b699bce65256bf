package encoder

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// gemma3 is the text network of Gemma 3 (Gemma Team 2025, arXiv 2503.19786; transformers'
// Gemma3TextModel): a decoder with norms before and after each part. Most of its layers attend to
// a window. EmbeddingGemma is the same network attending both ways (use_bidirectional_attention).
type gemma3 struct{ decoderNames }

// Defaults of Gemma3TextConfig.
const (
	gemma3KeyHeads    = 4
	gemma3HeadDim     = 256
	gemma3QueryScale  = 256
	gemma3Window      = 4096
	gemma3Pattern     = 6
	gemma3Positions   = 131072
	gemma3GlobalTheta = 1e6
	gemma3LocalTheta  = 1e4
)

func (gemma3) class() string { return "Gemma3TextModel" }

func (gemma3) keys() map[string]string {
	return map[string]string{
		"rms_norm_eps": "layer_norm_eps", "hidden_activation": "hidden_act", "rope_local_base_freq": "local_rope_theta",
	}
}

func (g gemma3) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-6)
	setDefault(&c.HiddenAct, "gelu_pytorch_tanh")
	setDefault(&c.NumKeyValueHeads, gemma3KeyHeads)
	setDefault(&c.HeadDim, gemma3HeadDim)
	setDefault(&c.QueryScale, gemma3QueryScale)
	setDefault(&c.MaxPositionEmbeddings, gemma3Positions)
	if _, ok := c.flat["sliding_window"]; !ok && c.SlidingWindow == nil {
		window := gemma3Window
		c.SlidingWindow = &window
	}
	c.maxTokens = c.MaxPositionEmbeddings
	err := errors.Join(c.checkLayers(c.HiddenAct), g.readRope(c), c.checkLayerTypes())
	if err != nil {
		return err
	}
	return g.check(c)
}

// check returns an error for settings that no Gemma 3 has.
func (g gemma3) check(c *Config) error {
	switch {
	case c.HeadDim < 2 || c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim %d is not even", c.HeadDim)
	case c.NumKeyValueHeads < 1 || c.NumAttentionHeads%c.NumKeyValueHeads != 0:
		return fmt.Errorf("num_attention_heads %d is not a multiple of num_key_value_heads %d", c.NumAttentionHeads, c.NumKeyValueHeads)
	case !(c.QueryScale > 0):
		return fmt.Errorf("query_pre_attn_scalar is %g", c.QueryScale)
	case c.FinalSoftcap < 0:
		return fmt.Errorf("final_logit_softcapping is %g", c.FinalSoftcap)
	case c.LayerPattern < 0:
		return fmt.Errorf("sliding_window_pattern is %d", c.LayerPattern)
	case c.Causal != nil && !*c.Causal:
		return errors.New("is_causal false is not supported in this family; use use_bidirectional_attention")
	}
	local := slices.ContainsFunc(g.layerTypes(c), func(kind string) bool { return kind == slidingAttention })
	switch {
	case local && c.SlidingWindow == nil:
		return errors.New("sliding_window is null, and there are layers of sliding_attention")
	case local && *c.SlidingWindow < 1:
		return fmt.Errorf("sliding_window is %d", *c.SlidingWindow)
	}
	return nil
}

// readRope reads the angles of both types of layer. In versions before rope_parameters, which has
// an object for each type, rope_scaling applies to the global layers only.
func (gemma3) readRope(c *Config) error {
	ropes, err := c.ropeOfLayerTypes()
	if err != nil {
		return err
	}
	if ropes == nil {
		err = errors.Join(c.checkTheta("rope_theta"), c.checkTheta("rope_local_base_freq"))
	} else {
		global, local := ropes[fullAttention], ropes[slidingAttention]
		c.RopeTheta, c.RopeScaling = global.Theta, global
		c.LocalTheta, c.localScaling = local.Theta, local
	}
	setDefault(&c.RopeTheta, gemma3GlobalTheta)
	setDefault(&c.LocalTheta, gemma3LocalTheta)
	return errors.Join(err, c.RopeScaling.check(), c.localScaling.check())
}

// layerTypes names the type of each layer: from the file, or global at a fixed interval. As in
// transformers, the key _sliding_window_pattern has no effect.
func (gemma3) layerTypes(c *Config) []string {
	if c.LayerTypes != nil {
		return c.LayerTypes
	}
	pattern := c.LayerPattern
	setDefault(&pattern, gemma3Pattern)
	list := slices.Repeat([]string{slidingAttention}, c.NumHiddenLayers)
	for i := pattern - 1; i < len(list); i += pattern {
		list[i] = fullAttention
	}
	return list
}

// isCausal reports whether tokens see only earlier ones.
func (gemma3) isCausal(c *Config) bool { return !c.BothWays && !c.Text.BothWays }

func (gemma3) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	queries, keys := c.NumAttentionHeads*c.HeadDim, c.NumKeyValueHeads*c.HeadDim
	list := []tensor{{"embed_tokens.weight", []int{c.VocabSize, d}, embedding}} // the stream begins sqrt(d) times as large
	norm := func(name string, width int) { list = append(list, tensor{name + ".weight", []int{width}, zeros}) }
	linear := func(name string, out, in int, s start, bias bool) {
		list = append(list, maybeLinearTensors(name, out, in, s, bias)...)
	}
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		norm(layer+"input_layernorm", d)
		linear(layer+"self_attn.q_proj", queries, d, matrix, c.AttentionBias)
		linear(layer+"self_attn.k_proj", keys, d, matrix, c.AttentionBias)
		linear(layer+"self_attn.v_proj", keys, d, matrix, c.AttentionBias)
		linear(layer+"self_attn.o_proj", d, queries, output, c.AttentionBias)
		norm(layer+"self_attn.q_norm", c.HeadDim)
		norm(layer+"self_attn.k_norm", c.HeadDim)
		norm(layer+"post_attention_layernorm", d)
		norm(layer+"pre_feedforward_layernorm", d)
		linear(layer+"mlp.gate_proj", f, d, matrix, false)
		linear(layer+"mlp.up_proj", f, d, matrix, false)
		linear(layer+"mlp.down_proj", d, f, output, false)
		norm(layer+"post_feedforward_layernorm", d)
	}
	norm("norm", d)
	return list
}

// sight describes what the layers of one type see: the rotation of positions, and the score bias
// of pairs.
type sight struct {
	turns rotary
	bias  *graph.Node
}

func (g gemma3) hidden(n *network, in input) *graph.Node {
	c, length := n.config, in.ids.Shape().Dim(1)
	tokens := paddingBias(in.mask)
	global := tokens
	before, after := g.window(c)/2, g.window(c)/2 // transformers halves a window that attends both ways
	if g.isCausal(c) {
		global = graph.Add(tokens, bandBias(n.g, length, length-1, 0))
		before, after = g.window(c)-1, 0
	}
	return g.blocks(n, in.ids, map[string]sight{
		fullAttention:    {newRotary(n.g, c.angles(), length), global},
		slidingAttention: {newRotary(n.g, g.localAngles(c), length), graph.Add(tokens, bandBias(n.g, length, before, after))},
	})
}

// window is the number of tokens that a layer with a window sees. It may be null if no layer has
// one.
func (gemma3) window(c *Config) int {
	if c.SlidingWindow == nil {
		return c.MaxPositionEmbeddings
	}
	return *c.SlidingWindow
}

// localAngles are the rotary frequencies of layers with a window.
func (gemma3) localAngles(c *Config) angles {
	return angles{c.LocalTheta, c.HeadDim, c.MaxPositionEmbeddings, c.localScaling}
}

// blocks builds the layers on ids [B,S], each with the sight of its type.
func (g gemma3) blocks(n *network, ids *graph.Node, sights map[string]sight) *graph.Node {
	c := n.config
	scale := 1 / math.Sqrt(c.QueryScale)
	x := graph.MulScalar(n.lookup("embed_tokens", ids), math.Sqrt(float64(c.HiddenSize)))
	for i, kind := range g.layerTypes(c) {
		layer := fmt.Sprintf("layers.%d.", i)
		sees := sights[kind]
		x = n.beginBlock(x)
		y := n.offsetNorm(layer+"input_layernorm", x)
		q := heads(n.maybeLinear(layer+"self_attn.q_proj", y), c.NumAttentionHeads)
		k := heads(n.maybeLinear(layer+"self_attn.k_proj", y), c.NumKeyValueHeads)
		v := heads(n.maybeLinear(layer+"self_attn.v_proj", y), c.NumKeyValueHeads)
		q = sees.turns.turn(n.offsetNorm(layer+"self_attn.q_norm", q))
		k = sees.turns.turn(n.offsetNorm(layer+"self_attn.k_norm", k))
		y = n.maybeLinear(layer+"self_attn.o_proj", n.attend(q, k, v, sees.bias, scale))
		x = residual(x, n.offsetNorm(layer+"post_attention_layernorm", y))
		y = n.offsetNorm(layer+"pre_feedforward_layernorm", x)
		gate := n.activate(n.project(layer+"mlp.gate_proj", y))
		y = n.project(layer+"mlp.down_proj", graph.Mul(gate, n.project(layer+"mlp.up_proj", y)))
		x = residual(x, n.offsetNorm(layer+"post_feedforward_layernorm", y))
	}
	return n.offsetNorm("norm", n.endBlocks(x))
}

// offsetNorm is rmsNorm with a gain of 1 + weight.
func (n *network) offsetNorm(name string, x *graph.Node) *graph.Node {
	return normalize(wide(x), graph.AddScalar(n.weight(name+".weight"), 1.0), n.config.NormEps, false)
}

// output is the layer that predicts tokens. It uses the input table, unscaled, unless config.json
// sets otherwise.
func (g gemma3) output(c *Config) causal {
	table := "embed_tokens"
	if c.Tied != nil && !*c.Tied {
		table = outputTable
	}
	return causal{g, table, c.FinalSoftcap}
}

func (gemma3) classifier(*Config) (classifier, error) { return decoderClassifier(), nil }
