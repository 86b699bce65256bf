package analysis

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMapLeavesOut: texts that have only unknown words have no direction. They are not on the
// map, and the map reports their number.
func TestMapLeavesOut(t *testing.T) {
	model, dir := staticModel(t), t.TempDir()
	file := filepath.Join(dir, "texts.jsonl")
	var lines strings.Builder
	for _, text := range []string{"qwxzvkk", "the war", "a king", "city of peace", "qqqzz", "red water", "music band"} {
		lines.WriteString(`{"text":"` + text + `"}` + "\n")
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd, out := MapCommand(), new(bytes.Buffer)
	cmd.SetOut(out)
	cmd.SetArgs([]string{file, "--model", model, "--neighbours", "2", "--out", filepath.Join(dir, "map")})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "2 texts without a word that the model knows left out") {
		t.Errorf("map says\n%s", out)
	}
	points, err := os.ReadFile(filepath.Join(dir, "map", "map.csv"))
	if err != nil || bytes.Contains(points, []byte("qqqzz")) || bytes.Count(points, []byte("\n")) != 6 {
		t.Errorf("coordinates, %v:\n%s", err, points)
	}
}
