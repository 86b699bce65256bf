package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// nvembed is NV-Embed (Lee et al. 2024; the NVEmbedModel of nvidia/NV-Embed-v1 and v2): Mistral
// without causal mask and window, then a layer in which every state attends to an array of
// trained latents, and a feed-forward layer. Its states are pooled by their mean, without those
// of the instruction.
type nvembed struct{}

// LatentAttention is latent_attention_config of NV-Embed's config.json.
type LatentAttention struct {
	Latents   int  `json:"num_latents_value"`
	Heads     int  `json:"num_cross_heads"`
	HeadDim   int  `json:"cross_dim_head"`
	HiddenDim int  `json:"hidden_dim"`
	LatentDim int  `json:"latent_dim"`
	Normalize bool `json:"output_normalize"` // vectors have length 1
}

// UnmarshalJSON starts from the defaults of the family's code.
func (l *LatentAttention) UnmarshalJSON(data []byte) error {
	type plain LatentAttention
	p := plain{Latents: 512, Heads: 8, HeadDim: 4096, HiddenDim: 4096, LatentDim: 4096, Normalize: true}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*l = LatentAttention(p)
	return nil
}

// Names of the two parts, and constants in the family's code.
const (
	nvembedNetwork = "embedding_model."
	nvembedLatents = "latent_attention_model."
	nvembedWiden   = 4 // of the feed-forward layer
	nvembedEps     = 1e-5
)

// mistral is the network below the latents.
func (nvembed) mistral() llama { return llama{name: "NVEmbedModel", kvHeads: 8, bothWays: true} }

func (nvembed) class() string { return "NVEmbedModel" }

func (v nvembed) isCausal(c *Config) bool { return v.mistral().isCausal(c) }

func (v nvembed) keys() map[string]string { return v.mistral().keys() }

// inside: Mistral's settings are in a separate object.
func (nvembed) inside() (object, modelType string) { return "text_config", "bidir_mistral" }

func (v nvembed) prepare(c *Config) error {
	if c.Latent == nil {
		return errors.New("no latent_attention_config")
	}
	l := c.Latent
	err := errors.Join(v.mistral().prepare(c), v.readTexts(c),
		inRange("num_latents_value", l.Latents), inRange("num_cross_heads", l.Heads), inRange("cross_dim_head", l.HeadDim))
	if l.HiddenDim != c.HiddenSize || l.LatentDim != c.HiddenSize {
		err = errors.Join(err, fmt.Errorf("hidden_dim %d and latent_dim %d must be hidden_size %d", l.HiddenDim, l.LatentDim, c.HiddenSize))
	}
	return err
}

// readTexts reads the settings for texts in config.json. Prompts are left out as this family
// counts them, unless infbench.json sets something other than ExcludePrompt.
func (nvembed) readTexts(c *Config) error {
	settings := struct {
		Mask     string `json:"mask_type"`
		Side     string `json:"padding_side"`
		EOS      bool   `json:"add_eos"`
		Excludes bool   `json:"is_mask_instruction"`
	}{"b", "right", true, true} // defaults of NVEmbedConfig
	if err := c.decode(&settings); err != nil {
		return err
	}
	if settings.Mask != "b" {
		return fmt.Errorf("mask_type %q is not supported (known: b)", settings.Mask)
	}
	c.Text.AppendEOS = c.Text.AppendEOS || settings.EOS && c.file != nil
	c.Text.Normalize = c.Text.Normalize || c.Latent.Normalize
	if settings.Excludes && settings.Side == "right" && c.Text.Pooling == Mean {
		if p := c.Text.Prompt; p == "" || p == ExcludePrompt {
			c.Text.Prompt = ExcludePromptBare
		}
		c.Text.promptSet = true
	}
	return nil
}

// canonical: task models add no prefix to these names.
func (nvembed) canonical(name string) string { return name }

func (nvembed) ignored(name string) bool { return strings.HasSuffix(name, "rotary_emb.inv_freq") }

func (v nvembed) tensors(c *Config) []tensor {
	list := v.mistral().tensors(c)
	for i := range list {
		list[i].name = nvembedNetwork + list[i].name
	}
	d, l := c.HiddenSize, c.Latent
	inner, wide := l.Heads*l.HeadDim, nvembedWiden*d
	const attention, forward = nvembedLatents + "cross_attend_blocks.0.", nvembedLatents + "cross_attend_blocks.1."
	list = append(list,
		tensor{nvembedLatents + "latents", []int{l.Latents, d}, embedding},
		tensor{attention + "fn.to_q.weight", []int{inner, d}, matrix},
		tensor{attention + "fn.to_kv.weight", []int{2 * inner, d}, matrix},
		tensor{attention + "fn.to_out.weight", []int{d, inner}, output})
	list = append(list, normTensors(attention+"norm", d)...)
	list = append(list, normTensors(attention+"norm_context", d)...)
	list = append(list, linearTensors(forward+"fn.net.0", 2*wide, d, matrix)...)
	list = append(list, linearTensors(forward+"fn.net.2", d, wide, output)...)
	return append(list, normTensors(forward+"norm", d)...)
}

func (v nvembed) hidden(n *network, in input) *graph.Node {
	below := *n
	below.prefix = n.prefix + nvembedNetwork
	return v.attend(n, v.mistral().hidden(&below, in))
}

// attend lets every state of x [B,S,D] attend to the latents, then applies the feed-forward
// layer. LayerNorm has PyTorch's epsilon here, and there is no dropout.
func (nvembed) attend(n *network, x *graph.Node) *graph.Node {
	config := *n.config
	config.NormEps = nvembedEps
	above := *n
	above.config, above.prefix, above.mode.Dropout = &config, n.prefix+nvembedLatents, nil
	count, width := config.Latent.Heads, config.Latent.HeadDim
	const attention, forward = "cross_attend_blocks.0.", "cross_attend_blocks.1."

	// All states share the latents, so they can form one long row.
	shape := x.Shape().Dimensions
	x = graph.Reshape(x, 1, shape[0]*shape[1], shape[2])
	latents := above.layerNorm(attention+"norm_context", graph.InsertAxes(above.weight("latents"), 0))
	parts := graph.Split(above.project(attention+"fn.to_kv", latents), -1, 2)
	q := heads(above.project(attention+"fn.to_q", above.layerNorm(attention+"norm", x)), count)
	noBias := graph.Zeros(n.g, shapes.Make(dtypes.Float32, 1, 1, 1, 1))
	mixed := above.attend(q, heads(parts[0], count), heads(parts[1], count), noBias, 1/math.Sqrt(float64(width)))
	x = residual(x, above.project(attention+"fn.to_out", mixed))

	halves := graph.Split(above.linear(forward+"fn.net.0", above.layerNorm(forward+"norm", x)), -1, 2)
	x = residual(x, above.linear(forward+"fn.net.2", graph.Mul(halves[0], above.activateBy("gelu", halves[1]))))
	return graph.Reshape(x, shape...)
}
