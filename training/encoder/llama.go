package encoder

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// llama is the pre-norm decoder with rotary positions, grouped queries and a gated feed-forward
// part (Touvron et al. 2023), up to its last norm: transformers' LlamaModel, MistralModel,
// Qwen2Model and, with the additions of qwen3, Qwen3Model.
type llama struct {
	decoderNames
	name     string   // transformers class
	qkvBias  bool     // biases on q, k, v, whatever the configuration
	biasKeys biasKeys // bias keys that are settings of the family
	windowed windowed // layers that sliding_window applies to
	headNorm bool     // each head's queries and keys are normalised before rotation
	headDim  int      // default of head_dim; 0: hidden_size over heads
	kvHeads  int      // default of num_key_value_heads; 0: as many as heads
	bothWays bool     // no causal mask, whatever the configuration
}

// biasKeys lists the bias keys of config.json that transformers reads in a family; it ignores the
// others.
type biasKeys struct{ attention, mlp bool } // attention_bias, mlp_bias

// decoderNames handles the tensor names of decoders that are outside their task's head.
type decoderNames struct{}

func (decoderNames) canonical(name string) string { return strings.TrimPrefix(name, "model.") }

func (decoderNames) ignored(name string) bool {
	return hasAnyPrefix(name, "lm_head.", "score.") || strings.HasSuffix(name, "rotary_emb.inv_freq")
}

func (l llama) class() string { return l.name }

func (llama) keys() map[string]string { return map[string]string{"rms_norm_eps": "layer_norm_eps"} }

// readRope reads the rotary settings from rope_parameters, where later versions of transformers
// write them.
func (c *Config) readRope() error {
	settings := struct {
		Rope    *RopeScaling `json:"rope_parameters"`
		Partial *float64     `json:"partial_rotary_factor"`
	}{}
	if err := c.decode(&settings); err != nil {
		return fmt.Errorf("rope_parameters: %w", err)
	}
	if settings.Rope != nil {
		setIf(&c.RopeTheta, settings.Rope.Theta)
		if c.RopeTheta == 0 {
			return errors.New("rope_parameters without rope_theta")
		}
		c.RopeScaling = settings.Rope
	}
	theta, given := c.flat["rope_theta"]
	if c.RopeTheta < 0 || c.RopeTheta == 0 && given && !isOff(theta) {
		return fmt.Errorf("rope_theta is %g", c.RopeTheta)
	}
	return (&RopeScaling{Partial: settings.Partial}).checkPartial()
}

func (l llama) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-6)
	setDefault(&c.HiddenAct, "silu")
	c.AttentionBias = c.AttentionBias && l.biasKeys.attention
	c.MLPBias = c.MLPBias && l.biasKeys.mlp
	if err := c.readRope(); err != nil {
		return err
	}
	setDefault(&c.RopeTheta, 10000)
	l.setHeads(c)
	if err := c.checkLayers(c.HiddenAct); err != nil {
		return err
	}
	setDefault(&c.HeadDim, c.HiddenSize/c.NumAttentionHeads)
	c.maxTokens = c.MaxPositionEmbeddings
	switch {
	case c.HeadDim < 2 || c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim %d is not even", c.HeadDim)
	case c.NumKeyValueHeads < 1 || c.NumAttentionHeads%c.NumKeyValueHeads != 0:
		return fmt.Errorf("num_attention_heads %d is not a multiple of num_key_value_heads %d", c.NumAttentionHeads, c.NumKeyValueHeads)
	}
	if err := l.checkBothWays(c); err != nil {
		return err
	}
	if err := l.readWindows(c); err != nil {
		return err
	}
	if d := c.RopeScaling.kind(); (d == "dynamic" || d == "yarn") && c.MaxPositionEmbeddings < 1 {
		return fmt.Errorf("rope_scaling %s without max_position_embeddings", d)
	}
	return c.RopeScaling.check()
}

// setHeads sets the number and the width of heads that config.json leaves to the defaults of the
// family's class; a new network uses other sizes.
func (l llama) setHeads(c *Config) {
	if c.flat != nil {
		setDefault(&c.HeadDim, l.headDim)
		if _, ok := c.flat["num_key_value_heads"]; !ok {
			setDefault(&c.NumKeyValueHeads, l.kvHeads)
		}
	}
	setDefault(&c.NumKeyValueHeads, c.NumAttentionHeads)
}

