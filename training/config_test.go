package training

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestDefaultConfigIsValid(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

func TestConfigRefuses(t *testing.T) {
	for part, edit := range map[string]func(*Config){
		"epochs 0":                  func(c *Config) { c.Epochs = 0 },
		"rows_per_group 0":          func(c *Config) { c.RowsPerGroup = 0 },
		"groups -1":                 func(c *Config) { c.Groups = -1 },
		"accumulate -1":             func(c *Config) { c.Accumulate = -1 },
		"chunk -1":                  func(c *Config) { c.Chunk = -1 },
		"lr NaN":                    func(c *Config) { c.LearningRate = math.NaN() },
		"lr 0":                      func(c *Config) { c.LearningRate = 0 },
		"warmup 1.5":                func(c *Config) { c.Warmup = 1.5 },
		"evaluate_every -1":         func(c *Config) { c.EvaluateEvery = -1 },
		"patience -1":               func(c *Config) { c.Patience = -1 },
		"lora: r -1":                func(c *Config) { c.LoRA.Rank = -1 },
		"lora: dropout 1":           func(c *Config) { c.LoRA.Dropout = 1 },
		`did you mean "bf16"`:       func(c *Config) { c.Precision = "fp16" },
		"alpha NaN":                 func(c *Config) { c.LoRA.Alpha = math.NaN() },
		"dropout 1":                 func(c *Config) { c.Dropout = 1 },
		"dropout NaN":               func(c *Config) { c.Dropout = math.NaN() },
		"weight_decay -1":           func(c *Config) { c.WeightDecay = -1 },
		"clip NaN":                  func(c *Config) { c.Clip = math.NaN() },
		"temperature +Inf":          func(c *Config) { c.Temperature = new(math.Inf(1)) },
		"temperature 0":             func(c *Config) { c.Temperature = new(0.0) },
		`did you mean "cosine"`:     func(c *Config) { c.Schedule = "cosin" },
		`did you mean "reference"`:  func(c *Config) { c.Fidelity = "refrence" },
		`did you mean "mask"`:       func(c *Config) { c.Duplicates = "msk" },
		`did you mean "query_only"`: func(c *Config) { c.IQTerm = "query-only" },
		`did you mean "global"`:     func(c *Config) { c.Negatives.Scope = "globl" },
		"divisor -3":                func(c *Config) { c.Negatives.Divisor = -3 },
		`did you mean "always"`:     func(c *Config) { c.Negatives.OwnHard = "alway" },
		`did you mean "keep"`:       func(c *Config) { c.Negatives.Equal = "kept" },
	} {
		c := DefaultConfig()
		edit(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want an error with %q, got %v", part, err)
		}
	}
	bad := DefaultConfig()
	bad.Epochs, bad.Groups = 0, 0
	if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "epochs") || !strings.Contains(err.Error(), "groups") {
		t.Errorf("want all errors at once, got %v", err)
	}
}

// TestPresets checks every choice of the presets against the paper and the reference code
// (spec/training.md, sections 0 and 2).
func TestPresets(t *testing.T) {
	for name, want := range map[string]Objective{
		"recommended": {Temperature: 0.05, Duplicates: Mask, Negatives: Negatives{Local, 2, Always}, IQ: Pair},
		"paper":       {Temperature: 1, Duplicates: Keep, Negatives: Negatives{Global, 1, Chance}, IQ: Pair},
		"reference":   {Temperature: 0.05, Epsilon: 1e-4, Duplicates: Mask, Negatives: Negatives{Local, 2, Chance}, IQ: Pair},
	} {
		c := DefaultConfig()
		c.Fidelity = name
		want.Modifiers, want.Bias = c.modifiers(), biasOf("") // the same for every preset
		want.False.Equal = name == "recommended"
		if got, err := c.Objective(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
		full, _ := c.Complete(Contrastive{Uni, P}, Design{})
		if full.Temperature == nil || *full.Temperature != want.Temperature {
			t.Errorf("%s: temperature %v in the plan, want %v", name, full.Temperature, want.Temperature)
		}
		c.Temperature = new(0.3)
		if full, _ := c.Complete(Contrastive{Uni, P}, Design{}); *full.Temperature != 0.3 {
			t.Errorf("%s: temperature %v, want the one that was set", name, *full.Temperature)
		}
	}
}

func TestObjectiveOverridesItsPreset(t *testing.T) {
	c := DefaultConfig()
	c.Fidelity = "reference"
	c.IQTerm, c.Temperature = QueryOnly, new(0.1)
	c.Negatives = NegativeConfig{Divisor: 3, Equal: Mask}
	got, err := c.Objective()
	want := Objective{
		Temperature: 0.1, Epsilon: 1e-4, Duplicates: Mask, IQ: QueryOnly,
		Negatives: Negatives{Scope: Local, Divisor: 3, OwnHard: Chance},
	}
	want.Modifiers, want.Bias = DefaultConfig().modifiers(), biasOf("")
	want.False.Equal = true
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

// TestRate compares with transformers' get_{linear,cosine,constant}_schedule_with_warmup for 10
// steps with 2 warm-up steps, worked out by hand from their definitions.
func TestRate(t *testing.T) {
	for name, want := range map[string][]float64{
		Linear:   {0, 0.5, 1, 7. / 8, 6. / 8, 5. / 8, 4. / 8, 3. / 8, 2. / 8, 1. / 8},
		Cosine:   {0, 0.5, 1, 0.9619398, 0.8535534, 0.6913417, 0.5, 0.3086583, 0.1464466, 0.0380602},
		Constant: {0, 0.5, 1, 1, 1, 1, 1, 1, 1, 1},
	} {
		c := DefaultConfig()
		c.LearningRate, c.Schedule, c.Warmup = 2, name, 0.2
		for step, w := range want {
			if got := c.rate(step, 10); math.Abs(got-2*w) > 1e-6 {
				t.Errorf("%s, step %d: %v, want %v", name, step, got, 2*w)
			}
		}
	}
}

// TestSettingsThatNeedOthers: a sweep may vary them alone, but Train returns an error.
func TestSettingsThatNeedOthers(t *testing.T) {
	data := colours(24)
	for part, edit := range map[string]func(*Config){
		"patience 2 without evaluate_every": func(c *Config) { c.Patience = 2 },
		"alpha, dropout or targets without": func(c *Config) { c.LoRA.Alpha = 8 },
		"lora: alpha, dropout or targets":   func(c *Config) { c.LoRA.Targets = []string{"query"} },
		"dropout or targets without r":      func(c *Config) { c.LoRA.Dropout = 0.1 },
		"lora: keep adapter without r":      func(c *Config) { c.LoRA.Keep = "adapter" },
	} {
		c := DefaultConfig()
		edit(&c)
		if err := c.Validate(); err != nil {
			t.Errorf("%s: Validate: %v", part, err)
		}
		if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
}
