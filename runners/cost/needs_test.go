package cost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCardIsTooSmall: plan prints the available memory of a card, and whether it is too little.
func TestCardIsTooSmall(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte("#!/bin/sh\necho 'NVIDIA H100, 580.65.06, 81559'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		device string
		takes  float64 // GiB
		want   string
	}{
		{"xla:cuda", 30, "takes 30 GiB of its memory, which gives 59.7 GiB (memory_fraction=0.75 of NVIDIA H100)"},
		{"xla:cuda", 70, "(memory_fraction=0.75 of NVIDIA H100): too little"},
		{"xla:cuda,memory_fraction=0.9", 70, "which gives 71.7 GiB (memory_fraction=0.9 of NVIDIA H100)"},
	} {
		bytes := c.takes * (1 << 30)
		lines := needs{}.sentences(t.Context(), Options{Device: c.device}, needs{memory: span{bytes, bytes}, name: "e5"}, nil, t.TempDir())
		if got := strings.Join(lines, "\n"); !strings.HasSuffix(got, c.want) && !strings.Contains(got, c.want+",") {
			t.Errorf("%s: %s, want %s", c.device, got, c.want)
		}
	}
}
