package minihub

import (
	"fmt"
	"path"
	"strings"

	"infbench/datasets"
)

// crumbTasks are the tasks of CRUMB, with the folder of their files and whether only
// documents are judged.
var crumbTasks = []struct {
	split, folder string
	documents     bool
}{
	{"clinical_trial", "clinical_trial", true}, {"code_retrieval", "code_retrieval", false}, {"legal_qa", "legal_qa", false},
	{"paper_retrieval", "scientific_paper", false}, {"set_operation_entity_retrieval", "set_operation_entity_retrieval", true},
	{"stack_exchange", "stack_exchange", false}, {"theorem_retrieval", "theorem_retrieval", false}, {"tip_of_the_tongue", "tip_of_the_tongue", true},
}

type crumbLabel struct {
	ID    string  `json:"id"`
	Label float32 `json:"label"`
}

type crumbQuery struct {
	ID          string       `json:"query_id"`
	Text        string       `json:"query_content"`
	Instruction *string      `json:"instruction"`
	Passages    []crumbLabel `json:"passage_qrels"`
	Binary      []crumbLabel `json:"passage_binary_qrels"`
	Documents   []crumbLabel `json:"full_document_qrels"`
	MaxP        bool         `json:"use_max_p"`
	Metadata    string       `json:"metadata"`
}

type crumbDocument struct {
	ID       string  `json:"document_id"`
	Text     string  `json:"document_content"`
	Parent   *string `json:"parent_id"`
	Metadata string  `json:"metadata"`
}

// crumb is CRUMB: four configs with one split per task; the files of one config are in a
// folder of another name.
func crumb() []Repository {
	files := map[string][]byte{}
	configs := []config{{name: "evaluation_queries"}, {name: "validation_queries"}, {name: "passage_corpus"}, {name: "full_document_corpus"}}
	for i, task := range crumbTasks {
		s := draw(generated("mini-bright", i), 13*i, 4)
		whole, passages := crumbDocuments(&s, task.documents)
		var queries []crumbQuery
		for k, q := range s.queries {
			queries = append(queries, crumbQueryOf(q, goldOf(&s, q), k, task.documents))
		}
		for at, part := range []struct {
			file    string
			content []byte
		}{
			{"eval/query_labels.jsonl", jsonLines(queries)}, {"val/query_labels.jsonl", jsonLines(queries[:1])},
			{"passage_corpus.jsonl", jsonLines(passages)}, {"full_document_corpus.jsonl", jsonLines(whole)},
		} {
			name := path.Join(task.folder, part.file)
			files[name] = part.content
			configs[at].splits = append(configs[at].splits, [2]string{task.split, name})
		}
	}
	files["README.md"] = card("cc-by-nc-4.0", configs...)
	return []Repository{dataset("jfkback/crumb", "adc97d8000000000000000000000000000000000", files)}
}

// crumbDocuments returns the documents of a task, uncut and in passages; a document has two
// passages if only documents are judged.
func crumbDocuments(s *sample, cut bool) (whole, passages []crumbDocument) {
	for _, d := range s.docs {
		whole = append(whole, crumbDocument{ID: d.ID, Text: d.Text, Metadata: "{}"})
		if !cut {
			passages = append(passages, crumbDocument{ID: d.ID, Text: d.Text, Metadata: "{}"})
			continue
		}
		words := strings.Fields(d.Text)
		for i, text := range []string{strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")} {
			passages = append(passages, crumbDocument{fmt.Sprintf("%s:%d", d.ID, i), text, &d.ID, "{}"})
		}
	}
	return whole, passages
}

// crumbQueryOf returns a query with its judgments; the grades of passages differ, the last is
// below 1, and every second query has no instruction.
func crumbQueryOf(q datasets.Query, gold []string, number int, documents bool) crumbQuery {
	row := crumbQuery{ID: q.ID, Text: q.Text, MaxP: documents, Metadata: "{}"}
	if number%2 == 0 {
		instruction := "Find what answers this"
		row.Instruction = &instruction
	}
	for i, doc := range gold {
		row.Documents = append(row.Documents, crumbLabel{doc, 1})
		if documents {
			continue
		}
		label := float32(2)
		if i > 0 && i == len(gold)-1 {
			label = .9
		}
		row.Passages, row.Binary = append(row.Passages, crumbLabel{doc, label}), append(row.Binary, crumbLabel{doc, 1})
	}
	return row
}
