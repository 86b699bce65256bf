package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// Config describes a network, its input from texts, and the vector from its output. The first
// group is HuggingFace's config.json under its usual keys; families with other keys are mapped
// (architecture.keys).
type Config struct {
	ModelType             string  `json:"model_type,omitempty"`
	VocabSize             int     `json:"vocab_size,omitempty"`
	HiddenSize            int     `json:"hidden_size,omitempty"`
	NumHiddenLayers       int     `json:"num_hidden_layers,omitempty"`
	NumAttentionHeads     int     `json:"num_attention_heads,omitempty"`
	IntermediateSize      int     `json:"intermediate_size,omitempty"`
	HiddenAct             string  `json:"hidden_act,omitempty"`
	MaxPositionEmbeddings int     `json:"max_position_embeddings,omitempty"`
	NormEps               float64 `json:"layer_norm_eps,omitempty"`
	PadTokenID            int32   `json:"pad_token_id"`

	// BERT and its kin.
	TypeVocabSize         int    `json:"type_vocab_size,omitempty"`
	PositionEmbeddingType string `json:"position_embedding_type,omitempty"`

	// Llama and its kin.
	NumKeyValueHeads int          `json:"num_key_value_heads,omitempty"`
	HeadDim          int          `json:"head_dim,omitempty"`
	RopeTheta        float64      `json:"rope_theta,omitempty"`
	RopeScaling      *RopeScaling `json:"rope_scaling,omitempty"`
	SlidingWindow    *int         `json:"sliding_window,omitempty"`
	UseSlidingWindow bool         `json:"use_sliding_window,omitempty"`
	MaxWindowLayers  *int         `json:"max_window_layers,omitempty"` // number of Qwen's layers without a window
	AttentionBias    bool         `json:"attention_bias,omitempty"`
	MLPBias          bool         `json:"mlp_bias,omitempty"`
	Causal           *bool        `json:"is_causal,omitempty"` // false: attends both ways (gte-Qwen2, GritLM)
	LayerTypes       []string     `json:"layer_types,omitempty"`

	// ModernBERT.
	GlobalEvery    int     `json:"global_attn_every_n_layers,omitempty"`
	GlobalTheta    float64 `json:"global_rope_theta,omitempty"`
	LocalTheta     float64 `json:"local_rope_theta,omitempty"`
	LocalAttention int     `json:"local_attention,omitempty"`
	NormBias       bool    `json:"norm_bias,omitempty"`

	// Gemma 3.
	QueryScale   float64 `json:"query_pre_attn_scalar,omitempty"` // scores are divided by its root
	LayerPattern int     `json:"sliding_window_pattern,omitempty"`
	BothWays     bool    `json:"use_bidirectional_attention,omitempty"`
	FinalSoftcap float64 `json:"final_logit_softcapping,omitempty"` // of logits; 0: none

	// T5 and MPNet.
	RelativeBuckets  int `json:"relative_attention_num_buckets,omitempty"`
	RelativeDistance int `json:"relative_attention_max_distance,omitempty"`

	// T5's decoder.
	DecoderLayers int    `json:"num_decoder_layers,omitempty"`
	DecoderStart  *int32 `json:"decoder_start_token_id,omitempty"`
	ScaleDecoder  *bool  `json:"scale_decoder_outputs,omitempty"` // written by transformers 5, where tie_word_embeddings is always true

	// Task models.
	Architectures []string          `json:"architectures,omitempty"` // transformers classes of the folder
	Labels        map[string]string `json:"id2label,omitempty"`      // labels of a classifier
	Tied          *bool             `json:"tie_word_embeddings,omitempty"`

	Latent *LatentAttention `json:"latent_attention_config,omitempty"` // NV-Embed

	Text Text `json:"-"`

	localScaling *RopeScaling               // for layers with a window, if they have their own
	ownOutput    bool                       // the weights hold a tensor lm_head.weight
	held         map[string][]int           // shapes of the tensors in the weights, by canonical name
	remarks      []string                   // on settings in the files that are not followed
	eos          int32                      // set if Text.AppendEOS is
	maxTokens    int                        // longest sequence the network reads; 0: no limit
	file         map[string]json.RawMessage // config.json as read; nil for a new model
	flat         map[string]json.RawMessage // the same without nesting
}

// readConfig reads dir/config.json.
func readConfig(dir string) (Config, error) {
	data, err := disk.ReadModelFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return Config{}, err
	}
	c, err := parseConfig(data)
	if err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	return c, nil
}

// parseConfig decodes config.json with the keys of its family.
func parseConfig(data []byte) (Config, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return Config{}, err
	}
	var kind string
	if err := json.Unmarshal(file["model_type"], &kind); err != nil {
		return Config{}, errors.New("no model_type")
	}
	arch, err := architectureOf(kind)
	if err != nil {
		return Config{}, err
	}
	flat, err := unnest(arch, file)
	if err != nil {
		return Config{}, err
	}
	renamed := map[string]json.RawMessage{}
	for key, value := range flat {
		if _, ok := arch.keys()[key]; !ok {
			renamed[key] = value
		}
	}
	for key, ours := range arch.keys() {
		if value, ok := flat[key]; ok {
			renamed[ours] = value
		}
	}
	data, err = json.Marshal(renamed)
	if err != nil {
		return Config{}, err
	}
	c := Config{file: file, flat: flat}
	if err := json.Unmarshal(data, &c); err != nil {
		return Config{}, wrongType(err, arch.keys())
	}
	return c, nil
}

