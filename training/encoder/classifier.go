package encoder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// classifier is the head of transformers' *ForSequenceClassification models. It takes one vector
// of a sequence, in most families applies a layer to it, and turns it into a logit for each
// label. Families differ in names and in details.
type classifier struct {
	class  string
	labels int

	take  func(n *network, in input) *graph.Node // [B,D]
	below []tensor                               // weights that take needs in addition to the encoder's

	dense, activation, norm string // parts of the layer; "": none
	denseBias, normBias     bool
	out                     string // the last layer
	outBias                 bool

	temperature float64 // divides the logits; 0: no division

	prefixes []string // prefixes of all tensors of the head
	end      *int32   // token that every sequence must end with; nil: none
	begins   bool     // every sequence must begin with a special token
}

// isClassifier reports whether a transformers class is a sequence classifier.
func isClassifier(class string) bool { return strings.HasSuffix(class, "ForSequenceClassification") }

// classifierOf returns the head for a configuration.
func classifierOf(c *Config) (classifier, error) {
	h, err := classifierShape(c)
	if err != nil {
		return classifier{}, err
	}
	h.class, h.labels = c.class(), 2                            // transformers writes id2label only if there are not two labels, its default
	if value, ok := c.flat["num_labels"]; ok && !isOff(value) { // key of early versions
		if err := json.Unmarshal(value, &h.labels); err != nil {
			return classifier{}, fmt.Errorf("num_labels: %w", err)
		}
	}
	if c.Labels != nil {
		h.labels = len(c.Labels)
	}
	if h.labels != 1 && h.labels != 2 {
		return classifier{}, fmt.Errorf("a classifier with %d labels does not name the label for relevance (known: 1 or 2 labels)", h.labels)
	}
	return h, nil
}

// classified is an architecture with a known sequence classifier.
type classified interface {
	// classifier returns the head, without labels.
	classifier(c *Config) (classifier, error)
}

// classifierShape returns the head of a family, without labels.
func classifierShape(c *Config) (classifier, error) {
	if family, ok := architectures()[c.ModelType].(classified); ok {
		return family.classifier(c)
	}
	return classifier{}, nearest.Unknown("family of sequence classifiers", c.ModelType, familiesWith[classified]())
}

// robertaClassifier is the head of RoBERTa and its kin.
func robertaClassifier() classifier {
	return classifier{
		take: firstState, dense: "classifier.dense", denseBias: true, activation: "tanh", out: "classifier.out_proj", outBias: true,
		prefixes: []string{"classifier."},
	}
}

// decoderClassifier is the head of decoders.
func decoderClassifier() classifier {
	return classifier{take: lastState, out: "score", prefixes: []string{"score."}}
}

// firstState is the state of row 0, whatever the mask.
func firstState(n *network, in input) *graph.Node {
	states := architectures()[n.config.ModelType].hidden(n, in)
	return graph.Squeeze(graph.SliceAxis(states, 1, graph.AxisElem(0)), 1)
}

// lastState is the state of the last token that is neither masked nor the padding token that
// config.json names, which may also be the end token of a text.
func lastState(n *network, in input) *graph.Node {
	mask := in.mask
	if pad, ok := n.config.flat["pad_token_id"]; ok && !isOff(pad) {
		mask = graph.LogicalAnd(mask, graph.NotEqual(in.ids, graph.Scalar(n.g, dtypes.Int32, n.config.PadTokenID)))
	}
	return Pool(Last, architectures()[n.config.ModelType].hidden(n, in), mask)
}

// classifier reads the settings of ModernBertForSequenceClassification.
func (modernbert) classifier(c *Config) (classifier, error) {
	settings := struct {
		Pooling    Pooling `json:"classifier_pooling"`
		Activation string  `json:"classifier_activation"`
		Bias       bool    `json:"classifier_bias"`
	}{CLS, "gelu", false} // defaults of ModernBertConfig
	if err := c.decode(&settings); err != nil {
		return classifier{}, err
	}
	if settings.Pooling != CLS && settings.Pooling != Mean {
		return classifier{}, nearest.Unknown("classifier_pooling", string(settings.Pooling), []string{string(CLS), string(Mean)})
	}
	if _, ok := activations()[settings.Activation]; !ok {
		return classifier{}, fmt.Errorf("classifier_activation %q is not supported", settings.Activation)
	}
	take := firstState
	if settings.Pooling == Mean {
		take = func(n *network, in input) *graph.Node { return Pool(Mean, modernbert{}.hidden(n, in), in.mask) }
	}
	return classifier{
		take: take, dense: "head.dense", denseBias: settings.Bias, activation: settings.Activation, norm: "head.norm", normBias: c.NormBias,
		out: "classifier", outBias: true, prefixes: []string{"head.", "classifier."},
	}, nil
}

