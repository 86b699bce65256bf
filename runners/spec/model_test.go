package spec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"infbench/internal/nearest"
)

// modelKnown knows a folder, a model of pairs, and all baselines.
func modelKnown() testNames {
	known := testKnown
	known.Model = func(name string) (Model, error) {
		switch {
		case name == "./folder", name == "org/encoder", name == "run.trec":
			return Model{Name: name, Finds: true}, nil
		case name == "org/pairs":
			return Model{Name: name, Pairs: true}, nil
		}
		if _, ok := FindBaseline(name); ok {
			return Model{Name: name, Finds: true, Weightless: true}, nil
		}
		return Model{}, nearest.Unknown("model", name, append(BaselineNames(), "org/encoder", "org/pairs"))
	}
	known.Chat = func(c *Chat) error {
		return nearest.OneOf("way of asking", c.How, "listwise")
	}
	known.Ranking = func(c *Cell) error {
		if c.RemoteAPI == "googel" {
			return nearest.Unknown("interface", c.RemoteAPI, []string{"google"})
		}
		if c.Similarity == "l2" {
			return errors.New("similarity l2")
		}
		return nil
	}
	return known
}

// Any model can be a baseline. It is planned once for each combination of the settings that it
// depends on, with its files and its card pinned.
func TestModelBaselines(t *testing.T) {
	const source = `name: x
evaluate: [mini-followir]
matrix: {loss: [uni(P)], seed: [1, 2]}
baselines:
  - bm25
  - org/encoder
  - ./folder
  - run.trec
  - {rerank: org/pairs, first: bm25}
  - {rerank: org/pairs, first: random, depth: 7}
  - {model: org/encoder, similarity: dot, fuse: bm25}
  - {model: org/encoder, query_prompt: [query, sts], document_prompt: [document, passage]}
  - {model: ./folder, query_prompt: sts}
  - {remote: {api: cohere, model: embed, dim: 4}}
  - {rerank: {chat: m, url: "http://h/v1", how: listwise}, first: bm25, depth: 9}
`
	p := planKnowing(t, modelKnown(), source)
	var got []string
	for i := range p.Trials[2:] {
		trial := &p.Trials[2+i]
		s := trial.Cell.Settings()
		delete(s, "world")
		var pinned []string
		for _, r := range trial.Revisions[:len(trial.Revisions)-1] {
			pinned = append(pinned, r.Name)
		}
		got = append(got, fmt.Sprint(s, " ", strings.Join(pinned, ", ")))
	}
	want := []string{
		"map[model:bm25 seed:0] ",
		"map[model:org/encoder seed:0] model: org/encoder, card: org/encoder",
		"map[model:./folder seed:0] model: ./folder, card: ./folder",
		"map[model:run.trec seed:0] model: run.trec, card: run.trec",
		"map[depth:100 first:bm25 model:org/pairs seed:0] model: org/pairs, card: org/pairs",
		"map[depth:7 first:random model:org/pairs seed:1] model: org/pairs, card: org/pairs",
		"map[depth:7 first:random model:org/pairs seed:2] model: org/pairs, card: org/pairs",
		"map[fuse:bm25 model:org/encoder seed:0 similarity:dot] model: org/encoder, card: org/encoder, pooled: org/encoder",
		"map[document_prompt:document model:org/encoder query_prompt:query seed:0] model: org/encoder, card: org/encoder",
		"map[document_prompt:passage model:org/encoder query_prompt:query seed:0] model: org/encoder, card: org/encoder",
		"map[document_prompt:document model:org/encoder query_prompt:sts seed:0] model: org/encoder, card: org/encoder",
		"map[document_prompt:passage model:org/encoder query_prompt:sts seed:0] model: org/encoder, card: org/encoder",
		"map[model:./folder query_prompt:sts seed:0] model: ./folder, card: ./folder",
		"map[dim:4 model:remote remote_api:cohere remote_model:embed seed:0] model: remote/embed",
		"map[chat.how:listwise chat.model:m chat.url:http://h/v1 depth:9 first:bm25 model:chat seed:0] model: chat/m",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("baselines:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	labels := map[string]bool{}
	for _, trial := range p.Trials {
		if labels[trial.Label] {
			t.Errorf("two trials are called %s", trial.Label)
		}
		labels[trial.Label] = true
	}
}

// Shortened vectors are normalized again, so their inner products are cosines.
func TestDotOfCutVectors(t *testing.T) {
	const source = "name: x\nevaluate: [mini-followir]\nbase: {similarity: dot, dims: 8}\n"
	e, err := parse("x.yaml", []byte(source), modelKnown())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Expand(testResolve); err == nil || !strings.Contains(err.Error(), "dims 8 normalises the shortened vectors") {
		t.Errorf("%v", err)
	}
}

// Old baselines keep their IDs.
func TestBaselineIDs(t *testing.T) {
	p := planKnowing(t, modelKnown(), planSource)
	for i, trial := range plan(t, planSource).Trials {
		if p.Trials[i].ID != trial.ID {
			t.Errorf("%s has ID %s, then %s", trial.Label, trial.ID, p.Trials[i].ID)
		}
	}
}

func TestBaselineMistakes(t *testing.T) {
	const head = "name: x\nevaluate: [mini-followir]\n"
	for yaml, want := range map[string]string{
		"baselines: [org/encodr]":                                           `x.yaml:3:13: unknown model "org/encodr"; did you mean "org/encoder"?`,
		"baselines: [bm25, bm25]":                                           `x.yaml:3:19: baselines: "bm25" given twice`,
		"baselines: bm25":                                                   `x.yaml:3:12: baselines: want a list`,
		"baselines: []":                                                     `baselines: the list is empty`,
		"baselines: [{}]":                                                   `want one of model, rerank and remote, found 0`,
		"baselines: [{model: bm25, rerank: org/pairs}]":                     `want one of model, rerank and remote, found 2`,
		"baselines: [{rerank: org/pairs, frist: bm25}]":                     `did you mean "first"?`,
		"baselines: [{rerank: org/encoder, first: bm25}]":                   `org/encoder finds documents by itself: list it without rerank; a language model scores pairs if infbench.json in its folder has a judge section`,
		"baselines: [{model: org/encoder, first: bm25}]":                    `only models that score pairs have a first stage`,
		"baselines: [{rerank: org/pairs, first: org/pairs}]":                `name a model that finds documents, such as bm25`,
		"baselines: [{rerank: org/pairs, depth: 5}]":                        `depth 5: want the number of documents that first finds`,
		"baselines: [{rerank: org/pairs, first: bm25, depth: -1}]":          `depth -1`,
		"baselines: [{rerank: org/pairs, first: untrained}]":                `cannot be fused or be a stage`,
		"baselines: [{remote: {api: cohere, model: e}}]":                    `remote needs model and dim`,
		"baselines: [{remote: {api: googel, model: e, dim: 3}}]":            `did you mean "google"?`,
		"baselines: [{remote: {model: e, dim: 3, key: sk-1}}]":              `--key-env`,
		"baselines: [{remote: {model: e, dimm: 3}}]":                        `did you mean "dim"?`,
		"baselines: [{remote: {model: e, dim: 3}, first: bm25}]":            `remote finds documents by itself`,
		"baselines: [{rerank: {url: x}}]":                                   `chat names no model`,
		"baselines: [{rerank: {chat: m, url: x, hwo: listwise}}]":           `did you mean "how"?`,
		"baselines: [{rerank: {chat: m, url: x, key: sk-1}}]":               `--key-env`,
		"baselines: [{rerank: {chat: m, how: listwis}, first: bm25}]":       `did you mean "listwise"?`,
		"baselines: [{rerank: {chat: m}, model: bm25}]":                     `want one of model, rerank and remote, found 2`,
		"base: {chat: {how: listwise}}":                                     `chat is a setting of baselines`,
		"baselines: [{model: org/encoder, similarity: l2}]":                 `similarity l2`,
		"baselines: [trained]":                                              `trained means the trained cells`,
		"base: {first: bm25}":                                               `first is a setting of baselines`,
		"matrix: {similarity: [maxsim]}":                                    `unknown similarity "maxsim" (known: cosine, dot)`,
		"base: {similarity: cosine, design: {score: dot}}":                  `similarity cosine with design.score dot`,
		"base: {design: {score: dott}}":                                     `unknown score "dott"; did you mean "dot"?`,
		"base: {similarity: dto}":                                           `unknown similarity "dto"; did you mean "dot"?`,
		"baselines: [bm25]\nresources: {overrides: [{when: {model: bm2}}]}": `did you mean "bm25"?`,
	} {
		_, err := parse("x.yaml", []byte(head+yaml), modelKnown())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
