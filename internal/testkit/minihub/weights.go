package minihub

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"infbench/internal/testkit/pickletest"
	"infbench/training/weights"
)

// Sizes of all networks, which have one layer.
const (
	width   = 32
	heads   = 2
	kvHeads = 1
	inner   = 48
)

// tensor is one array of a model, to be filled with random values.
type tensor struct {
	name  string
	shape []int
}

// random returns the generator of a repository's weights, seeded by the name.
func random(seed string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// values fills a tensor: ones for gains of norms, zeros for biases, and otherwise normal
// numbers whose products keep their size; embeddings are small, as in trained models.
func (t tensor) values(rng *rand.Rand) []float32 {
	all := make([]float32, volume(t.shape))
	scale := 1 / math.Sqrt(float64(t.shape[len(t.shape)-1]))
	if strings.Contains(t.name, "embed") || t.name == "shared.weight" {
		scale = 0.5
	}
	for i := range all {
		switch {
		case strings.HasSuffix(t.name, "bias"):
		case len(t.shape) == 1:
			all[i] = 1
		default:
			all[i] = float32(rng.NormFloat64() * scale)
		}
	}
	return all
}

// pytorchFile returns a file of weights in the format of torch.save.
func pytorchFile(seed string, tensors []tensor) []byte {
	rng := random(seed)
	var list []weights.Tensor
	for _, t := range tensors {
		list = append(list, weights.Tensor{Name: t.name, Shape: t.shape, Values: t.values(rng)})
	}
	var b bytes.Buffer
	if err := pickletest.Write(&b, list); err != nil {
		panic(fmt.Sprintf("minihub: write zip: %v", err)) // memory only
	}
	return b.Bytes()
}

// The types of weights, with their names in safetensors.
const (
	float32s = "F32"
	float16s = "F16"
	bfloats  = "BF16"
)

// bits appends a number in one of the types.
func bits(data []byte, v float32, dtype string) []byte {
	b := math.Float32bits(v)
	switch dtype {
	case bfloats:
		return binary.LittleEndian.AppendUint16(data, uint16((b+0x7fff+b>>16&1)>>16))
	case float16s: // values too small for a normal number become 0
		sign, exponent := uint16(b>>16&0x8000), int(b>>23&0xff)-127+15
		if exponent <= 0 {
			return binary.LittleEndian.AppendUint16(data, sign)
		}
		return binary.LittleEndian.AppendUint16(data, sign|uint16(exponent<<10)|uint16(b>>13&0x3ff))
	}
	return binary.LittleEndian.AppendUint32(data, b)
}

// safetensorsFile returns a file of weights of one type.
func safetensorsFile(seed string, tensors []tensor, dtype string) []byte {
	rng := random(seed)
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for _, t := range tensors {
		begin := len(data)
		for _, v := range t.values(rng) {
			data = bits(data, v, dtype)
		}
		header[t.name] = map[string]any{"dtype": dtype, "shape": t.shape, "data_offsets": []int{begin, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(fmt.Sprintf("minihub: %v", err))
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// sharded returns weights in n files with their index, like large models.
func sharded(seed string, tensors []tensor, dtype string, n int) map[string][]byte {
	return shards("model-%05d-of-%05d.safetensors", "model.safetensors.index.json", tensors, n, func(i int, part []tensor) []byte {
		return safetensorsFile(fmt.Sprint(seed, i), part, dtype)
	})
}

// pytorchShards is sharded in the older format.
func pytorchShards(seed string, tensors []tensor, n int) map[string][]byte {
	return shards("pytorch_model-%05d-of-%05d.bin", "pytorch_model.bin.index.json", tensors, n, func(i int, part []tensor) []byte {
		return pytorchFile(fmt.Sprint(seed, i), part)
	})
}

// shards distributes tensors over files named by a format.
func shards(format, index string, tensors []tensor, n int, write func(i int, part []tensor) []byte) map[string][]byte {
	files, at, size := map[string][]byte{}, map[string]string{}, 0
	for i := range n {
		name := fmt.Sprintf(format, i+1, n)
		part := tensors[len(tensors)*i/n : len(tensors)*(i+1)/n]
		files[name] = write(i, part)
		size += len(files[name])
		for _, t := range part {
			at[t.name] = name
		}
	}
	files[index] = toJSON(object{"metadata": object{"total_size": size}, "weight_map": at})
	return files
}

// bertTensors returns a BERT of one layer, with names after a prefix.
func bertTensors(prefix string, vocab, positions int) []tensor {
	var all []tensor
	add := func(name string, shape ...int) { all = append(all, tensor{prefix + name, shape}) }
	add("embeddings.word_embeddings.weight", vocab, width)
	add("embeddings.position_embeddings.weight", positions, width)
	add("embeddings.token_type_embeddings.weight", 2, width)
	norm := func(name string) { add(name+".weight", width); add(name+".bias", width) }
	dense := func(name string, out, in int) { add(name+".weight", out, in); add(name+".bias", out) }
	norm("embeddings.LayerNorm")
	for _, part := range []string{"query", "key", "value"} {
		dense("encoder.layer.0.attention.self."+part, width, width)
	}
	dense("encoder.layer.0.attention.output.dense", width, width)
	norm("encoder.layer.0.attention.output.LayerNorm")
	dense("encoder.layer.0.intermediate.dense", inner, width)
	dense("encoder.layer.0.output.dense", width, inner)
	norm("encoder.layer.0.output.LayerNorm")
	dense("pooler.dense", width, width)
	return all
}

// decoderTensors returns a Llama, Mistral or, with biases, a Qwen2 of one layer.
func decoderTensors(prefix string, vocab int, biases, head bool) []tensor {
	var all []tensor
	add := func(name string, shape ...int) { all = append(all, tensor{prefix + name, shape}) }
	kv := width / heads * kvHeads
	add("embed_tokens.weight", vocab, width)
	for _, p := range []struct {
		name string
		out  int
	}{{"q_proj", width}, {"k_proj", kv}, {"v_proj", kv}} {
		add("layers.0.self_attn."+p.name+".weight", p.out, width)
		if biases {
			add("layers.0.self_attn."+p.name+".bias", p.out)
		}
	}
	add("layers.0.self_attn.o_proj.weight", width, width)
	add("layers.0.mlp.gate_proj.weight", inner, width)
	add("layers.0.mlp.up_proj.weight", inner, width)
	add("layers.0.mlp.down_proj.weight", width, inner)
	add("layers.0.input_layernorm.weight", width)
	add("layers.0.post_attention_layernorm.weight", width)
	add("norm.weight", width)
	if head {
		all = append(all, tensor{"lm_head.weight", []int{vocab, width}})
	}
	return all
}

// modernBERTTensors returns a ModernBERT of one layer with the head of its masked language
// model, as published.
func modernBERTTensors(vocab int) []tensor {
	return []tensor{
		{"model.embeddings.tok_embeddings.weight", []int{vocab, width}}, {"model.embeddings.norm.weight", []int{width}},
		{"model.layers.0.attn.Wqkv.weight", []int{3 * width, width}}, {"model.layers.0.attn.Wo.weight", []int{width, width}},
		{"model.layers.0.mlp_norm.weight", []int{width}},
		{"model.layers.0.mlp.Wi.weight", []int{2 * inner, width}}, {"model.layers.0.mlp.Wo.weight", []int{width, inner}},
		{"model.final_norm.weight", []int{width}},
		{"head.dense.weight", []int{width, width}}, {"head.norm.weight", []int{width}}, {"decoder.bias", []int{vocab}},
	}
}

// t5Tensors returns a T5 with one layer per side; gated: two input projections and a separate
// head, as in Flan-T5 and T5 1.1.
func t5Tensors(vocab, buckets int, gated, decoder bool) []tensor {
	all := []tensor{{"shared.weight", []int{vocab, width}}}
	add := func(name string, shape ...int) { all = append(all, tensor{name, shape}) }
	attention := func(at, kind string) {
		for _, p := range []string{"q", "k", "v", "o"} {
			add(at+"."+kind+"."+p+".weight", width, width)
		}
		add(at+".layer_norm.weight", width)
	}
	feed := func(at string) {
		if gated {
			add(at+".DenseReluDense.wi_0.weight", inner, width)
			add(at+".DenseReluDense.wi_1.weight", inner, width)
		} else {
			add(at+".DenseReluDense.wi.weight", inner, width)
		}
		add(at+".DenseReluDense.wo.weight", width, inner)
		add(at+".layer_norm.weight", width)
	}
	attention("encoder.block.0.layer.0", "SelfAttention")
	add("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", buckets, heads)
	feed("encoder.block.0.layer.1")
	add("encoder.final_layer_norm.weight", width)
	if decoder {
		attention("decoder.block.0.layer.0", "SelfAttention")
		add("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", buckets, heads)
		attention("decoder.block.0.layer.1", "EncDecAttention")
		feed("decoder.block.0.layer.2")
		add("decoder.final_layer_norm.weight", width)
	}
	if decoder && gated {
		add("lm_head.weight", vocab, width)
	}
	return all
}
