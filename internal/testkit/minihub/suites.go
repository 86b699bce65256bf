package minihub

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mairParts are the paper's five tasks of MAIR and one task with several splits.
var mairParts = []struct{ task, split string }{
	{"DD_2015", ""}, {"DD_2016", ""}, {"DD_2017", ""}, {"FairRanking_2021", ""}, {"FairRanking_2022", ""},
	{"IFEval", "keywords__existence_7"}, {"IFEval", "keywords__frequency_9"}, {"IFEval", "startend__quotation_1"},
}

// mair are MAIR-Bench's queries and documents: JSON lines in one folder per task, with a pair
// of files per split.
func mair() []Repository {
	type label struct {
		ID    string `json:"id"`
		Score int    `json:"score"`
	}
	type query struct {
		ID          string  `json:"qid"`
		Instruction string  `json:"instruction"`
		Query       string  `json:"query"`
		Labels      []label `json:"labels"`
	}
	type document struct {
		ID   string `json:"id"`
		Text string `json:"doc"`
	}
	queries, docs := map[string][]byte{"README.md": card("")}, map[string][]byte{"README.md": card("")}
	for i, t := range mairParts {
		s := draw(generated("mini-mair", i), 0, 4)
		var qs []query
		for _, q := range s.queries {
			of := query{ID: q.ID, Instruction: q.Instruction, Query: q.Text}
			for _, doc := range slices.Sorted(maps.Keys(s.qrels[q.ID])) {
				if score := s.qrels[q.ID][doc]; score > 0 {
					of.Labels = append(of.Labels, label{doc, score})
				}
			}
			qs = append(qs, of)
		}
		var ds []document
		for _, d := range s.docs {
			ds = append(ds, document{d.ID, strings.TrimSpace(d.Title + " " + d.Text)})
		}
		prefix := t.task + "/"
		if t.split != "" {
			prefix += t.split + "_"
		}
		queries[prefix+"queries.jsonl"], docs[prefix+"docs.jsonl"] = jsonLines(qs), jsonLines(ds)
	}
	return []Repository{dataset("MAIR-Bench/MAIR-Queries", "", queries), dataset("MAIR-Bench/MAIR-Docs", "", docs)}
}

// brightSplits are the domains of BRIGHT; those of problems have no long documents.
var brightSplits = []struct {
	name string
	long bool
}{
	{"biology", true}, {"earth_science", true}, {"economics", true}, {"psychology", true}, {"robotics", true},
	{"stackoverflow", true}, {"sustainable_living", true}, {"leetcode", false}, {"pony", true}, {"aops", false},
	{"theoremqa_questions", false}, {"theoremqa_theorems", false},
}

// bright is BRIGHT under both its names.
func bright() []Repository {
	type example struct {
		Query     string   `parquet:"query"`
		Reasoning string   `parquet:"reasoning"`
		ID        string   `parquet:"id"`
		Excluded  []string `parquet:"excluded_ids,list"`
		GoldLong  []string `parquet:"gold_ids_long,list"`
		Gold      []string `parquet:"gold_ids,list"`
		Answer    string   `parquet:"gold_answer"`
	}
	type document struct {
		ID      string `parquet:"id"`
		Content string `parquet:"content"`
	}
	files := map[string][]byte{"statistics.png": []byte("\x89PNG"), "data_examples.pdf": []byte("%PDF-1.4\n")}
	paths := map[string][][2]string{}
	put := func(config, split string, content []byte) {
		files[config+"/"+split+"-00000-of-00001.parquet"] = content
		paths[config] = append(paths[config], [2]string{split, config + "/" + split + "-*"})
	}
	for i, split := range brightSplits {
		s := draw(generated("mini-bright", i), 3*i, 4)
		var short, long []document
		for _, d := range s.docs {
			short, long = append(short, document{d.ID, d.Text}), append(long, document{"page-" + d.ID, d.Text + " " + d.Text})
		}
		var examples []example
		for k, q := range s.queries {
			e := example{Query: q.Text, Reasoning: "generated", ID: fmt.Sprint(k), Excluded: []string{"N/A"}}
			for _, doc := range slices.Sorted(maps.Keys(s.qrels[q.ID])) {
				if s.qrels[q.ID][doc] > 0 {
					e.Gold, e.GoldLong = append(e.Gold, doc), append(e.GoldLong, "page-"+doc)
				} else if k == 0 && !split.long {
					e.Excluded = []string{doc} // problems exclude their own solutions
				}
			}
			if !split.long {
				e.GoldLong = []string{"N/A"}
			}
			examples = append(examples, e)
		}
		put("documents", split.name, parquetFile(short))
		if split.long {
			put("long_documents", split.name, parquetFile(long))
		}
		for _, config := range []string{"examples", "Gemini-1.0_reason", "claude-3-opus_reason", "gpt4_reason", "grit_reason", "llama3-70b_reason"} {
			put(config, split.name, parquetFile(examples))
		}
	}
	var configs []config
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		configs = append(configs, config{name, paths[name]})
	}
	files["README.md"] = card("cc-by-4.0", configs...)
	return []Repository{
		dataset("xlangai/BRIGHT", "", maps.Clone(files)),
		dataset("mteb/BRIGHT", "c26703e6600d97c579ee2985f16cf307db13ed85", maps.Clone(files)),
	}
}

// Datasets returns all data sets that the paper needs.
func Datasets() []Repository {
	return slices.Concat(infIR(), followIR(), mair(), bright(), r2med(), brightPro(), browseCompPlus(), nevIR(), obliqBench(), plainTasks(), crumb(), rteb(), []Repository{promptriever(), msMARCO()})
}

// MAIRTasks returns the five tasks of MAIR that the paper reports.
func MAIRTasks() []string {
	var names []string
	for _, t := range mairParts {
		if t.split == "" {
			names = append(names, t.task)
		}
	}
	return names
}

// Imported returns the files of the suites that no hub serves, by suite and name.
func Imported() map[string]map[string][]byte {
	return map[string]map[string][]byte{"followtable": followTableSets(), "excluir": excluIR(), "multiconir": multiConIR()}
}
