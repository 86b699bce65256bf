package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/chat"
	"infbench/internal/tools/beir"
)

// The pairs have this many documents a query, cut to so many bytes: at most 128 tokens with the query.
const pairsDepth, pairsBytes = 20, 160

// leastTau is the smallest Kendall's tau of two orders by the same 16-bit weights.
const leastTau = .98

// order compares the order of pairs by the endpoint's log-odds with that by our network, which has
// the values of the Q4_1 file. The 16-bit file has these values rounded to float16; with the Q4_1
// file, llama-server multiplies in 8 bits.
func order(kind string) func(context.Context, *bench) (string, error) {
	return func(ctx context.Context, b *bench) (string, error) {
		file := b.gguf
		if kind == "f16" {
			file = filepath.Join(b.dir, "f16.gguf")
			if err := b.quantize(ctx, file, "F16"); err != nil {
				return "", err
			}
		}
		answers := "answers-" + kind
		common := []string{"evaluate", "--first", "bm25", "--depth", fmt.Sprint(pairsDepth), "--data", "pairs"}
		text, err := b.with(ctx, file, func() (string, error) {
			return b.ask(ctx, append(common, "--model", "chat", "--chat-model", model, "--url", b.gate.url, "--answers", answers, "--out", "pairs-"+kind)...)
		}, chatServer...)
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, complaint(text))
		}
		theirs, prompt, err := b.answered(answers)
		if err != nil {
			return "", err
		}
		ours, err := b.ours(ctx, prompt, common)
		if err != nil {
			return "", err
		}
		return compareOrders(theirs, ours, kind == "f16")
	}
}

// quantize writes the weights in another format.
func (b *bench) quantize(ctx context.Context, to, kind string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	out, err := exec.CommandContext(ctx, filepath.Join(b.programs, "llama-quantize"), "--allow-requantize", b.gguf, to, kind).CombinedOutput()
	if err != nil {
		return fmt.Errorf("llama-quantize: %w: %s", err, lastLine(out))
	}
	return nil
}

// answered reads the kept answers: the log-odds of Yes against No by query and document, NaN if one
// is not among the likeliest tokens. prompt is the question in SmolLM2's template with places for
// query and document.
func (b *bench) answered(answers string) (odds map[[2]string]float64, prompt string, err error) {
	ids := map[string]string{} // by text
	for _, name := range []string{"queries.jsonl", "corpus.jsonl"} {
		err := beir.Lines(filepath.Join(b.dir, "pairs", name), func(line []byte) error {
			var row struct {
				ID    string `json:"_id"`
				Title string
				Text  string
			}
			err := json.Unmarshal(line, &row)
			ids[strings.TrimSpace(row.Title+"\n"+row.Text)] = row.ID
			return err
		})
		if err != nil {
			return nil, "", err
		}
	}
	odds = map[[2]string]float64{}
	err = filepath.WalkDir(filepath.Join(b.dir, answers), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var kept struct {
			Request chat.Request `json:"request"`
			Answer  chat.Answer  `json:"answer"`
		}
		if err := json.Unmarshal(text, &kept); err != nil {
			return err
		}
		asked := kept.Request.Messages[1].Text
		query := between(asked, "Query: ", "\nInstruction: ")
		document := between(asked, "<passage>\n", "\n</passage>")
		odds[[2]string{ids[query], ids[document]}] = logprob(kept.Answer.Top, "Yes") - logprob(kept.Answer.Top, "No")
		prompt = "<|im_start|>system\n" + kept.Request.Messages[0].Text + "<|im_end|>\n<|im_start|>user\n" +
			strings.Replace(strings.Replace(asked, document, "{document}", 1), query, "{query}", 1) + "<|im_end|>\n<|im_start|>assistant\n"
		return nil
	})
	return odds, prompt, err
}

// between returns the text between two others.
func between(text, begin, end string) string {
	_, rest, _ := strings.Cut(text, begin)
	found, _, _ := strings.Cut(rest, end)
	return found
}

// logprob returns the log-probability of a token, NaN if it is not listed.
func logprob(top []chat.Token, text string) float64 {
	for _, t := range top {
		if t.Text == text {
			return t.Logprob
		}
	}
	return math.NaN()
}

