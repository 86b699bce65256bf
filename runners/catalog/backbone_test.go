package catalog

import (
	"strings"
	"testing"
)

func TestBackboneNames(t *testing.T) {
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	for name, want := range map[string]string{
		"tiny-llama":                    "",
		"answerdotai/ModernBERT-base":   "",
		"Qwen/Qwen2.5-1.5B@refs/pr/3":   "",
		"Qwen/Qwen2.5-15B":              `did you mean "Qwen/Qwen2.5-1.5B"?`,
		"castorini/monot5-base-msmarco": "unknown backbone", // scores pairs
		"../../etc":                     "unknown backbone",
	} {
		err := CheckBackbone(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