// checkBothWays returns an error for Gemma's key for attention to later tokens, which
// transformers ignores in these families.
func (l llama) checkBothWays(c *Config) error {
	if value, ok := c.flat["use_bidirectional_attention"]; ok && !isOff(value) {
		return fmt.Errorf("use_bidirectional_attention %s is not a setting of %s (use is_causal false)", value, l.name)
	}
	return nil
}

// isCausal reports whether tokens see only earlier ones.
func (l llama) isCausal(c *Config) bool {
	return !l.bothWays && !c.Text.BothWays && (c.Causal == nil || *c.Causal)
}

func (l llama) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	queries, keys := c.NumAttentionHeads*c.HeadDim, c.NumKeyValueHeads*c.HeadDim
	list := []tensor{{"embed_tokens.weight", []int{c.VocabSize, d}, stream}}
	linear := func(name string, out, in int, s start, bias bool) {
		list = append(list, maybeLinearTensors(name, out, in, s, bias)...)
	}
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		list = append(list, tensor{layer + "input_layernorm.weight", []int{d}, ones})
		linear(layer+"self_attn.q_proj", queries, d, matrix, l.qkvBias || c.AttentionBias)
		linear(layer+"self_attn.k_proj", keys, d, matrix, l.qkvBias || c.AttentionBias)
		linear(layer+"self_attn.v_proj", keys, d, matrix, l.qkvBias || c.AttentionBias)
		linear(layer+"self_attn.o_proj", d, queries, output, c.AttentionBias)
		if l.headNorm {
			list = append(list, tensor{layer + "self_attn.q_norm.weight", []int{c.HeadDim}, ones},
				tensor{layer + "self_attn.k_norm.weight", []int{c.HeadDim}, ones})
		}
		list = append(list, tensor{layer + "post_attention_layernorm.weight", []int{d}, ones})
		linear(layer+"mlp.gate_proj", f, d, matrix, c.MLPBias)
		linear(layer+"mlp.up_proj", f, d, matrix, c.MLPBias)
		linear(layer+"mlp.down_proj", d, f, output, c.MLPBias)
	}
	return append(list, tensor{"norm.weight", []int{d}, ones})
}

func (l llama) hidden(n *network, in input) *graph.Node {
	c := n.config
	length := in.ids.Shape().Dim(1)
	padding := paddingBias(in.mask)
	biases := l.biases(c, length, func(window int) *graph.Node {
		if !l.isCausal(c) { // no window either, as in GritLM's code
			return padding
		}
		return graph.Add(padding, bandBias(n.g, length, window-1, 0))
	})
	return l.blocks(n, in.ids, newRotary(n.g, c.angles(), length), biases)
}

// angles are the rotary frequencies of the configuration.
func (c *Config) angles() angles {
	return angles{c.RopeTheta, c.HeadDim, c.MaxPositionEmbeddings, c.RopeScaling}
}

// blocks builds the layers on ids [B,S]; each layer has a bias.
func (l llama) blocks(n *network, ids *graph.Node, turns rotary, biases []*graph.Node) *graph.Node {
	c := n.config
	scale := 1 / math.Sqrt(float64(c.HeadDim))
	x := n.lookup("embed_tokens", ids)
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		x = n.beginBlock(x)
		y := n.rmsNorm(layer+"input_layernorm", x)
		q := turns.turn(l.head(n, layer+"self_attn.q", y, c.NumAttentionHeads))
		k := turns.turn(l.head(n, layer+"self_attn.k", y, c.NumKeyValueHeads))
		v := heads(n.maybeLinear(layer+"self_attn.v_proj", y), c.NumKeyValueHeads)
		x = residual(x, n.maybeLinear(layer+"self_attn.o_proj", n.attend(q, k, v, biases[i], scale)))
		y = n.rmsNorm(layer+"post_attention_layernorm", x)
		gate := n.activate(n.maybeLinear(layer+"mlp.gate_proj", y))
		y = graph.Mul(gate, n.maybeLinear(layer+"mlp.up_proj", y))
		x = residual(x, n.maybeLinear(layer+"mlp.down_proj", y))
	}
	return n.rmsNorm("norm", n.endBlocks(x))
}

// head returns the queries or the keys of x [B,S,D], [B,S,H,d], by the name of their layer.
func (l llama) head(n *network, name string, x *graph.Node, count int) *graph.Node {
	parts := heads(n.maybeLinear(name+"_proj", x), count)
	if l.headNorm {
		return n.rmsNorm(name+"_norm", parts)
	}
	return parts
}

func (llama) classifier(*Config) (classifier, error) { return decoderClassifier(), nil }
