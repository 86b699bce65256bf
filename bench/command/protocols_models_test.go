package command

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// protocolQuery is a query of a miniature benchmark and all documents that it may rank.
type protocolQuery struct {
	task, id string
	query    datasets.Query
	docs     []datasets.Document
}

// protocolBenchmarks are the miniatures made by the write functions.
func protocolBenchmarks() map[string]struct {
	args    []string
	queries []protocolQuery
} {
	doc := func(id, title, text string) datasets.Document {
		return datasets.Document{ID: id, Title: title, Text: text}
	}
	var followir, mair, bright []protocolQuery
	for _, task := range []string{"core17", "news21", "robust04"} {
		for id, instruction := range map[string]string{"301-og": "wide", "301-changed": "narrow"} {
			followir = append(followir, protocolQuery{task, id, datasets.Query{Text: "crime", Instruction: instruction},
				[]datasets.Document{doc("d1", "red", "one fox"), doc("d2", "", "two blue whale"), doc("d3", "", "three green heron")}})
		}
	}
	for task, a := range map[string]string{"SciFact": "red fox", "IFEval_keywords__existence_7": "one", "IFEval_startend__quotation_1": "blue"} {
		corpus := []datasets.Document{doc("a", "", a), doc("b", "", "other")}
		mair = append(mair, protocolQuery{task, "q1", datasets.Query{Text: "fox", Instruction: "find one"}, corpus},
			protocolQuery{task, "q2", datasets.Query{Text: "two whale"}, corpus})
	}
	l1, l2, l3 := doc("l1", "", "red fox"), doc("l2", "", "blue whale"), doc("l3", "", "retrieve heron")
	bright = append(bright, protocolQuery{"leetcode", "7", datasets.Query{Text: "whale", Instruction: brightAsk}, []datasets.Document{l1, l3}},
		protocolQuery{"leetcode", "8", datasets.Query{Text: "fox whale", Instruction: brightAsk}, []datasets.Document{l1, l2, l3}})
	return map[string]struct {
		args    []string
		queries []protocolQuery
	}{
		"followir": {nil, followir},
		"mair":     {[]string{"--task", "SciFact", "--task", "IFEval"}, mair},
		"bright":   {[]string{"--task", "leetcode"}, bright},
	}
}

// joinedQuery and joinedDocument fill in the card's templates.
func joinedQuery(c *encoder.Card, q datasets.Query) string {
	if q.Instruction == "" {
		return strings.ReplaceAll(cmp.Or(c.QueryAlone, "{query}"), "{query}", q.Text)
	}
	return strings.NewReplacer("{query}", q.Text, "{instruction}", q.Instruction).Replace(cmp.Or(c.Query, "{query} {instruction}"))
}

func joinedDocument(c *encoder.Card, d datasets.Document) string {
	if d.Title == "" {
		return strings.ReplaceAll(cmp.Or(c.DocumentAlone, "{text}"), "{text}", d.Text)
	}
	return strings.NewReplacer("{title}", d.Title, "{text}", d.Text).Replace(cmp.Or(c.Document, "{title} {text}"))
}

// cardedModel writes two golden models with the same weights: one that handles texts
// according to a card, and one that takes them unchanged. Vectors keep their lengths, so that
// the similarities differ.
func cardedModel(t *testing.T, golden string, c *encoder.Card) (carded, plain string) {
	t.Helper()
	templates := strings.Join([]string{vocabulary, c.Query, c.QueryAlone, c.Document, c.DocumentAlone, brightAsk}, " ")
	if c.Judge != nil {
		templates += " " + c.Judge.Prompt
	}
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{templates, vocabulary}), 205)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("{}")
	if c.Kind != "" {
		if data, err = c.Settings(); err != nil {
			t.Fatal(err)
		}
	}
	var own map[string]any
	if err := json.Unmarshal(data, &own); err != nil {
		t.Fatal(err)
	}
	tokens := goldenTokens(t, golden)
	if judge, ok := own["judge"].(map[string]any); ok {
		judge["yes"], judge["no"] = "one", "two" // the card's words are from another tokenizer
		tokens = 512                             // these models read more, since prompts are long
	}
	own["normalize"], own["max_query_tokens"], own["max_document_tokens"] = false, tokens, tokens
	folder := func(own map[string]any) string {
		text, err := json.Marshal(own)
		if err != nil {
			t.Fatal(err)
		}
		return goldenModel(t, golden, map[string]string{"infbench.json": string(text), "tokenizer.json": string(tok.JSON())})
	}
	carded = folder(own)
	for _, key := range []string{"query", "query_without_instruction", "document", "document_without_title"} {
		delete(own, key)
	}
	return carded, folder(own)
}

