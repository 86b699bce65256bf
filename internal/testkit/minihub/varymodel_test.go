package minihub

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/hub"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// variedModel returns a model in another form that others may publish: weights in other
// files, one or several; config.json with its keys in another order and additional ones; and
// only the older format of the vocabulary, if it has one.
func variedModel(t *testing.T, r Repository) Repository {
	t.Helper()
	files := maps.Clone(r.Files)
	delete(files, "README.md")
	delete(files, "generation_config.json")
	if config := files["config.json"]; config != nil {
		files["config.json"] = reordered(t, config)
	}
	const index = "model.safetensors.index.json"
	switch {
	case files[index] != nil:
		var tensors []map[string]json.RawMessage
		var data [][]byte
		for _, name := range r.names() {
			if path.Dir(name) == "." && strings.HasSuffix(name, ".safetensors") {
				header, body := opened(t, files[name])
				tensors, data = append(tensors, header), append(data, body)
				delete(files, name)
			}
		}
		delete(files, index)
		files["model.safetensors"] = joined(t, tensors, data)
	case files["model.safetensors"] != nil:
		header, body := opened(t, files["model.safetensors"])
		delete(files, "model.safetensors")
		where := map[string]string{}
		for i, name := range slices.Sorted(maps.Keys(header)) {
			if name == "__metadata__" {
				continue
			}
			shard := fmt.Sprintf("weights.%c.safetensors", 'a'+i%3)
			where[name] = shard
		}
		for _, shard := range slices.Compact(slices.Sorted(maps.Values(where))) {
			some := map[string]json.RawMessage{}
			for name, at := range where {
				if at == shard {
					some[name] = header[name]
				}
			}
			files[shard] = joined(t, []map[string]json.RawMessage{some}, [][]byte{body})
		}
		files[index] = toJSON(object{"weight_map": where})
	}
	for _, older := range []string{"vocab.txt", "merges.txt", "spiece.model", "tokenizer.model"} {
		if files[older] != nil && files["tokenizer.json"] != nil && files["config.json"] != nil {
			delete(files, "tokenizer.json")
		}
	}
	return Repository{Kind: r.Kind, ID: r.ID, Commit: r.Commit, Gated: r.Gated, Files: files}
}

// reordered writes an object with its keys in reverse order, and an additional one.
func reordered(t *testing.T, content []byte) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	all["_commit_hash"] = json.RawMessage("null")
	out := []byte("{")
	for i, key := range slices.Backward(slices.Sorted(maps.Keys(all))) {
		out = fmt.Appendf(out, "%q:%s", key, all[key])
		if i > 0 {
			out = append(out, ',')
		}
	}
	return append(out, '}')
}

// opened splits a safetensors file into header and data.
func opened(t *testing.T, content []byte) (header map[string]json.RawMessage, data []byte) {
	t.Helper()
	n := binary.LittleEndian.Uint64(content)
	if err := json.Unmarshal(content[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	return header, content[8+n:]
}

// joined joins the tensors of several files into one safetensors file.
func joined(t *testing.T, headers []map[string]json.RawMessage, bodies [][]byte) []byte {
	t.Helper()
	all := map[string]any{}
	var data []byte
	for i, header := range headers {
		for _, name := range slices.Sorted(maps.Keys(header)) {
			if name == "__metadata__" {
				continue
			}
			var info struct {
				DType   string `json:"dtype"`
				Shape   []int  `json:"shape"`
				Offsets [2]int `json:"data_offsets"`
			}
			if err := json.Unmarshal(header[name], &info); err != nil {
				t.Fatal(err)
			}
			begin := len(data)
			data = append(data, bodies[i][info.Offsets[0]:info.Offsets[1]]...)
			info.Offsets = [2]int{begin, len(data)}
			all[name] = info
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
}

// outputs returns the vectors, or scores, of models that are fetched from a hub, by their
// cards. Adapters are merged into their base models.
func outputs(t *testing.T, repos []Repository) map[string][]float32 {
	t.Helper()
	serve(t, NewHub("hf_right", repos...), "hf_right")
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Finalize()
	client, err := hub.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	folder := func(id, revision string) string {
		repo := hub.Repo{Kind: hub.Model, ID: id, Revision: revision}
		if err := fetch(t, repo); err != nil {
			t.Fatal(err)
		}
		dir, _, err := client.Local(repo)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	all := map[string][]float32{}
	queries, instructions := []string{"vitamins and calories"}, []string{"only for athletes"}
	for _, r := range repos {
		var card *encoder.Card
		if c, err := encoder.CardOf(r.ID); err == nil {
			card = &c
		}
		dir := folder(r.ID, r.Commit)
		var e *encoder.Encoder
		switch {
		case encoder.IsAdapter(dir):
			e, err = card.OpenAdapted(folder(card.Base, card.BaseRevision), dir, backend)
		case card != nil && card.Kind == "reranker" || strings.HasPrefix(r.ID, "cross-encoder/"):
			c, err := card.OpenCrossEncoder(dir, backend)
			if err != nil {
				t.Errorf("%s: %v", r.ID, err)
				continue
			}
			scores := make([]float32, 1)
			if err := c.Score(t.Context(), queries, instructions, []string{""}, []string{"A diet for runners."}, scores); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
			all[r.ID] = scores
			continue
		default:
			e, err = card.Open(dir, backend)
		}
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		vector := make([]float32, e.Dim())
		if err := e.EncodeQueries(t.Context(), queries, instructions, vector); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		all[r.ID] = vector
	}
	return all
}

// TestVariedModels: the same models in other files give the same results.
func TestVariedModels(t *testing.T) {
	repos := slices.Concat(Backbones(), Baselines())
	var others []Repository
	for _, r := range repos {
		others = append(others, variedModel(t, r))
	}
	want, got := outputs(t, repos), outputs(t, others)
	for _, r := range repos {
		if len(want[r.ID]) == 0 || !slices.Equal(got[r.ID], want[r.ID]) {
			t.Errorf("%s: %.5v, want %.5v", r.ID, got[r.ID], want[r.ID])
		}
	}
}
