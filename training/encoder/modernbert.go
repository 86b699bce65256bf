package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// modernbert is the pre-norm encoder with rotary positions, gated feed-forward and attention that
// is local in most layers (Warner et al. 2024; transformers' ModernBertModel). It has biases only
// if config.json sets them.
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
	if err := c.readModernRope(); err != nil {
		return err
	}
	switch {
	case c.GlobalEvery < 1 || c.LocalAttention < 1:
		return fmt.Errorf("global_attn_every_n_layers %d, local_attention %d", c.GlobalEvery, c.LocalAttention)
	case c.HiddenSize%(2*c.NumAttentionHeads) != 0:
		return fmt.Errorf("hidden_size %d does not give %d heads of even width", c.HiddenSize, c.NumAttentionHeads)
	}
	return c.checkLayerTypes()
}

// The layer_types of config.json.
const (
	fullAttention    = "full_attention"
	slidingAttention = "sliding_attention"
)

// checkLayerTypes checks that layer_types, if config.json has it, has one known type per layer.
func (c *Config) checkLayerTypes() error {
	if c.LayerTypes == nil {
		return nil
	}
	if len(c.LayerTypes) != c.NumHiddenLayers {
		return fmt.Errorf("layer_types names %d of %d layers", len(c.LayerTypes), c.NumHiddenLayers)
	}
	for _, name := range c.LayerTypes {
		if name != fullAttention && name != slidingAttention {
			return nearest.Unknown("layer type", name, []string{fullAttention, slidingAttention})
		}
	}
	return nil
}

// readModernRope reads the angles from rope_parameters, which later versions of transformers
// write with one object for each type of layer.
func (c *Config) readModernRope() error {
	ropes, err := c.ropeOfLayerTypes()
	if ropes == nil || err != nil {
		return errors.Join(err, c.checkTheta("global_rope_theta"), c.checkTheta("local_rope_theta"))
	}
	for name, theta := range map[string]*float64{fullAttention: &c.GlobalTheta, slidingAttention: &c.LocalTheta} {
		if kind := ropes[name].kind(); kind != "default" {
			return fmt.Errorf("rope_parameters: %s of rope_type %q is not supported (known: default)", name, kind)
		}
		*theta = ropes[name].Theta
	}
	return nil
}

// checkTheta returns an error for an invalid base of rotary angles in config.json.
func (c *Config) checkTheta(key string) error {
	given, ok := c.flat[key]
	var theta *float64
	if !ok || json.Unmarshal(given, &theta) == nil && theta != nil && *theta > 0 {
		return nil
	}
	return fmt.Errorf("%s is %s: want a number above 0", key, given)
}

// ropeOfLayerTypes reads rope_parameters with an object for each type of layer, or nil if
// config.json has none.
func (c *Config) ropeOfLayerTypes() (map[string]*RopeScaling, error) {
	if c.flat["rope_parameters"] == nil || isOff(c.flat["rope_parameters"]) {
		return nil, nil
	}
	settings := struct {
		Types map[string]*RopeScaling `json:"rope_parameters"`
	}{}
	if err := c.decode(&settings); err != nil {
		return nil, fmt.Errorf("rope_parameters: %w", err)
	}
	for _, name := range []string{fullAttention, slidingAttention} {
		if rope := settings.Types[name]; rope == nil || rope.Theta <= 0 {
			return nil, fmt.Errorf("rope_parameters without %s.rope_theta", name)
		}
	}
	return settings.Types, nil
}

// isGlobal reports whether a layer attends to all tokens.
func (modernbert) isGlobal(c *Config, layer int) bool {
	if c.LayerTypes != nil {
		return c.LayerTypes[layer] == fullAttention
	}
	return layer%c.GlobalEvery == 0
}

// isLocal reports whether some layer attends to near tokens only.
func (m modernbert) isLocal(c *Config) bool {
	for i := range c.NumHiddenLayers {
		if !m.isGlobal(c, i) {
			return true
		}
	}
	return false
}

func (modernbert) canonical(name string) string { return strings.TrimPrefix(name, "model.") }

func (modernbert) ignored(name string) bool {
	return hasAnyPrefix(name, "head.", "decoder.", "classifier.") || strings.HasSuffix(name, "rotary_emb.inv_freq")
}

func (modernbert) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	list := []tensor{{"embeddings.tok_embeddings.weight", []int{c.VocabSize, d}, embedding}}
	add := func(pair []tensor, bias bool) {
		if !bias {
			pair = pair[:1]
		}
		list = append(list, pair...)
	}
	add(normTensors("embeddings.norm", d), c.NormBias)
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		if i > 0 { // the embedding norm comes before layer 0
			add(normTensors(layer+"attn_norm", d), c.NormBias)
		}
		add(linearTensors(layer+"attn.Wqkv", 3*d, d, matrix), c.AttentionBias)
		add(linearTensors(layer+"attn.Wo", d, d, output), c.AttentionBias)
		add(normTensors(layer+"mlp_norm", d), c.NormBias)
		add(linearTensors(layer+"mlp.Wi", 2*f, d, matrix), c.MLPBias)
		add(linearTensors(layer+"mlp.Wo", d, f, output), c.MLPBias)
	}
	add(normTensors("final_norm", d), c.NormBias)
	return list
}

func (m modernbert) hidden(n *network, in input) *graph.Node {
	c := n.config
	length, width := in.ids.Shape().Dim(1), c.HiddenSize/c.NumAttentionHeads
	global := newRotary(n.g, angles{theta: c.GlobalTheta, width: width}, length)
	local := newRotary(n.g, angles{theta: c.LocalTheta, width: width}, length)
	everywhere := paddingBias(in.mask)
	// The minimum keeps forbidden pairs from adding up: a token from which nothing may be seen,
	// such as one of a query's expansion, attends to all equally, or to none.
	nearby := graph.Min(everywhere, bandBias(n.g, length, c.LocalAttention/2, c.LocalAttention/2))
	scale := 1 / math.Sqrt(float64(width))
	x := n.drop(n.maybeNorm("embeddings.norm", n.lookup("embeddings.tok_embeddings", in.ids)))
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("layers.%d.", i)
		x = n.beginBlock(x)
		y, turns, bias := x, local, nearby
		if i > 0 {
			y = n.maybeNorm(layer+"attn_norm", x)
		}
		if m.isGlobal(c, i) {
			turns, bias = global, everywhere
		}
		parts := graph.Split(n.maybeLinear(layer+"attn.Wqkv", y), -1, 3)
		q, k := turns.turn(heads(parts[0], c.NumAttentionHeads)), turns.turn(heads(parts[1], c.NumAttentionHeads))
		mixed := n.attend(q, k, heads(parts[2], c.NumAttentionHeads), bias, scale)
		x = residual(x, n.drop(n.maybeLinear(layer+"attn.Wo", mixed)))
		halves := graph.Split(n.maybeLinear(layer+"mlp.Wi", n.maybeNorm(layer+"mlp_norm", x)), -1, 2)
		x = residual(x, n.maybeLinear(layer+"mlp.Wo", n.drop(graph.Mul(n.activate(halves[0]), halves[1]))))
	}
	return n.maybeNorm("final_norm", n.endBlocks(x))
}
