package published

import (
	"cmp"
	"maps"
	"regexp"
	"strings"

	"infbench/runners/results"
)

// SameModel reports whether two names mean the same model: the last elements agree in lower case,
// without sizes and years in parentheses, and so do the organisations if both have one. A revision
// after an @ does not matter.
func SameModel(a, b string) bool {
	aOrg, aName := foldModel(a)
	bOrg, bName := foldModel(b)
	return aName != "" && aName == bName && (aOrg == "" || bOrg == "" || aOrg == bOrg)
}

// shortNames are names of the paper that leave out a distinguishing part.
var shortNames = map[string]string{
	"openai-v3-large":           "text-embedding-3-large",
	"cohere-embed-english-v3.0": "embed-english-v3.0",
}

// shortAlone are short names of models in the paper's Table 5 that have this meaning only without
// an organisation: facebook/contriever is another model. The models are those whose results the
// table repeats (FollowIR's).
var shortAlone = map[string]string{
	"contriever":             "contriever-msmarco",
	"monot5-base":            "monot5-base-msmarco-10k",
	"monot5-3b":              "monot5-3b-msmarco-10k",
	"monobert":               "monobert-large-msmarco",
	"tart-flan-t5-xl":        "tart-full-flan-t5-xl",
	"e5-mistral":             "e5-mistral-7b-instruct",
	"repllama-v1-7b":         "repllama-v1-7b-lora-passage",
	"promptriever-llama2-7b": "promptriever-llama2-7b-v1",
}

// paperBM25 is the paper's BM25, taken from FollowIR. It counts documents among the candidates of
// each query, and so differs from this program's BM25 over the corpus.
const paperBM25 = "bm25 (2009)"

var parenthesised = regexp.MustCompile(`\s*\([^)]*\)`)

// foldModel splits a name into the organisation and the part that identifies the model there.
func foldModel(name string) (org, base string) {
	if name, _, _ = strings.Cut(name, "@"); strings.EqualFold(name, paperBM25) {
		return "", "bm25-okapi-candidates"
	}
	name = strings.ToLower(strings.TrimSpace(parenthesised.ReplaceAllString(name, "")))
	base = name
	if org, base, _ = strings.Cut(name, "/"); base == "" {
		org, base = "", name
	}
	if strings.Contains(base, "/") || strings.HasPrefix(org, ".") {
		org, base = "", base[strings.LastIndex(base, "/")+1:] // a folder, not ORG/NAME
	}
	base = strings.ReplaceAll(base, "_", "-")
	if strings.HasSuffix(base, "-inst") {
		base += "ruct"
	}
	if full := shortAlone[base]; full != "" && org == "" {
		base = full
	}
	return org, cmp.Or(shortNames[base], base)
}

// Training describes how a model was trained before it was measured.
type Training struct {
	Loss   string            // "multi(P,I)"; "" without training
	Config map[string]string // configuration of the trial, by dotted keys
}

// defaultLoss is the loss of the paper's Table 4, as far as stated: the default of its code.
const defaultLoss = "uni(P)"

var designValues = map[string]string{"share_encoder=1": "true", "share_encoder=0": "false", "pooling=avg": "mean"}

// TrainedAs reports whether the Config of a cell means the given training. The paper's InF-Embed
// rows are the best of several losses, and its attention rows use a network that this program does
// not have: both match no training. A training with attention matches no other row.
func (c *Cell) TrainedAs(t Training) bool {
	if interaction := t.Config["interaction"]; interaction != "" && interaction != "concat" {
		return false
	}
	switch {
	case c.Config == "" || c.Config == "base" || c.Config == "baseline":
		return t.Loss == ""
	case strings.Contains(c.Config, "="):
		return t.Loss == defaultLoss && hasDesign(c.Config, t.Config)
	}
	form, terms, ok := strings.Cut(c.Config, ":")
	return ok && t.Loss == LossOf(form, terms)
}

// LossOf returns this program's name for a loss that the paper's tables write as form:terms.
func LossOf(form, terms string) string {
	return form + "(" + strings.ReplaceAll(terms, "+", ",") + ")"
}

// Settings returns the configuration that a row of a source means, with the keys of this program.
// For the paper's trained networks it has the loss; InF-Embed and attention rows, the best of
// several losses, have their own name instead. For everything else it has the model. best reports
// whether the row is such a choice among losses.
func (c *Cell) Settings() (config map[string]string, best bool) {
	backbone := c.Model
	if name, inside, ok := strings.Cut(c.Model, " ("); ok && name == c.Config {
		backbone = strings.TrimSuffix(inside, ")") // the spelling in table 5 of a row of table 2
	}
	trained := func(loss string) map[string]string {
		return map[string]string{"model": "trained", "backbone": backbone, "loss": loss, "interaction": "concat"}
	}
	form, terms, isLoss := strings.Cut(c.Config, ":")
	switch {
	case !strings.HasPrefix(c.Source, SourcePaper+","):
		return map[string]string{"model": c.Model}, false
	case c.Config == "base":
		return map[string]string{"model": "untrained", "backbone": backbone}, false
	case c.Config == "baseline":
		name := strings.TrimSpace(parenthesised.ReplaceAllString(c.Model, ""))
		if name == "BM25" {
			name = "bm25-okapi-candidates"
		}
		return map[string]string{"model": name}, false
	case strings.Contains(c.Config, "="):
		config = trained(defaultLoss)
		maps.Copy(config, designOf(c.Config))
		return config, false
	case form == "attn" && terms == "base":
		return map[string]string{"model": "untrained", "backbone": backbone, "interaction": "cross_attention"}, false
	case form == "attn":
		config = trained(c.Config)
		config["interaction"] = "cross_attention"
		return config, true
	case isLoss:
		return trained(LossOf(form, terms)), false
	}
	return trained(c.Config), true
}

// designOf parses "share_encoder=1;pooling=last" into keys of this program, whose last elements the
// paper's Table 4 has. It is empty for a text that names no design.
func designOf(design string) map[string]string {
	out := map[string]string{}
	for choice := range strings.SplitSeq(design, ";") {
		name, value, given := strings.Cut(choice, "=")
		if !given {
			continue
		}
		if other, ok := designValues[choice]; ok {
			value = other
		}
		for _, k := range results.Keys() {
			if strings.HasSuffix(k.Name, "."+name) {
				name = k.Name
				break
			}
		}
		out[name] = value
	}
	return out
}

// hasDesign reports whether a configuration has a design. A choice that the configuration leaves
// out may differ, so it does not match.
func hasDesign(design string, config map[string]string) bool {
	for key, value := range designOf(design) {
		if got, ok := config[key]; !ok || got != value {
			return false
		}
	}
	return true
}
