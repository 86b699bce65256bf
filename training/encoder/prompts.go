package encoder

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// folderPrompts are the prompts of config_sentence_transformers.json by name. As in
// sentence-transformers 6.2 those of query and document are empty where the file has none.
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

// readPrompts puts the prompts that a folder calls query and document before the templates,
// as encode_query and encode_document of sentence-transformers 6.2 do. The default prompt is
// for encode alone and not used here; nor is one of another name (passage, corpus), until it
// is chosen. The file also says what vectors are cut to.
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

// usePrompts puts the folder's prompts of these names before queries and documents, in the
// place of what stands there; "" changes nothing.
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

// UsePrompts puts the prompts that the model's folder has by these names before queries and
// documents, in the place of what card and files put there; "" changes nothing.
func (e *Encoder) UsePrompts(dir, query, document string) error {
	t := e.config.Text
	if err := t.usePrompts(dir, query, document); err != nil {
		return fmt.Errorf("model %s: %w", dir, err)
	}
	e.config.Text = t
	return nil
}

// CheckPrompts refuses names of prompts that a model's folder does not have.
func CheckPrompts(dir, query, document string) error {
	return new(Text).usePrompts(dir, query, document)
}

// otherPrompts are the names of a folder's prompts that nothing uses until they are chosen.
func otherPrompts(dir string) []string {
	prompts, err := folderPrompts(dir)
	if err != nil {
		return nil // said by readPrompts
	}
	maps.DeleteFunc(prompts, func(name, text string) bool { return name == "query" || name == "document" || text == "" })
	return slices.Sorted(maps.Keys(prompts))
}

// setOwn puts what infbench.json says of prompts, lengths and tensors over the other files;
// what it leaves open stays.
func (t *Text) setOwn(dir, network string, own *ownSettings) error {
	if own.QueryPrompt != "" && own.Query+own.QueryAlone != "" || own.DocumentPrompt != "" && own.Document+own.DocumentAlone != "" {
		return fmt.Errorf("%s: it has both query and query_prompt, or document and document_prompt: leave one out", ownFile)
	}
	if slices.Contains(own.LeaveOut, "") {
		return fmt.Errorf("%s: leave_out: an empty name begins every tensor's", ownFile)
	}
	t.setTemplates(own.Query, own.QueryAlone, own.Document, own.DocumentAlone)
	t.setLengths(own.MaxQuery, own.MaxDocument)
	t.leftOut, t.prefix = strings.Join(own.LeaveOut, "\n"), own.TensorPrefix
	if err := t.setReading(network, own.Tokenizer); err != nil {
		return err
	}
	return labelled(ownFile, t.usePrompts(dir, own.QueryPrompt, own.DocumentPrompt))
}