// protocolModels lists the combinations: each golden model with a card of its architecture,
// and each card with a model of its architecture, if both exist.
func protocolModels(t *testing.T) map[string][]encoder.Card {
	t.Helper()
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(testkit.Shared(), "goldens")
	folders, err := filepath.Glob(filepath.Join(root, "*", "config.json"))
	if err != nil || len(folders) == 0 {
		t.Skipf("SKIP: shared data absent at %s", root)
	}
	models := map[string][]encoder.Card{}
	used := map[string]bool{}
	for _, file := range folders {
		var config struct {
			Type          string   `json:"model_type"`
			Architectures []string `json:"architectures"`
		}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &config)
		}
		if err != nil {
			t.Fatal(err)
		}
		class := strings.Join(config.Architectures, "")
		classifier, generates := strings.Contains(class, "SequenceClassification"), strings.Contains(class, "CausalLM") || strings.Contains(class, "Generation")
		name := filepath.Base(filepath.Dir(file))
		var fit []encoder.Card
		for _, c := range cards {
			scores := c.Kind == "reranker"
			if c.Architecture == config.Type && c.Prompt == "" && (scores == classifier || scores && c.Judge != nil && generates) && (c.Judge == nil || !classifier) {
				fit = append(fit, c)
			}
		}
		for _, c := range fit {
			if !used[c.Name] || len(models[name]) == 0 {
				used[c.Name] = true
				models[name] = append(models[name], c)
			}
		}
		if len(models[name]) == 0 {
			models[name] = []encoder.Card{{Name: "defaults"}}
		}
	}
	return models
}

// Every golden model on every protocol, with the card's templates and both similarities:
// exactly the documents that each query may rank, with the scores of the expanded texts.
func TestProtocolsOverModels(t *testing.T) {
	testkit.Deep(t)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	writeFollowIRMini(t)
	writeMAIRMini(t)
	writeBRIGHTMini(t)
	models := protocolModels(t)
	runs := 0
	for _, golden := range slices.Sorted(maps.Keys(models)) {
		for i, c := range models[golden] {
			t.Run(golden+" "+c.Name, func(t *testing.T) {
				carded, plain := cardedModel(t, golden, &c)
				if out := verbOutput(t, "models", "check", carded, "--format", "csv"); !strings.Contains(out, "runs,yes") {
					t.Errorf("models check does not say that it runs: %s", out)
				}
				pairs, err := catalog.ScoresPairs(carded)
				if err != nil {
					t.Fatal(err)
				}
				if pairs {
					checkPairProtocols(t, carded, plain, &c)
				} else {
					checkVectorProtocols(t, carded, plain, &c, i == 0)
				}
			})
			runs++
		}
	}
	if runs < len(models) || len(models) < 15 {
		t.Errorf("%d runs of %d models", runs, len(models))
	}
}

// checkVectorProtocols compares the rankings of an encoder with the vectors of the plain one
// for the joined texts. Once a model has passed all protocols, its other cards need only
// FollowIR.
func checkVectorProtocols(t *testing.T, carded, plain string, c *encoder.Card, everything bool) {
	t.Helper()
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encoder.Open(plain, backend)
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string][]float32{}
	var texts []string
	note := func(text string) string {
		if vectors[text] == nil {
			vectors[text] = make([]float32, enc.Dim())
			texts = append(texts, text)
		}
		return text
	}
	benchmarks, kinds := protocolBenchmarks(), []string{"cosine", "dot"}
	if !everything {
		delete(benchmarks, "mair")
		delete(benchmarks, "bright")
		kinds = kinds[:1]
	}
	for _, b := range benchmarks {
		for _, q := range b.queries {
			note(joinedQuery(c, q.query))
			for _, d := range q.docs {
				note(joinedDocument(c, d))
			}
		}
	}
	flat := make([]float32, len(texts)*enc.Dim())
	if err := enc.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, flat); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		copy(vectors[text], flat[i*enc.Dim():])
	}
	cache := t.TempDir()
	for name, b := range benchmarks {
		for _, kind := range kinds {
			runs := evaluated(t, append([]string{"--model", carded, "--data", name, "--similarity", kind, "--cache", cache}, b.args...)...)
			for _, q := range b.queries {
				docs := map[string]string{}
				for _, d := range q.docs {
					docs[d.ID] = joinedDocument(c, d)
				}
				checkRanking(t, name+"/"+q.task+" "+q.id, runs[q.task][q.id], kind, joinedQuery(c, q.query), docs,
					func(text string) []float32 { return vectors[text] })
			}
		}
	}
}

// checkPairProtocols compares the rankings of a pair model with the scores of the plain one:
// on FollowIR's candidates, and on the results of a first stage elsewhere.
func checkPairProtocols(t *testing.T, carded, plain string, c *encoder.Card) {
	t.Helper()
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	model, err := encoder.OpenCrossEncoder(plain, backend)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range protocolBenchmarks() {
		args := append([]string{"--model", carded, "--data", name}, b.args...)
		if name != "followir" {
			args = append(args, "--first", "document-order")
		}
		runs := evaluated(t, args...)
		for _, q := range b.queries {
			got := runs[q.task][q.id]
			allowed := map[string]datasets.Document{}
			for _, d := range q.docs {
				allowed[d.ID] = d
			}
			if len(got) != len(allowed) {
				t.Errorf("%s/%s %s ranks %v, want %v", name, q.task, q.id, got, slices.Sorted(maps.Keys(allowed)))
			}
			for _, s := range got {
				d, ok := allowed[s.Doc]
				want := make([]float32, 1)
				if err := model.Score(t.Context(), []string{joinedQuery(c, q.query)}, []string{""}, []string{""}, []string{joinedDocument(c, d)}, want); err != nil {
					t.Fatal(err)
				}
				if !ok || math.Abs(s.Score-float64(want[0])) > 1e-5 {
					t.Errorf("%s/%s %s: %s scores %v, want %v", name, q.task, q.id, s.Doc, s.Score, want[0])
				}
			}
		}
	}
}
