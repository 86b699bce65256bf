package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/pickletest"
	"infbench/runners/catalog"
	"infbench/training/tokenizer"
	"infbench/training/weights"
)

// oldBERT is the small network in the form of repositories like facebook/contriever: only
// pytorch_model.bin and vocab.txt.
func oldBERT(t *testing.T) (old, modern string) {
	t.Helper()
	modern = smallBackbone(t)
	old = filepath.Join(t.TempDir(), "old-bert")
	if err := os.CopyFS(old, os.DirFS(modern)); err != nil {
		t.Fatal(err)
	}
	pickletest.Convert(t, old)
	tok, err := tokenizer.Open(modern)
	if err != nil {
		t.Fatal(err)
	}
	var vocab strings.Builder
	for id := range int32(tok.VocabSize()) {
		vocab.WriteString(tok.Token(id) + "\n")
	}
	if err := os.Remove(filepath.Join(old, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"vocab.txt": vocab.String(), "tokenizer_config.json": `{"do_lower_case": true}`, "special_tokens_map.json": `{"cls_token": "[CLS]"}`,
		"training_args.bin": "never read",
	} {
		if err := os.WriteFile(filepath.Join(old, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return old, modern
}

// TestOldEncoder: fetched from the hub, checked and evaluated, an old repository ranks like
// the same model in current files. Its weights are part of its identity. A repository with
// both forms is fetched without the pickle.
func TestOldEncoder(t *testing.T) {
	old, modern := oldBERT(t)
	want := evaluated(t, "--model", modern, "--data", "mini-followir")
	modelHub(t, old)
	t.Chdir(t.TempDir())
	verbOutput(t, "models", "fetch", "facebook/contriever")
	found, err := filepath.Glob(filepath.Join(os.Getenv("HF_HUB_CACHE"), "models--facebook--contriever", "snapshots", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	snapshot := found[0]
	if _, err := os.Stat(filepath.Join(snapshot, "training_args.bin")); err == nil {
		t.Error("training_args.bin was fetched")
	}
	if out := checked(t, exitOK, snapshot); !strings.Contains(out, "BertModel") {
		t.Errorf("models check printed\n%s", out)
	}
	if got := evaluated(t, "--model", snapshot, "--data", "mini-followir"); !reflect.DeepEqual(got, want) {
		t.Error("the rankings are others than those of safetensors and tokenizer.json")
	}

	before, err := catalog.HashModelFiles(old)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(old, "pytorch_model.bin")
	if err := os.Rename(file, file+".moved"); err != nil {
		t.Fatal(err)
	}
	if without, err := catalog.HashModelFiles(old); err != nil || without == before {
		t.Errorf("the file are not hashed: %v", err)
	}
	both := []string{"config.json", "model.safetensors", "pytorch_model.bin", "2_Dense/pytorch_model.bin", "spiece.model", "README.md"}
	if read := catalog.ModelFiles(both); !slices.Equal(read, []string{"config.json", "model.safetensors", "2_Dense/pytorch_model.bin", "spiece.model"}) {
		t.Errorf("of a repository with both: %q", read)
	}
}

// oldT5 is a small network in the form of castorini/monot5-base-msmarco: the golden T5, with
// as many rows as a SentencePiece vocabulary with its hundred sentinels.
func oldT5(t *testing.T) string {
	t.Helper()
	golden := testkit.SharedPath(t, "goldens-bin/t5_relu")
	const rows, wider = 211, 2100
	stored, err := weights.OpenFolder(golden)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	var list []weights.Tensor
	for _, name := range stored.Names() {
		info, _ := stored.Info(name)
		values, err := stored.Float32(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Shape) == 2 && info.Shape[0] == rows {
			width := info.Shape[1]
			for row := rows; row < wider; row++ {
				values = append(values, values[row%rows*width:(row%rows+1)*width]...)
			}
			info.Shape = []int{wider, width}
		}
		list = append(list, weights.Tensor{Name: name, Shape: info.Shape, Values: values})
	}
	text, err := os.ReadFile(filepath.Join(golden, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := os.ReadFile(filepath.Join(testkit.SharedPath(t, "goldens-bin/sentencepiece"), "spiece.model"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"config.json":       []byte(strings.Replace(string(text), `"vocab_size": 211`, `"vocab_size": 2100`, 1)),
		"pytorch_model.bin": pickletest.StateDict(t, list), "spiece.model": vocabulary,
		"special_tokens_map.json": []byte(`{"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}`),
		"infbench.json":           []byte(`{"judge": {"prompt": "Query: {query} Document: {document} Relevant:", "yes": "▁of", "no": "▁the"}, "max_document_tokens": 160}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOldJudge: a T5 with spiece.model is recognised as a judge, and scores candidates.
func TestOldJudge(t *testing.T) {
	dir := oldT5(t)
	out, _, _ := strings.Cut(checked(t, exitOK, "--format", "json", dir), "infbench:")
	var got struct{ Kind, Tokenizer string }
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Kind != "judge" || got.Tokenizer != "tokenizer of 2100 tokens" {
		t.Errorf("%+v, %v", got, err)
	}
	runs := evaluated(t, "--model", dir, "--data", writeFiles(t, zoo), "--first", "bm25")
	if len(runs) == 0 {
		t.Fatal("no rankings")
	}
	for task, run := range runs {
		for _, ranking := range run {
			if len(ranking) < 2 || ranking[0].Score <= ranking[len(ranking)-1].Score {
				t.Fatalf("%s: scores from %v to %v", task, ranking[0], ranking[len(ranking)-1])
			}
		}
	}
}

// TestHostileWeights: if a folder's weights ask for more than tensors, the error names the
// request, and nothing runs.
func TestHostileWeights(t *testing.T) {
	dir := oldT5(t)
	t.Chdir(t.TempDir())
	for file, want := range map[string]string{
		"reduce_os_system.bin": "it asks for posix.system", "raw_pickle.bin": "it asks for posix.system",
		"whole_module.bin": "it asks for torch.nn.modules.linear.Linear", "sparse.bin": "it asks for torch._utils._rebuild_sparse_tensor",
		"truncated.bin": "truncated or damaged",
	} {
		data, err := os.ReadFile(filepath.Join(testkit.SharedPath(t, "goldens-bin/refuse"), file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "pytorch_model.bin"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if out := checked(t, exitFailure, dir); !strings.Contains(out, want) || !strings.Contains(out, "pytorch_model.bin") {
			t.Errorf("%s: models check printed\n%s", file, out)
		}
		verbFails(t, exitFailure, want, "evaluate", "--model", dir, "--data", "mini-followir", "--out", filepath.Join(t.TempDir(), "out"))
		if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
			t.Fatalf("%s left %q behind", file, left)
		}
	}
}
