package rehearsal

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path"
	"slices"
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

// crumb is CRUMB: four configs of a split a task each, of which the files of one lie in a
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

// crumbDocuments are the documents of a task whole and in passages, of which a document
// has two where only documents are judged.
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

// crumbQueryOf is a query with its judgments; the grades of passages are graded, the last
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

// rtebParts are the repositories of RTEB's open tasks with the commits that mteb pins.
var rtebParts = [][2]string{
	{"mteb/AILA_casedocs", "4106e6bcc72e0698d714ea8b101355e3e238431a"}, {"mteb/AILA_statutes", "ebfcd844eadd3d667efa3c57fc5c8c87f5c2867e"},
	{"mteb/legal_summarization", "3bb1a05c66872889662af04c5691c14489cebd72"}, {"mteb/LegalQuAD", "37aa6cfb01d48960b0f8e3f17d6e3d99bf1ebc3e"},
	{"embedding-benchmark/FinanceBench", "e68478442112cae36b70a216f52cc2777acf0a7e"}, {"embedding-benchmark/HC3Finance", "fda6fad068f2ed814d99f29dc95dbb28ac586943"},
	{"embedding-benchmark/FinQA", "bdd1903ce03153129480bfc14b710e3d612c1efd"}, {"CoIR-Retrieval/apps", "f22508f96b7a36c2415181ed8bb76f76e04ae2d5"},
	{"embedding-benchmark/DS1000", "25cd4dc8172e799235d83c66439b6b7b8e6583ec"}, {"embedding-benchmark/HumanEval", "ed1f48aca747f10bac146795328e2f03326e7625"},
	{"embedding-benchmark/MBPP", "586a1fd6a0c63fdeda3b49c0293559a81c79cdec"}, {"embedding-benchmark/WikiSQL_mteb", "4e099ab42dffd49d72c1472f451371e53343e3d7"},
	{"embedding-benchmark/FreshStack_mteb", "7a20df1abe4dafc46f93f9a7965bf9c6968bdf04"}, {"embedding-benchmark/SWEbenchCodeRetrieval", "440b0e732b8d02c16df2c95352ab6770abe997da"},
	{"embedding-benchmark/ChatDoctor_HealthCareMagic", "50c2986fedffa33b38afd5c1752026f8e9e5ed1d"},
}

// rteb are RTEB's open tasks of one language, in BEIR's files.
func rteb() []Repository {
	var all []Repository
	for i, p := range rtebParts {
		s := draw(generated("mini-bright", i), 3*i+1, 3)
		all = append(all, jsonTask(p[0], p[1], "mit", &s, "test"))
	}
	return all
}

// FollowTableSets are the files of FollowTable, by name, which no hub serves: its four
// sets.
func FollowTableSets() map[string][]byte {
	files := map[string][]byte{}
	for _, set := range []string{"WQT", "WTR", "TArX", "IndusTR"} {
		for name, content := range FollowTable() {
			files[set+"/"+name] = content
		}
	}
	return files
}

// conditions is how many a query of MultiConIR has.
const conditions = 10

// MultiConIR are the files of MultiConIR, by name, which no hub serves. A document meets
// the conditions that it repeats.
func MultiConIR() map[string][]byte {
	files := map[string][]byte{}
	for i, domain := range []string{"Books", "Legal Document", "Medical Case", "Movies", "People"} {
		s := draw(generated("mini-bright", i), i, 4)
		var first, chains [][]string
		for k := range 3 {
			met := conditionsOf(&s, k)
			first, chains = append(first, conditionsRow(met)), append(chains, chainRow(met))
		}
		files["Task1/"+domain+"_Task1.csv"] = commaSeparated(first)
		files["Task2_&_3/"+domain+"_Task2_&_3.csv"] = commaSeparated(chains)
		files["Task4/"+domain+"_512.csv"], files["Task4/"+domain+"_1024.csv"] = commaSeparated(chains), commaSeparated(chains)
	}
	return files
}

// conditionsOf are the conditions of row k: words of documents, each of another.
func conditionsOf(s *sample, k int) []string {
	var all []string
	for n := range conditions {
		words := strings.Fields(s.docs[(k*conditions+n)%len(s.docs)].Text)
		all = append(all, strings.Join(words[:min(6, len(words))], " "))
	}
	return all
}

// conditionsRow is a row of task 1: a query of each number of conditions, the document
// that meets all of them, and for each query one that misses its last. Cells alternate
// with their names.
func conditionsRow(met []string) []string {
	var row []string
	for n := range met {
		row = append(row, fmt.Sprintf("Query%d", n+1), strings.Join(met[:n+1], ", and "))
	}
	row = append(row, "Positive", strings.Join(met, ".\n"))
	for n := range met {
		without := strings.Join(slices.Concat(met[:n], met[n+1:]), ".\n")
		row = append(row, fmt.Sprintf("HN%d", n+1), without, fmt.Sprintf("HN_%d", n+1), without+" too")
	}
	return row
}

// chainRow is a row of the tasks 2 to 4: documents that meet fewer and fewer conditions.
func chainRow(met []string) []string {
	row := []string{"Query10", strings.Join(met, ", and "), "Natural_Query10", "I look for " + strings.Join(met, " with "), "Positive", strings.Join(met, ".\n")}
	for n := range met {
		row = append(row, fmt.Sprintf("HN%d", n+1), strings.Join(append(slices.Clone(met[:conditions-n-1]), "nothing else"), ".\n"))
	}
	return row
}

// commaSeparated writes rows whose cells alternate with their columns' names.
func commaSeparated(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	every := func(row []string, from int) (cells []string) {
		for i := from; i < len(row); i += 2 {
			cells = append(cells, row[i])
		}
		return cells
	}
	lines := [][]string{every(rows[0], 0)}
	for _, row := range rows {
		lines = append(lines, every(row, 1))
	}
	if err := w.WriteAll(lines); err != nil {
		panic(fmt.Sprintf("rehearsal: write CSV: %v", err)) // into memory
	}
	return b.Bytes()
}

// Imported are the files of the suites that no hub serves, by suite and name.
func Imported() map[string]map[string][]byte {
	return map[string]map[string][]byte{"followtable": FollowTableSets(), "excluir": ExcluIR(), "multiconir": MultiConIR()}
}
