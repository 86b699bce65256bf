package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// adapterFile is what PEFT says of an adapter.
const adapterFile = "adapter_config.json"

// peftConfig is adapter_config.json.
type peftConfig struct {
	Kind         string             `json:"peft_type"`
	Rank         int                `json:"r"`
	Alpha        float64            `json:"lora_alpha"`
	Stabilised   bool               `json:"use_rslora"`
	Targets      json.RawMessage    `json:"target_modules"`
	Bias         string             `json:"bias"`
	Start        any                `json:"init_lora_weights"`
	Layers       json.RawMessage    `json:"layers_to_transform"`
	RankPattern  map[string]int     `json:"rank_pattern"`
	AlphaPattern map[string]float64 `json:"alpha_pattern"`
	Saves        []string           `json:"modules_to_save"` // modules that are trained and saved whole
	Task         string             `json:"task_type"`

	names   []string       // target_modules as a list; nil: all linear layers, or pattern
	pattern *regexp.Regexp // target_modules as one expression
}

// loraSettings are the keys that are read, and those without effect on a
// trained adapter.
func loraSettings() []string {
	return []string{
		"peft_type", "r", "lora_alpha", "use_rslora", "target_modules", "bias", "init_lora_weights", "layers_to_transform", "rank_pattern", "alpha_pattern", "modules_to_save",
		"auto_mapping", "base_model_name_or_path", "inference_mode", "lora_dropout", "peft_version", "revision", "task_type",
		"loftq_config", "eva_config", "corda_config", "layers_pattern", "megatron_core", "qalora_group_size",
	}
}

// readLora reads and checks an adapter's configuration.
func readLora(dir string) (*peftConfig, error) {
	const name = adapterFile
	data, err := disk.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	var settings map[string]json.RawMessage
	c := peftConfig{Bias: "none"}
	if err := errors.Join(json.Unmarshal(data, &settings), json.Unmarshal(data, &c)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	errs := []error{c.readTargets()}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if !slices.Contains(loraSettings(), key) && !isOff(settings[key]) {
			errs = append(errs, fmt.Errorf("%s %s is not supported", key, settings[key]))
		}
	}
	if c.Kind != "LORA" {
		errs = append(errs, fmt.Errorf("peft_type %q is not supported (known: LORA)", c.Kind))
	}
	if c.Bias != "none" {
		errs = append(errs, fmt.Errorf("bias %q is not supported (known: none)", c.Bias))
	}
	// Other starts (pissa, olora, corda) change the base weights too.
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

// isOff says whether a setting has the value that switches it off.
func isOff(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "false", "{}", "[]", `""`}, string(value))
}

// readTargets reads target_modules: a list of names or one expression.
func (c *peftConfig) readTargets() error {
	if json.Unmarshal(c.Targets, &c.names) == nil && len(c.names) > 0 {
		return nil
	}
	var text string
	if json.Unmarshal(c.Targets, &text) != nil || text == "" {
		return errors.New("target_modules is neither names nor an expression")
	}
	if text == "all-linear" {
		return nil
	}
	var err error
	if c.pattern, err = regexp.Compile("^(?:" + text + ")$"); err != nil {
		return fmt.Errorf("target_modules: %w", err)
	}
	return nil
}

// targets says whether a layer is to be adapted.
func (c *peftConfig) targets(module string) bool {
	switch {
	case c.pattern != nil:
		return c.pattern.MatchString(module)
	case c.names != nil:
		return slices.ContainsFunc(c.names, func(name string) bool { return inModule(module, name) })
	}
	return true
}

// inModule says whether a layer's full name ends in the parts of name.
func inModule(module, name string) bool {
	return module == name || strings.HasSuffix(module, "."+name)
}

// scale is the rank and the factor s of a layer.
func (c *peftConfig) scale(module string) (rank int, s float64) {
	rank, alpha := patternValue(c.RankPattern, module, c.Rank), patternValue(c.AlphaPattern, module, c.Alpha)
	if c.Stabilised {
		return rank, alpha / math.Sqrt(float64(rank))
	}
	return rank, alpha / float64(rank)
}

// patternValue is the value of the first key, in alphabetical order, that is
// the end of a layer's name, or else fallback.
func patternValue[V any](patterns map[string]V, module string, fallback V) V {
	for _, key := range slices.Sorted(maps.Keys(patterns)) {
		if inModule(module, key) {
			return patterns[key]
		}
	}
	return fallback
}