// complete fills defaults and returns all problems.
func (c *Config) complete(arch architecture) error {
	err := errors.Join(
		c.setPooling(arch),
		inRange("vocab_size", c.VocabSize),
		inRange("hidden_size", c.HiddenSize),
		arch.prepare(c))
	c.Text.setDefaults(c.maxTokens)
	if c.Text.notRead != "" {
		c.remarks = append(c.remarks, fmt.Sprintf("without %s infbench ignores %s, as sentence-transformers does (write the values that count into %s)", modulesFile, c.Text.notRead, ownFile))
	}
	return errors.Join(err, c.fitLengths(arch), c.checkOwnCode(arch), c.readEOS(), c.Text.check(c.maxTokens))
}

// pooler is a family whose config.json sets the pooling if no other file does.
type pooler interface {
	pooling(c *Config) (Pooling, error)
}

// setPooling fills the pooling if the files for texts do not set it.
func (c *Config) setPooling(arch architecture) error {
	if p, ok := arch.(pooler); ok && c.Text.Pooling == "" {
		pooling, err := p.pooling(c)
		if err != nil {
			return err
		}
		c.Text.Pooling = pooling
	}
	c.Text.unpooled = c.Text.Pooling == ""
	setDefault(&c.Text.Pooling, Mean)
	return nil
}

// checkBare compares the pooling of a folder without modules.json with the default of
// sentence-transformers 6.2 for such folders, which ignores 1_Pooling: the last token of a causal
// language model, else the mean (sentence_transformer/model.py).
func (c *Config) checkBare() error {
	library := Mean
	if strings.HasSuffix(c.class(), "ForCausalLM") && (c.Causal == nil || *c.Causal) {
		library = Last
	}
	switch t := &c.Text; {
	case t.unlisted && (t.Pooling != library || t.Prompt.Excludes()):
		return fmt.Errorf("%s sets pooling %s, but without %s sentence-transformers ignores it and uses %s: add the %s that belongs to the folder, or write {\"pooling\": %q} into %s", filepath.Join(poolingDir, "config.json"), t.Pooling, modulesFile, library, modulesFile, t.Pooling, ownFile)
	case t.unpooled && library != Mean:
		c.remarks = append(c.remarks, fmt.Sprintf("no file sets the pooling: the mean is used, but sentence-transformers uses the last token of a %s (set it in %s: \"pooling\": %q)", c.class(), ownFile, Last))
	}
	return nil
}

// readEOS reads eos_token_id if texts must end with it.
func (c *Config) readEOS() error {
	if !c.Text.AppendEOS {
		return nil
	}
	eos, err := c.eosID()
	if err != nil {
		return fmt.Errorf("append_eos: %w", err)
	}
	c.eos = eos
	return nil
}

// eosID reads eos_token_id, one id or a list; it returns the first.
func (c *Config) eosID() (int32, error) {
	var one *int32
	var several []int32
	data := c.flat["eos_token_id"]
	switch {
	case json.Unmarshal(data, &one) == nil && one != nil:
	case json.Unmarshal(data, &several) == nil && len(several) > 0:
		one = &several[0]
	default:
		return 0, errors.New("config.json has no eos_token_id")
	}
	if *one < 0 || int(*one) >= c.VocabSize {
		return 0, fmt.Errorf("eos_token_id is %d, the vocabulary has %d tokens", *one, c.VocabSize)
	}
	return *one, nil
}

// class is the transformers class whose weights the folder holds, or "" if the folder does not
// name it.
func (c *Config) class() string {
	if len(c.Architectures) == 0 {
		return ""
	}
	return c.Architectures[0]
}

// checkLayers checks the settings that all transformers share, and the activation by the name of
// its function.
func (c *Config) checkLayers(activation string) error {
	errs := []error{
		inRange("num_hidden_layers", c.NumHiddenLayers),
		inRange("num_attention_heads", c.NumAttentionHeads),
		inRange("intermediate_size", c.IntermediateSize),
	}
	if c.NumAttentionHeads > 0 && c.HeadDim == 0 && c.HiddenSize%c.NumAttentionHeads != 0 {
		errs = append(errs, fmt.Errorf("hidden_size %d is not a multiple of num_attention_heads %d", c.HiddenSize, c.NumAttentionHeads))
	}
	if _, ok := activations()[activation]; !ok {
		errs = append(errs, nearest.Unknown("hidden_act", activation, slices.Sorted(maps.Keys(activations()))))
	}
	if c.NormEps < 0 {
		errs = append(errs, fmt.Errorf("layer_norm_eps is %g", c.NormEps))
	}
	return errors.Join(errs...)
}

// inRange returns an error for sizes that no network has, before memory is allocated.
func inRange(name string, size int) error {
	if size < 1 || size > 1<<24 {
		return fmt.Errorf("%s is %d", name, size)
	}
	return nil
}

// setDefault sets *v if it is zero.
func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// marshal writes config.json: the file as read, or else the fields of c under the family's keys,
// with the type and class of the weights as Save writes them.
func (c *Config) marshal(arch architecture) ([]byte, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var ours map[string]json.RawMessage
	if err := json.Unmarshal(data, &ours); err != nil {
		return nil, err
	}
	theirs := map[string]string{}
	for key, our := range arch.keys() {
		theirs[our] = key
	}
	out := maps.Clone(c.file)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	added := map[string]json.RawMessage{}
	for key, value := range ours {
		if name, ok := theirs[key]; ok {
			key = name
		}
		if _, ok := c.flat[key]; !ok {
			added[key] = value
		}
	}
	if err := nest(arch, out, added); err != nil {
		return nil, err
	}
	out["torch_dtype"] = json.RawMessage(`"float32"`)
	if _, ok := out["dtype"]; ok { // the key of later versions
		out["dtype"] = out["torch_dtype"]
	}
	out["architectures"] = json.RawMessage(fmt.Sprintf("[%q]", arch.class()))
	return json.MarshalIndent(out, "", "  ")
}