// ours returns the logits of Yes less those of No of our network for the same prompts. The second call
// reads what the first computed.
func (b *bench) ours(ctx context.Context, prompt string, common []string) (map[[2]string]float64, error) {
	const out = "pairs-ours"
	if _, err := os.Stat(filepath.Join(b.dir, out, "done.json")); err == nil {
		return readOdds(filepath.Join(b.dir, out))
	}
	dir := filepath.Join(b.dir, "judge")
	judge, err := json.Marshal(map[string]any{"judge": map[string]string{"prompt": prompt, "yes": "Yes", "no": "No"}})
	if err != nil {
		return nil, err
	}
	if err := b.folder(dir, map[string]string{"infbench.json": string(judge)}); err != nil {
		return nil, err
	}
	text, err := b.ask(ctx, append(slices.Clone(common), "--model", dir, "--out", out)...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaint(text))
	}
	return readOdds(filepath.Join(b.dir, out))
}

// readOdds reads the scores of a judge, which are log-probabilities of Yes among the two words, as
// log-odds.
func readOdds(run string) (map[[2]string]float64, error) {
	scores, err := readRun(run)
	for pair, s := range scores {
		scores[pair] = s - math.Log(-math.Expm1(s))
	}
	return scores, err
}

// folder makes a folder with links to SmolLM2's weights and tokenizer and with other files of its own.
func (b *bench) folder(dir string, own map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} {
		if err := os.Symlink(filepath.Join(b.network, name), filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	for name, text := range own {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compareOrders returns Kendall's tau of two scores of the same pairs, and their largest difference.
func compareOrders(theirs, ours map[[2]string]float64, demanding bool) (string, error) {
	var x, y []float64
	missing, most := 0, 0.0
	for pair, odds := range theirs {
		own, ok := ours[pair]
		if !ok {
			return "", fmt.Errorf("our network has no score for query %q and document %q", pair[0], pair[1])
		}
		if math.IsNaN(odds) {
			missing++
			continue
		}
		x, y, most = append(x, odds), append(y, own), max(most, math.Abs(odds-own))
	}
	tau := kendall(x, y)
	happened := fmt.Sprintf("tau %.4f of %d pairs, largest difference %.4f, %d pairs without both words", tau, len(x), most, missing)
	if demanding && !(tau >= leastTau) {
		return happened, fmt.Errorf("want tau at least %v", leastTau)
	}
	return happened, nil
}

// kendall returns Kendall's tau-a of two lists.
func kendall(x, y []float64) float64 {
	sum, n := 0, 0
	for i := range x {
		for j := range i {
			n++
			switch product := (x[i] - x[j]) * (y[i] - y[j]); {
			case product > 0:
				sum++
			case product < 0:
				sum--
			}
		}
	}
	return float64(sum) / float64(n)
}

// embeddings compares vectors that llama-server makes with those of our network, by the scores of the
// same collection.
func embeddings(ctx context.Context, b *bench) (string, error) {
	file := filepath.Join(b.dir, "f16.gguf")
	if err := b.quantize(ctx, file, "F16"); err != nil {
		return "", err
	}
	out, err := b.with(ctx, file, func() (string, error) {
		return b.ask(ctx, "evaluate", "--model", "remote", "--remote-api", "openai", "--url", b.gate.url, "--remote-model", model, "--dim", "576", "--data", "few", "--out", "vectors")
	}, "--embeddings", "--pooling", "mean", "--ctx-size", "2048", "--batch-size", "2048", "--ubatch-size", "2048", "--parallel", "1")
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, complaint(out))
	}
	dir := filepath.Join(b.dir, "encoder")
	err = b.folder(dir, map[string]string{
		"modules.json":              `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json":     `{"word_embedding_dimension":576,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true,"pooling_mode_max_tokens":false,"pooling_mode_mean_sqrt_len_tokens":false}`,
		"sentence_bert_config.json": `{"max_seq_length":512,"do_lower_case":false}`,
	})
	if err != nil {
		return "", err
	}
	if out, err = b.ask(ctx, "evaluate", "--model", dir, "--data", "few", "--out", "vectors-ours"); err != nil {
		return "", fmt.Errorf("%w: %s", err, complaint(out))
	}
	theirs, err := readRun(filepath.Join(b.dir, "vectors"))
	if err != nil {
		return "", err
	}
	ours, err := readRun(filepath.Join(b.dir, "vectors-ours"))
	if err != nil {
		return "", err
	}
	return compareOrders(theirs, ours, true)
}
