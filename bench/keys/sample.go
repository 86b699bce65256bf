package keys

import (
	"fmt"
	"slices"
	"strings"
)

// companions are the keys that the parser needs next to a key, by the prefix of its path.
// Without them it would ignore or reject the key.
var companions = []struct{ path, text string }{
	{"validate.measure", ""},
	{"validate.world", "data: mini-bright, measure: nDCG@10"},
	{"validate.task", "data: mini-bright, measure: nDCG@10"},
	{"validate.", "measure: nDCG@10"},
	{"baselines.rerank.chat", `url: "http://localhost/v1"`},
	{"baselines.rerank.url", "chat: m"},
	{"baselines.rerank.window", `chat: m, url: "http://localhost/v1", how: listwise, step: 1`},
	{"baselines.rerank.step", `chat: m, url: "http://localhost/v1", how: listwise, window: 2000000000`},
	{"baselines.rerank.orders", `chat: m, url: "http://localhost/v1", how: listwise`},
	{"baselines.rerank.passes", `chat: m, url: "http://localhost/v1", how: pairwise`},
	{"baselines.rerank.", `chat: m, url: "http://localhost/v1"`},
	{"baselines.remote.api", `url: "http://localhost/v1", model: m, dim: 4`},
	{"baselines.remote.model", "api: cohere, dim: 4"},
	{"baselines.remote.dim", "api: cohere, model: m"},
	{"baselines.remote.", "api: cohere, model: m, dim: 4"},
	{"baselines.depth", "rerank: castorini/monot5-base-msmarco-10k, first: bm25"},
	{"baselines.first", "rerank: castorini/monot5-base-msmarco-10k"},
	{"baselines.similarity", "model: bm25"},
	{"baselines.storage", "model: bm25"},
	{"baselines.label", "model: bm25"},
	{"baselines.query_prompt", "model: intfloat/e5-base-v2"},
	{"baselines.document_prompt", "model: intfloat/e5-base-v2"},
	{"baselines.index.engine", ""},
	{"baselines.index.", "engine: chroma"},
	{"baselines.fuse", "model: bm25"},
	{"select.on", "measure: nDCG@10"},
	{"select.measure", "on: validation"},
	{"select.", "on: test, measure: nDCG@10"},
	{"forgetting.collections", "margin: 0.02"},
	{"forgetting.margin", "collections: [mini-mair]"},
	{"forgetting.", "collections: [mini-mair], margin: 0.02"},
}

// Sample is a small experiment file that has a value, as YAML, for a key, and the other keys
// that this key needs.
func Sample(path, value string) string {
	others := ""
	for _, c := range companions {
		if c.path == path || strings.HasSuffix(c.path, ".") && strings.HasPrefix(path, c.path) {
			others = c.text
			break
		}
	}
	head := "name: sample\n"
	if path != "evaluate" {
		head += "evaluate: [mini-followir]\n"
	}
	section, rest, nested := strings.Cut(path, ".")
	switch {
	case path == "name":
		return "evaluate: [mini-followir]\nname: " + value
	case path == "resources.overrides.when":
		return head + "resources: {overrides: [{when: " + value + "}]}"
	case path == "baselines.rerank", path == "baselines.model", path == "baselines.remote":
		return fmt.Sprintf("%sbaselines: [{%s: %s}]", head, rest, value)
	case strings.HasPrefix(path, "baselines.index"):
		return head + "baselines: [" + within(rest, value, others)[:1] + "remote: {api: cohere, model: m, dim: 4}, " + within(rest, value, others)[1:] + "]"
	case section == "baselines" && nested:
		return head + "baselines: [" + within(rest, value, others) + "]"
	case slices.Contains(tops(), section):
		return head + within(path, value, others)[1:len(within(path, value, others))-1]
	}
	return head + "base: " + within(path, value, others)
}

// within is a flow mapping with the value at a dotted key and the keys of others.
func within(path, value, others string) string {
	name, rest, nested := strings.Cut(path, ".")
	if nested {
		return "{" + name + ": " + within(rest, value, others) + "}"
	}
	if others != "" {
		others += ", "
	}
	return "{" + others + name + ": " + value + "}"
}
