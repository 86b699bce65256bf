package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/datasets/mixture"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// cardFront is the metadata at the top of a model card, for the hub
// (huggingface.co/docs/hub/model-cards). The hub keeps the keys prompts and training, which are
// ours, and does not read them.
type cardFront struct {
	Library  string      `yaml:"library_name"`
	Pipeline string      `yaml:"pipeline_tag"`
	Tags     []string    `yaml:"tags"`
	Base     string      `yaml:"base_model,omitempty"` // only a model of the hub
	Relation string      `yaml:"base_model_relation,omitempty"`
	Datasets []string    `yaml:"datasets,omitempty"` // only those of the hub
	Prompts  cardPrompts `yaml:"prompts"`
	Training spec.Cell   `yaml:"training"`
}

// cardPrompts are a model's templates of texts, by the names of infbench.json.
type cardPrompts struct {
	Query         string `yaml:"query"`
	QueryAlone    string `yaml:"query_without_instruction"`
	Document      string `yaml:"document"`
	DocumentAlone string `yaml:"document_without_title"`
}

// writeCard writes the model card of a trained model next to its files, unless the folder has a
// README. The card depends only on the trial, not on machine and time.
func writeCard(at results.Folder, t *spec.Trial, enc *encoder.Encoder) error {
	card, err := modelCard(t, enc)
	if err == nil {
		err = at.Writer().Card(card)
	}
	if err != nil {
		return fmt.Errorf("write the model card: %w", err)
	}
	return nil
}

// modelCard returns a model card: metadata, how to use the model, and its training data.
func modelCard(t *spec.Trial, enc *encoder.Encoder) ([]byte, error) {
	text, c := enc.Config().Text, t.Cell
	base, ofHub := catalog.HubBackbone(c.Backbone)
	if !ofHub {
		c.Backbone = filepath.Base(c.Backbone) // a path means nothing on another machine
	}
	c.Data, c.Train.StepsOf = t.DataLabel(), t.StepsOfLabel()
	front := cardFront{
		Library: "sentence-transformers", Pipeline: "feature-extraction",
		Tags:     []string{"sentence-transformers", "feature-extraction", "text-retrieval", "instruction-following", "infbench"},
		Prompts:  cardPrompts{text.Query, text.QueryAlone, text.Document, text.DocumentAlone},
		Training: c,
	}
	readable := !enc.Separated() && !text.Interaction.Crossed() // by sentence-transformers
	if !readable {
		front.Library, front.Tags = "infbench", front.Tags[1:]
	}
	if ofHub {
		front.Base, front.Relation = base.ID, "finetune"
	}
	for _, name := range t.Cell.Sources() {
		repos, err := catalog.Repositories(name)
		if err != nil {
			continue // the user's own
		}
		for _, r := range repos {
			if r.ID != "" {
				front.Datasets = append(front.Datasets, r.ID)
			}
		}
	}
	slices.Sort(front.Datasets)
	front.Datasets = slices.Compact(front.Datasets)
	metadata, err := yaml.Marshal(front)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\n%s---\n\n# %s trained with %s\n\n", metadata, c.Backbone, c.Loss)
	fmt.Fprintf(&b, "A retrieval model for queries with instructions. It turns queries and documents into vectors of %d\nnumbers. infbench trained it; the metadata at the top of this file list all settings.\n", enc.Dim())
	b.WriteString("\n## Use\n\n")
	if readable {
		if err := useCard(&b, &text); err != nil {
			return nil, err
		}
	} else {
		b.WriteString("Only infbench reads this folder, because its queries and documents are encoded in different ways:\n")
	}
	b.WriteString("\n    infbench evaluate --model FOLDER --data followir\n")
	b.WriteString("\n## Texts\n\n| text | template | tokens, at most |\n|---|---|---|\n")
	for _, row := range []struct {
		name, template string
		most           int
	}{
		{"query with instruction", text.Query, text.MaxQuery}, {"query", text.QueryAlone, text.MaxQuery},
		{"document with title", text.Document, text.MaxDocument}, {"document", text.DocumentAlone, text.MaxDocument},
	} {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", row.name, code(row.template), row.most)
	}
	b.WriteString("\n## Training data\n\n| data | revision |\n|---|---|\n")
	for _, r := range t.Revisions {
		if slices.Contains(t.Cell.Sources(), r.Name) {
			name := r.Name
			if mixture.IsPath(name) && !slices.Contains(front.Datasets, name) {
				name = filepath.Base(name)
			}
			fmt.Fprintf(&b, "| %s | %s |\n", code(name), code(cmp.Or(r.Revision, "not recorded")))
		}
	}
	return []byte(b.String()), nil
}

// useCard writes the lines that rank two documents with sentence-transformers.
func useCard(b *strings.Builder, text *encoder.Text) error {
	fill := strings.NewReplacer("{query}", "How do bees find their way?", "{instruction}", "Only experiments count.",
		"{title}", "Bees", "{text}", "Bees that were carried away still flew home.")
	var lines []any
	for _, template := range []string{text.Query, text.Document, text.DocumentAlone} {
		line, err := json.Marshal(fill.Replace(template))
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	_, err := fmt.Fprintf(b, "```python\nfrom sentence_transformers import SentenceTransformer\n\n"+
		"model = SentenceTransformer(\"FOLDER\")  # or its name on the hub\n"+
		"queries = [%s]\ndocuments = [%s, %s]\n"+
		"print(model.similarity(model.encode(queries), model.encode(documents)))\n```\n\nOr with infbench:\n", lines...)
	return err
}

// code formats a text as code in a table of Markdown.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "\\|", "\n", "\\n").Replace(text) + "`"
}
