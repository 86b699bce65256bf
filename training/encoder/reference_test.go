package encoder_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/training/weights"
)

// Networks without goldens are compared with plain loops in float64, written from the papers and
// the published Python, on random weights.

// shaped is a tensor of a published checkpoint.
type shaped struct {
	name  string
	shape []int
}

// values are the weights by name.
type values map[string][]float64

// randomFolder writes a model folder with a tokenizer of words and random weights, large enough
// that no part of the network is nearly linear, and returns the weights.
func randomFolder(t *testing.T, config string, list []shaped) (string, values) {
	t.Helper()
	source := rand.New(rand.NewPCG(7, uint64(len(config))))
	w := values{}
	var file []weights.Tensor
	for _, s := range list {
		size := 1
		for _, n := range s.shape {
			size *= n
		}
		data, wide := make([]float32, size), make([]float64, size)
		for i := range data {
			v := source.NormFloat64()
			if len(s.shape) == 2 {
				v *= 1.2 / math.Sqrt(float64(s.shape[1]))
			} else if len(s.shape) == 1 {
				v = 1 + v/4
			}
			data[i] = float32(v)
			wide[i] = float64(data[i])
		}
		w[s.name] = wide
		file = append(file, weights.Tensor{Name: s.name, Shape: s.shape, Values: data})
	}
	var b bytes.Buffer
	if err := weights.Write(&b, file); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"config.json": config, "model.safetensors": b.String(), "tokenizer.json": string(wordTokenizer(t, 150).JSON()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, w
}

// apply is W x for W [out,in] by name, and + b if the layer has a bias.
func (w values) apply(name string, x []float64) []float64 {
	m, bias := w[name+".weight"], w[name+".bias"]
	out := make([]float64, len(m)/len(x))
	for o := range out {
		for i, v := range x {
			out[o] += m[o*len(x)+i] * v
		}
		if bias != nil {
			out[o] += bias[o]
		}
	}
	return out
}

// row is a row of a table with rows of n values.
func (w values) row(name string, i, n int) []float64 { return w[name][i*n : (i+1)*n] }

// rms is RMSNorm.
func (w values) rms(name string, x []float64, eps float64) []float64 {
	var square float64
	for _, v := range x {
		square += v * v / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v / math.Sqrt(square+eps) * w[name+".weight"][i]
	}
	return out
}

// norm is LayerNorm, with a bias if there is one.
func (w values) norm(name string, x []float64, eps float64) []float64 {
	var mean float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	centred := make([]float64, len(x))
	for i, v := range x {
		centred[i] = v - mean
	}
	out := w.rms(name, centred, eps)
	for i, b := range w[name+".bias"] {
		out[i] += b
	}
	return out
}

// mix is attention of one query: the softmax-weighted mean of value rows.
func mix(q []float64, keys, rows [][]float64, scale float64) []float64 {
	shares, total, peak := make([]float64, len(keys)), 0.0, math.Inf(-1)
	for j, k := range keys {
		for i := range q {
			shares[j] += q[i] * k[i] * scale
		}
		peak = max(peak, shares[j])
	}
	for j := range shares {
		shares[j] = math.Exp(shares[j] - peak)
		total += shares[j]
	}
	out := make([]float64, len(rows[0]))
	for j, row := range rows {
		for i, v := range row {
			out[i] += shares[j] / total * v
		}
	}
	return out
}

// part returns head h of rows with heads of the given width.
func part(rows [][]float64, h, width int) [][]float64 {
	var out [][]float64
	for _, r := range rows {
		out = append(out, r[h*width:(h+1)*width])
	}
	return out
}

// plus is the sum of two vectors.
func plus(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i, v := range y {
		out[i] += v
	}
	return out
}

// mapped applies a function to every component.
func mapped(x []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

func gelu64(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) }

func silu64(x float64) float64 { return x / (1 + math.Exp(-x)) }

// mean is the mean of rows.
func mean(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for _, r := range rows {
		for i, v := range r {
			out[i] += v / float64(len(rows))
		}
	}
	return out
}

// unit scales a vector to length 1.
func unit(x []float64) []float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return mapped(x, func(v float64) float64 { return v / math.Sqrt(square) })
}