// classifier is one of two heads: on the encoder alone, which uses the first state (EncT5, Liu et
// al. 2021; TART-full), or transformers' on the decoder, which reads the text again and uses the
// state at the last end token.
func (t5) classifier(c *Config) (classifier, error) {
	if c.class() == "EncT5ForSequenceClassification" {
		return classifier{take: firstState, out: "classifier", outBias: true, prefixes: []string{"classifier."}, begins: true}, nil
	}
	decoder, err := decoderOf(c)
	if err != nil {
		return classifier{}, err
	}
	decoder.table = "shared" // there is no output table
	end, err := c.eosID()
	if err != nil {
		return classifier{}, fmt.Errorf("%s: %w", c.class(), err)
	}
	return classifier{
		take: func(n *network, in input) *graph.Node {
			isEnd := graph.Equal(in.ids, graph.Scalar(n.g, dtypes.Int32, end))
			return Pool(Last, decoder.states(n, in, decoder.shifted(in.ids)), graph.LogicalAnd(in.mask, isEnd))
		},
		below: decoder.tensors(c),
		dense: "classification_head.dense", denseBias: true, activation: "tanh", out: "classification_head.out_proj", outBias: true,
		prefixes: []string{"classification_head.", "decoder."}, end: &end,
	}, nil
}

// decode reads settings of config.json into v.
func (c *Config) decode(v any) error {
	data, err := json.Marshal(c.flat)
	if err != nil {
		return err
	}
	return wrongType(json.Unmarshal(data, v), nil)
}

func (h classifier) tensors(c *Config) []tensor {
	list := slices.Clone(h.below)
	linear := func(name string, out int, bias bool) {
		list = append(list, maybeLinearTensors(name, out, c.HiddenSize, matrix, bias)...)
	}
	if h.dense != "" {
		linear(h.dense, c.HiddenSize, h.denseBias)
	}
	if h.norm != "" {
		both := normTensors(h.norm, c.HiddenSize)
		if !h.normBias {
			both = both[:1]
		}
		list = append(list, both...)
	}
	linear(h.out, h.labels, h.outBias)
	return list
}

func (h classifier) owns(name string) bool {
	return hasAnyPrefix(name, h.prefixes...) && name != "decoder.embed_tokens.weight" // a copy of T5's shared
}

func (h classifier) logits(n *network, in input) *graph.Node {
	x := h.take(n, in)
	if h.dense != "" {
		x = n.activateBy(h.activation, n.maybeLinear(h.dense, x))
	}
	if h.norm != "" {
		x = n.maybeNorm(h.norm, x)
	}
	x = n.maybeLinear(h.out, x)
	if h.temperature != 0 {
		x = graph.DivScalar(wide(x), h.temperature)
	}
	return x
}

// checkBegin returns an error for a tokenizer without the first token that the head needs. It
// encodes a pair of empty texts, which gives that token and the two end tokens.
func (h classifier) checkBegin(t *tokenizer.Tokenizer) error {
	if !h.begins || t == nil {
		return nil
	}
	if ids, _ := t.EncodePair("", "", 0); len(ids) < 3 {
		return fmt.Errorf("%s reads the state of a token before the text, which the tokenizer does not write (EncT5Tokenizer with the folder's spiece.model does)", h.class)
	}
	return nil
}

// checkEnd returns an error for sequences without the end token that the head needs.
func (h classifier) checkEnd(ids []int32) error {
	if h.end != nil && !slices.Contains(ids, *h.end) {
		return fmt.Errorf("%s reads the state of eos_token_id %d, which the tokenizer does not write", h.class, *h.end)
	}
	return nil
}
