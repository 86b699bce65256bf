package encoder

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// folderPrompts returns the prompts of config_sentence_transformers.json by name. As in
// sentence-transformers 6.2 those of query and document are empty if the file has none.
func folderPrompts(dir string) (map[string]string, error) {
	var file struct {
		Prompts map[string]string `json:"prompts"`
		Default *string           `json:"default_prompt_name"`
	}
	if _, err := readJSON(dir, promptsFile, &file); err != nil {
		return nil, err
	}
	prompts := map[string]string{"query": "", "document": ""}
	maps.Copy(prompts, file.Prompts)
	if file.Default != nil {
		if _, ok := prompts[*file.Default]; !ok {
			return nil, fmt.Errorf("%s: default_prompt_name: %w", promptsFile, nearest.Unknown("prompt", *file.Default, slices.Sorted(maps.Keys(prompts))))
		}
	}
	return prompts, nil
}

// readPrompts puts a folder's prompts named query and document before the templates, as
// encode_query and encode_document of sentence-transformers 6.2 do. The default prompt is only
// for encode and not used here. Prompts with other names (passage, corpus) are used only if
// selected. The file also sets the size that vectors are cut to.
func (t *Text) readPrompts(dir string) error {
	prompts, err := folderPrompts(dir)
	if err != nil {
		return err
	}
	if t.dims, err = readTruncate(dir); err != nil {
		return err
	}
	if p := prompts["query"]; p != "" {
		t.promptQueries(p)
	}
	if p := prompts["document"]; p != "" {
		t.promptDocuments(p)
	}
	return nil
}

// promptQueries puts a prompt before queries.
func (t *Text) promptQueries(prompt string) {
	t.Query, t.QueryAlone = prompt+defaultQuery, prompt+defaultQueryAlone
}

// promptDocuments puts a prompt before documents.
func (t *Text) promptDocuments(prompt string) {
	t.Document, t.DocumentAlone = prompt+defaultDocument, prompt+defaultDocumentAlone
}

// usePrompts puts the folder's prompts with these names before queries and documents, replacing
// earlier prompts; "" changes nothing.
func (t *Text) usePrompts(dir, query, document string) error {
	if query+document == "" {
		return nil
	}
	prompts, err := folderPrompts(dir)
	if err != nil {
		return err
	}
	var errs []error
	named := func(key, name string) string {
		text, ok := prompts[name]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s: %w", key, promptsFile, nearest.Unknown("prompt", name, slices.Sorted(maps.Keys(prompts)))))
		}
		return text
	}
	if query != "" {
		t.promptQueries(named("query_prompt", query))
	}
	if document != "" {
		t.promptDocuments(named("document_prompt", document))
	}
	return errors.Join(errs...)
}

// UsePrompts puts the prompts with these names in the model's folder before queries and
// documents, replacing those of card and files; "" changes nothing.
func (e *Encoder) UsePrompts(dir, query, document string) error {
	t := e.config.Text
	if err := t.usePrompts(dir, query, document); err != nil {
		return fmt.Errorf("model %s: %w", dir, err)
	}
	e.config.Text = t
	return nil
}

// CheckPrompts returns an error for names of prompts that a model's folder does not have.
func CheckPrompts(dir, query, document string) error {
	return new(Text).usePrompts(dir, query, document)
}

// otherPrompts lists the names of a folder's prompts that are unused unless selected.
func otherPrompts(dir string) []string {
	prompts, err := folderPrompts(dir)
	if err != nil {
		return nil // readPrompts reports the error
	}
	maps.DeleteFunc(prompts, func(name, text string) bool { return name == "query" || name == "document" || text == "" })
	return slices.Sorted(maps.Keys(prompts))
}

// setOwn applies the prompts, lengths and tensor names of infbench.json over those of other
// files; settings missing in infbench.json do not change.
func (t *Text) setOwn(dir, network string, own *ownSettings) error {
	if own.QueryPrompt != "" && own.Query+own.QueryAlone != "" || own.DocumentPrompt != "" && own.Document+own.DocumentAlone != "" {
		return fmt.Errorf("%s: it has both query and query_prompt, or document and document_prompt: remove one", ownFile)
	}
	if err := nearest.OneOf("similarity", own.Similarity, "cosine", "dot", Sparsely); err != nil {
		return fmt.Errorf("%s: %w", ownFile, err)
	}
	if slices.Contains(own.LeaveOut, "") {
		return fmt.Errorf("%s: leave_out: an empty name would match every tensor", ownFile)
	}
	t.setTemplates(own.Query, own.QueryAlone, own.Document, own.DocumentAlone)
	t.setLengths(own.MaxQuery, own.MaxDocument)
	setIf(&t.leftOut, strings.Join(own.LeaveOut, "\n"))
	setIf(&t.prefix, own.TensorPrefix)
	if err := t.setReading(network, own.Tokenizer); err != nil {
		return err
	}
	return labelled(ownFile, t.usePrompts(dir, own.QueryPrompt, own.DocumentPrompt))
}
