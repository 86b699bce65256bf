package encoder

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// t5Decoder is the decoder half of T5 (transformers'
// T5ForConditionalGeneration): self-attention with a bias by relative distance,
// attention to the encoder's states, feed-forward, output table.
type t5Decoder struct {
	table  string // lm_head, or shared if the two are tied
	scaled bool   // states are divided by the root of their width before the table
	start  int32  // the first token of a decoder
}

const t5DecoderBias = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias"

// decoderOf fills the decoder's settings. Tables are tied, and decoding starts with the padding
// id, unless config.json sets otherwise. Version 5 of transformers writes that tables are tied
// even if they are not. For that version scale_decoder_outputs and an output table in the weights
// decide.
func decoderOf(c *Config) (t5Decoder, error) {
	setDefault(&c.DecoderLayers, c.NumHiddenLayers)
	tied := c.Tied == nil || *c.Tied
	h := t5Decoder{table: "shared", scaled: tied, start: c.PadTokenID}
	if c.ScaleDecoder != nil {
		h.scaled, tied = *c.ScaleDecoder, tied && !c.ownOutput
	}
	if !tied {
		h.table = outputTable
	}
	if c.RelativeDistance <= c.RelativeBuckets/2 {
		return t5Decoder{}, fmt.Errorf("%d relative attention buckets of a decoder up to distance %d are not possible", c.RelativeBuckets, c.RelativeDistance)
	}
	if c.DecoderStart != nil {
		h.start = *c.DecoderStart
	}
	if h.start < 0 || int(h.start) >= c.VocabSize {
		return t5Decoder{}, fmt.Errorf("decoder_start_token_id is %d, but the vocabulary has %d tokens", h.start, c.VocabSize)
	}
	return h, inRange("num_decoder_layers", c.DecoderLayers)
}

func (h t5Decoder) tensors(c *Config) []tensor {
	var t t5
	var list []tensor
	for i := range c.DecoderLayers {
		block := fmt.Sprintf("decoder.block.%d.", i)
		list = append(list, t.attentionTensors(c, block+"layer.0.", "SelfAttention")...)
		if i == 0 {
			list = append(list, tensor{t5DecoderBias + ".weight", []int{c.RelativeBuckets, c.NumAttentionHeads}, embedding})
		}
		list = append(list, t.attentionTensors(c, block+"layer.1.", "EncDecAttention")...)
		list = append(list, t.forwardTensors(c, block+"layer.2.")...)
	}
	list = append(list, tensor{"decoder.final_layer_norm.weight", []int{c.HiddenSize}, ones})
	if h.table == outputTable {
		list = append(list, tensor{outputTable + ".weight", []int{c.VocabSize, c.HiddenSize}, embedding})
	}
	return list
}

// owns: decoder.embed_tokens is a copy of shared, and early checkpoints hold a bias of the
// attention to the encoder that transformers leaves out, too.
func (h t5Decoder) owns(name string) bool {
	switch name {
	case "decoder.embed_tokens.weight", "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight":
		return false
	}
	return strings.HasPrefix(name, "decoder.") || h.table == outputTable && strings.HasPrefix(name, outputTable+".")
}

func (h t5Decoder) logits(n *network, in input) *graph.Node { return h.next(n, in, nil) }

func (h t5Decoder) next(n *network, in input, words []int32) *graph.Node {
	start := graph.ConstTensor(n.g, tensors.FromFlatDataAndDimensions([]int32{h.start}, 1, 1))
	start = graph.BroadcastToDims(start, in.ids.Shape().Dim(0), 1)
	return graph.Squeeze(h.all(n, in, start, words), 1)
}

// all returns the logits float32 [B,T,K] after each decoder token int32 [B,T].
func (h t5Decoder) all(n *network, in input, decoder *graph.Node, words []int32) *graph.Node {
	x := h.states(n, in, decoder)
	if h.scaled { // the input's scale (Mesh TensorFlow)
		x = graph.MulScalar(x, 1/math.Sqrt(float64(n.config.HiddenSize)))
	}
	return n.vocabularyLogits(h.table, x, words)
}

// shifted is the decoder's input for writing ids: the start token and all ids except the last.
func (h t5Decoder) shifted(ids *graph.Node) *graph.Node {
	start := graph.ConstTensor(ids.Graph(), tensors.FromFlatDataAndDimensions([]int32{h.start}, 1, 1))
	start = graph.BroadcastToDims(start, ids.Shape().Dim(0), 1)
	return graph.Concatenate([]*graph.Node{start, graph.Slice(ids, graph.AxisRange(), graph.AxisRange(0, -1))}, 1)
}

// states is the decoder's last states [B,T,D].
func (h t5Decoder) states(n *network, in input, decoder *graph.Node) *graph.Node {
	var t t5
	c := n.config
	states := t.hidden(n, in)
	length := decoder.Shape().Dim(1)
	past := graph.Add(
		n.distanceBias(t5DecoderBias, length, pastBuckets(c.RelativeBuckets, c.RelativeDistance)),
		bandBias(n.g, length, length, 0))
	encoded := paddingBias(in.mask)
	x := n.lookup("shared", decoder)
	for i := range c.DecoderLayers {
		block := fmt.Sprintf("decoder.block.%d.", i)
		y := n.rmsNorm(block+"layer.0.layer_norm", x)
		x = residual(x, t.attend(n, block+"layer.0.SelfAttention.", y, y, past))
		y = n.rmsNorm(block+"layer.1.layer_norm", x)
		x = residual(x, t.attend(n, block+"layer.1.EncDecAttention.", y, states, encoded))
		x = residual(x, t.forward(n, block+"layer.2.", x))
	}
	return n.rmsNorm("decoder.final_layer_norm", x)
}
