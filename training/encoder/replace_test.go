package encoder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
)

// A saved model replaces the old one and its files. Other files in the folder stay, also after a
// crash in between.
func TestReplaceFolderKeepsNotes(t *testing.T) {
	for _, crashed := range []bool{false, true} {
		root := t.TempDir()
		put := func(name string) {
			path := filepath.Join(root, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"new/config.json", "new/model.safetensors", "model/config.json", "model/vocab.txt", "model/readme.txt", "model/1_Pooling/config.json", "model/notes/1.md"} {
			put(name)
		}
		dir := filepath.Join(root, "model")
		if crashed { // after the old model was moved aside
			if err := os.Rename(dir, filepath.Join(root, ".model.before")); err != nil {
				t.Fatal(err)
			}
		}
		if err := replaceFolder(disk.OS{}, filepath.Join(root, "new"), dir); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"config.json": "new/config.json", "model.safetensors": "new/model.safetensors", "readme.txt": "model/readme.txt", "notes/1.md": "model/notes/1.md", "vocab.txt": "", "1_Pooling/config.json": "",
		} {
			if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
				t.Errorf("%s holds %q, want %q", name, got, want)
			}
		}
		if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 {
			t.Errorf("left next to the model: %v, %v", entries, err)
		}
	}
}