// rotated rotates a head's vector by its position: component i with component i+width/2, like
// transformers' rotate_half.
func rotated(x []float64, position int, theta float64) []float64 {
	half := len(x) / 2
	out := make([]float64, len(x))
	for i := range half {
		angle := float64(position) * math.Pow(theta, -float64(2*i)/float64(len(x)))
		sin, cos := math.Sincos(angle)
		out[i], out[i+half] = x[i]*cos-x[i+half]*sin, x[i+half]*cos+x[i]*sin
	}
	return out
}

// mistralShape is a small Mistral.
type mistralShape struct{ vocabulary, width, layers, heads, keyHeads, inner int }

// tensors lists a Mistral's weights with a prefix.
func (m mistralShape) tensors(prefix string) []shaped {
	d, head := m.width, m.width/m.heads
	list := []shaped{{prefix + "embed_tokens.weight", []int{m.vocabulary, d}}, {prefix + "norm.weight", []int{d}}}
	for i := range m.layers {
		l := fmt.Sprintf("%slayers.%d.", prefix, i)
		list = append(list,
			shaped{l + "input_layernorm.weight", []int{d}}, shaped{l + "post_attention_layernorm.weight", []int{d}},
			shaped{l + "self_attn.q_proj.weight", []int{d, d}}, shaped{l + "self_attn.k_proj.weight", []int{m.keyHeads * head, d}},
			shaped{l + "self_attn.v_proj.weight", []int{m.keyHeads * head, d}}, shaped{l + "self_attn.o_proj.weight", []int{d, d}},
			shaped{l + "mlp.gate_proj.weight", []int{m.inner, d}}, shaped{l + "mlp.up_proj.weight", []int{m.inner, d}},
			shaped{l + "mlp.down_proj.weight", []int{d, m.inner}})
	}
	return list
}

// states runs a Mistral over one text; causal or both ways.
func (m mistralShape) states(w values, prefix string, ids []int32, causal bool) [][]float64 {
	const eps, theta = 1e-6, 10000.0
	head := m.width / m.heads
	var x [][]float64
	for _, id := range ids {
		x = append(x, w.row(prefix+"embed_tokens.weight", int(id), m.width))
	}
	for i := range m.layers {
		l := fmt.Sprintf("%slayers.%d.", prefix, i)
		var q, k, v [][]float64
		for _, row := range x {
			y := w.rms(l+"input_layernorm", row, eps)
			q, k, v = append(q, w.apply(l+"self_attn.q_proj", y)), append(k, w.apply(l+"self_attn.k_proj", y)), append(v, w.apply(l+"self_attn.v_proj", y))
		}
		next := make([][]float64, len(x))
		for s := range x {
			seen := len(x)
			if causal {
				seen = s + 1
			}
			var mixed []float64
			for h := range m.heads {
				from := h / (m.heads / m.keyHeads)
				keys := part(k[:seen], from, head)
				for j := range keys {
					keys[j] = rotated(keys[j], j, theta)
				}
				mixed = append(mixed, mix(rotated(q[s][h*head:(h+1)*head], s, theta), keys, part(v[:seen], from, head), 1/math.Sqrt(float64(head)))...)
			}
			r := plus(x[s], w.apply(l+"self_attn.o_proj", mixed))
			y := w.rms(l+"post_attention_layernorm", r, eps)
			gate := mapped(w.apply(l+"mlp.gate_proj", y), silu64)
			for c, up := range w.apply(l+"mlp.up_proj", y) {
				gate[c] *= up
			}
			next[s] = plus(r, w.apply(l+"mlp.down_proj", gate))
		}
		x = next
	}
	for s := range x {
		x[s] = w.rms(prefix+"norm", x[s], eps)
	}
	return x
}
