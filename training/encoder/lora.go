package encoder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
)

// PEFT's files of an adapter: its configuration and its weights.
const (
	adapterFile    = "adapter_config.json"
	adapterWeights = "adapter_model.safetensors"
)

// peftConfig is adapter_config.json.
type peftConfig struct {
	Kind          string            `json:"peft_type"`
	Rank          int               `json:"r"`
	Alpha         float64           `json:"lora_alpha"`
	Stabilised    bool              `json:"use_rslora"`
	Decomposed    bool              `json:"use_dora"`
	Targets       modules           `json:"target_modules"`
	Excluded      modules           `json:"exclude_modules"`
	Bias          string            `json:"bias"`
	Start         any               `json:"init_lora_weights"`
	Layers        oneOrMore[int]    `json:"layers_to_transform"`
	LayersPattern oneOrMore[string] `json:"layers_pattern"`
	RankPattern   patterns[int]     `json:"rank_pattern"`
	AlphaPattern  patterns[float64] `json:"alpha_pattern"`
	Saves         []string          `json:"modules_to_save"` // modules that are trained and saved completely
	Task          string            `json:"task_type"`

	layerNames []*regexp.Regexp // expressions that find the number of a layer in its name
	saved      []*regexp.Regexp // modules_to_save
}

// loraSettings lists the keys that are read, and those without effect on a trained adapter.
func loraSettings() []string {
	return []string{
		"peft_type", "r", "lora_alpha", "use_rslora", "use_dora", "target_modules", "exclude_modules", "bias", "init_lora_weights",
		"layers_to_transform", "layers_pattern", "rank_pattern", "alpha_pattern", "modules_to_save",
		"auto_mapping", "base_model_name_or_path", "inference_mode", "lora_dropout", "peft_version", "revision", "task_type",
		"loftq_config", "eva_config", "corda_config", "megatron_core", "qalora_group_size",
		"fan_in_fan_out", // PEFT switches it off for nn.Linear
	}
}

// readLora reads and checks an adapter's configuration.
func readLora(dir string) (*peftConfig, error) {
	const name = adapterFile
	data, err := disk.ReadModelFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	var settings map[string]json.RawMessage
	c := peftConfig{Bias: "none"}
	if err := errors.Join(json.Unmarshal(data, &settings), json.Unmarshal(data, &c)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	errs := []error{c.compile()}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if !slices.Contains(loraSettings(), key) && !isOff(settings[key]) {
			errs = append(errs, fmt.Errorf("%s %s is not supported: merge the adapter with PEFT", key, oneLine(settings[key])))
		}
	}
	if c.Kind != "LORA" {
		errs = append(errs, fmt.Errorf("peft_type %q is not supported (known: LORA)", c.Kind))
	}
	if c.Bias != "none" {
		errs = append(errs, fmt.Errorf("bias %q is not supported (known: none)", c.Bias))
	}
	// Other initialisations (pissa, olora, corda) change the base weights, too.
	if s, ok := c.Start.(string); ok && s != "gaussian" && s != "eva" && s != "orthogonal" {
		errs = append(errs, fmt.Errorf("init_lora_weights %q is not supported", s))
	}
	if c.Rank < 1 || !(c.Alpha > 0) {
		errs = append(errs, fmt.Errorf("r is %d, lora_alpha %g", c.Rank, c.Alpha))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &c, nil
}

// oneLine returns a value without spaces between its parts.
func oneLine(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// isOff reports whether a setting has the value that switches it off.
func isOff(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "false", "{}", "[]", `""`}, string(value))
}

// compile prepares the expressions, and rejects the combinations that PEFT rejects.
func (c *peftConfig) compile() error {
	errs := []error{
		labelled("target_modules", c.Targets.compile()),
		labelled("exclude_modules", c.Excluded.compile()),
		labelled("rank_pattern", c.RankPattern.compile()),
		labelled("alpha_pattern", c.AlphaPattern.compile()),
	}
	if c.Targets.none() {
		errs = append(errs, errors.New("target_modules is neither names nor an expression"))
	}
	if len(c.Layers) > 0 && c.Targets.names == nil {
		errs = append(errs, errors.New("layers_to_transform needs a list of names in target_modules"))
	}
	if len(c.LayersPattern) > 0 && len(c.Layers) == 0 {
		errs = append(errs, errors.New("layers_pattern needs layers_to_transform"))
	}
	add := func(list *[]*regexp.Regexp, key, format, text string) {
		expression, err := pythonExpression(format, text)
		errs = append(errs, labelled(key, err))
		*list = append(*list, expression)
	}
	for _, name := range c.LayersPattern {
		add(&c.layerNames, "layers_pattern", `^(?:(?:^|.*?\.)%s\.(?P<idx>\d+)\.)`, name)
	}
	if len(c.LayersPattern) == 0 {
		c.layerNames = []*regexp.Regexp{regexp.MustCompile(`^.*?\.[^.]*\.(?P<idx>\d+)\.`)}
	}
	for _, name := range c.Saves {
		add(&c.saved, "modules_to_save", `^(?:(?:^|.*\.)%s(?:$|\..*))`, name)
	}
	return errors.Join(errs...)
}

// targets reports whether a layer is adapted, by its name in the model that the adapter was
// trained on, as PEFT's check_target_module_exists does: exclude_modules and modules_to_save win
// over target_modules, and layers_to_transform selects among the layers that target_modules names
// by their ends.
func (c *peftConfig) targets(module string) bool {
	matches := func(expression *regexp.Regexp) bool { return expression.MatchString(module) }
	switch {
	case c.Excluded.has(module) || slices.ContainsFunc(c.saved, matches) || !c.Targets.has(module):
		return false
	case len(c.Layers) == 0 || slices.Contains(c.Targets.names, module):
		return true
	}
	for _, name := range c.layerNames {
		if found := name.FindStringSubmatch(module); found != nil {
			number, err := strconv.Atoi(found[name.SubexpIndex("idx")])
			return err == nil && slices.Contains(c.Layers, number)
		}
	}
	return false
}

// inModule reports whether a layer's full name ends in the parts of name.
func inModule(module, name string) bool {
	return module == name || strings.HasSuffix(module, "."+name)
}

// scale returns the rank and the factor s of a layer.
func (c *peftConfig) scale(module string) (rank int, s float64) {
	rank, alpha := c.RankPattern.of(module, c.Rank), c.AlphaPattern.of(module, c.Alpha)
	if c.Stabilised {
		return rank, alpha / math.Sqrt(float64(rank))
	}
	return rank, alpha / float64(rank)
}
