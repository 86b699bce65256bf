package encoder

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// poolingModes maps sentence-transformers' switches to ours.
func poolingModes() map[string]Pooling {
	return map[string]Pooling{
		"pooling_mode_mean_tokens":          Mean,
		"pooling_mode_cls_token":            CLS,
		"pooling_mode_lasttoken":            Last,
		"pooling_mode_weightedmean_tokens":  WeightedMean,
		"pooling_mode_max_tokens":           Max,
		"pooling_mode_mean_sqrt_len_tokens": MeanSqrt,
	}
}

// namedPoolings maps the names that later versions write under pooling_mode.
func namedPoolings() map[string]Pooling {
	return map[string]Pooling{
		"mean": Mean, "cls": CLS, "lasttoken": Last, "weightedmean": WeightedMean, "max": Max, "mean_sqrt_len_tokens": MeanSqrt,
	}
}

// readPooling reads a Pooling module's config.json; found reports whether there is one.
func (t *Text) readPooling(dir, file string) (found bool, err error) {
	var switches map[string]any
	if found, err = readJSON(dir, file, &switches); err != nil || !found {
		return false, err
	}
	return true, t.setPooling(filepath.Join(dir, file), switches)
}

// setPooling applies the settings in a Pooling module's file.
func (t *Text) setPooling(path string, switches map[string]any) error {
	t.Pooling = ""
	if name, ok := switches["pooling_mode"].(string); ok {
		if t.Pooling, ok = namedPoolings()[name]; !ok {
			return fmt.Errorf("%s: %w", path, nearest.Unknown("pooling_mode", name, slices.Sorted(maps.Keys(namedPoolings()))))
		}
	}
	for key, value := range switches {
		if on, ok := value.(bool); !ok || !on || !strings.HasPrefix(key, "pooling_mode_") {
			continue
		}
		mode, ok := poolingModes()[key]
		if !ok {
			return fmt.Errorf("%s: %s is not supported", path, key)
		}
		if t.Pooling != "" && t.Pooling != mode {
			return fmt.Errorf("%s: several poolings at once are not supported", path)
		}
		t.Pooling = mode
	}
	if t.Pooling == "" {
		return fmt.Errorf("%s: no pooling mode is on", path)
	}
	if include, ok := switches["include_prompt"].(bool); ok && !include {
		switch t.Pooling {
		case Mean:
			t.Prompt = ExcludePrompt
		case WeightedMean, Max, MeanSqrt:
			return fmt.Errorf("%s: include_prompt false with %s pooling is not supported", path, t.Pooling)
		} // they take the first or the last token, in the prompt or not
	}
	return nil
}

// poolingFile is the config.json of the Pooling module.
func (t *Text) poolingFile(dim int) map[string]any {
	pooling := map[string]any{"word_embedding_dimension": dim, "include_prompt": !t.Prompt.Excludes()}
	for key, mode := range poolingModes() {
		pooling[key] = mode == t.Pooling
	}
	return pooling
}
