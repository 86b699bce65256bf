package minihub

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/datasets"
)

// r2medParts are the repositories of R2MED with the commits that mteb pins.
var r2medParts = [][2]string{
	{"Biology", "8b9fec2db9eda4b5742d03732213fbaee8169556"}, {"Bioinformatics", "6021fce366892cbfd7837fa85a4128ea93315e18"},
	{"Medical-Sciences", "1b48911514c80bf9182222d99752ad75e23b4b47"}, {"MedXpertQA-Exam", "b457ea43db9ae5db74c3a3e5be0a213d0f85ac3a"},
	{"MedQA-Diag", "78b585990279cc01a493f876c1b0cf09557fba57"}, {"PMC-Treatment", "53c489a44a3664ba352c07550b72b4525a5968d5"},
	{"PMC-Clinical", "812829522f7eaa407ef82b96717be85788a50f7e"}, {"IIYi-Clinical", "974abbc9bc281c3169180a6aa5d7586cfd2f5877"},
}

// r2med is R2MED: JSON lines with its own column names, and queries that language models have
// answered, in separate folders.
func r2med() []Repository {
	type text struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	type answered struct {
		ID     string `json:"id"`
		Text   string `json:"text"`
		Answer string `json:"hy_doc"`
	}
	type judgment struct {
		Query string `json:"q_id"`
		Doc   string `json:"p_id"`
		Score int    `json:"score"`
	}
	var all []Repository
	for i, p := range r2medParts {
		s := draw(generated("mini-bright", i), i, 4)
		var docs, queries []text
		var hyde []answered
		for _, d := range s.docs {
			docs = append(docs, text{d.ID, d.Text})
		}
		var judgments []judgment
		for _, q := range s.queries {
			queries = append(queries, text{q.ID, q.Text})
			hyde = append(hyde, answered{q.ID, q.Text, "generated"})
			for _, doc := range slices.Sorted(maps.Keys(s.qrels[q.ID])) {
				if score := s.qrels[q.ID][doc]; score > 0 {
					judgments = append(judgments, judgment{q.ID, doc, score})
				}
			}
		}
		all = append(all, dataset("R2MED/"+p[0], p[1], map[string][]byte{
			"corpus.jsonl": jsonLines(docs), "query.jsonl": jsonLines(queries), "qrels.jsonl": jsonLines(judgments),
			"hyde/gpt4/query_with_hydoc.jsonl": jsonLines(hyde),
			"README.md": card("cc-by-4.0",
				config{"corpus", [][2]string{{"corpus", "corpus.jsonl"}}},
				config{"query", [][2]string{{"query", "query.jsonl"}}},
				config{"qrels", [][2]string{{"qrels", "qrels.jsonl"}}}),
		}))
	}
	return all
}

// brightProDomains are the splits of BRIGHT-Pro.
var brightProDomains = []string{"biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living"}

type brightProAspect struct {
	ID      string   `parquet:"id"`
	Content string   `parquet:"content"`
	Weight  int64    `parquet:"weight"`
	Docs    []string `parquet:"supporting_docs,list"`
}

// brightPro is BRIGHT-Pro: BRIGHT's layout without exclusions, and aspects.
func brightPro() []Repository {
	type example struct {
		ID     string   `parquet:"id"`
		Query  string   `parquet:"query"`
		Gold   []string `parquet:"gold_ids,list"`
		Answer string   `parquet:"reference_answer"`
	}
	type document struct {
		ID      string `parquet:"id"`
		Content string `parquet:"content"`
	}
	files := map[string][]byte{}
	paths := map[string][][2]string{}
	put := func(config, domain string, content []byte) {
		name := config + "/" + domain + ".parquet"
		files[name] = content
		paths[config] = append(paths[config], [2]string{domain, name})
	}
	for i, domain := range brightProDomains {
		s := draw(generated("mini-bright", i), 2*i, 4)
		var docs []document
		for _, d := range s.docs {
			docs = append(docs, document{d.ID, d.Text})
		}
		var examples []example
		var aspects []brightProAspect
		for k, q := range s.queries {
			gold := goldOf(&s, q)
			examples = append(examples, example{fmt.Sprint(k), q.Text, gold, "generated"})
			aspects = append(aspects, aspectsOf(domain, k, gold, i%2 == 1)...)
		}
		put("documents", domain, parquetFile(docs))
		put("examples", domain, parquetFile(examples))
		put("aspects", domain, parquetFile(aspects))
	}
	var configs []config
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		configs = append(configs, config{name, paths[name]})
	}
	files["README.md"] = card("mit", configs...)
	return []Repository{dataset("yale-nlp/Bright-Pro", "dbdc22b000000000000000000000000000000000", files)}
}

// goldOf lists the relevant documents of a query.
func goldOf(s *sample, q datasets.Query) (gold []string) {
	for _, doc := range slices.Sorted(maps.Keys(s.qrels[q.ID])) {
		if s.qrels[q.ID][doc] > 0 {
			gold = append(gold, doc)
		}
	}
	return gold
}

// aspectsOf assigns the gold documents of query k to two aspects in turn; a third has none.
// IDs have the two forms of the release.
func aspectsOf(domain string, k int, gold []string, long bool) []brightProAspect {
	form := "%s-%d-a%d"
	if long {
		form = "%s-%d-aspect-%d"
	}
	aspects := make([]brightProAspect, 3)
	for i := range aspects {
		aspects[i] = brightProAspect{ID: fmt.Sprintf(form, domain, k, i+1), Content: "generated", Weight: int64(3 - i)}
	}
	for i, doc := range gold {
		aspects[i%2].Docs = append(aspects[i%2].Docs, doc)
	}
	return aspects
}

// mtebTask returns the files of one task in mteb 2's format, in config folders that begin
// with prefix; with candidates each query may rank all documents but one.
func mtebTask(prefix string, s *sample, candidates bool) (files map[string][]byte, configs []config) {
	type document struct {
		ID    string `parquet:"_id"`
		Title string `parquet:"title"`
		Text  string `parquet:"text"`
	}
	type query struct {
		ID   string `parquet:"_id"`
		Text string `parquet:"text"`
	}
	type judgment struct {
		Query string `parquet:"query-id"`
		Doc   string `parquet:"corpus-id"`
		Score int64  `parquet:"score"`
	}
	type list struct {
		Query string   `parquet:"query-id"`
		Docs  []string `parquet:"corpus-ids,list"`
	}
	var docs []document
	for _, d := range s.docs {
		docs = append(docs, document{d.ID, d.Title, d.Text})
	}
	var queries []query
	var judgments []judgment
	var ranked []list
	for _, q := range s.queries {
		queries = append(queries, query{q.ID, q.Text})
		gold := goldOf(s, q)
		for _, doc := range gold {
			judgments = append(judgments, judgment{q.ID, doc, 1})
		}
		own := slices.IndexFunc(s.ids(), func(id string) bool { return !slices.Contains(gold, id) })
		ranked = append(ranked, list{q.ID, slices.Delete(s.ids(), own, own+1)})
	}
	files = map[string][]byte{}
	put := func(part string, content []byte) {
		name := prefix + part
		files[name+"/test-00000-of-00001.parquet"] = content
		configs = append(configs, config{name, [][2]string{{"test", name + "/test-*"}}})
	}
	put("corpus", parquetFile(docs))
	put("queries", parquetFile(queries))
	put("qrels", parquetFile(judgments))
	if candidates {
		put("top_ranked", parquetFile(ranked))
	}
	return files, configs
}

// obliqBench is OBLIQ-Bench: five tasks in one repository, two of them with candidates.
func obliqBench() []Repository {
	files := map[string][]byte{}
	var configs []config
	for i, subset := range []string{"twitter", "wildchat", "math", "writing", "congress"} {
		s := draw(generated("mini-bright", i), 5*i, 4)
		of, named := mtebTask(subset+"-", &s, subset == "math" || subset == "writing")
		maps.Copy(files, of)
		configs = append(configs, named...)
	}
	files["README.md"] = card("cc-by-4.0", configs...)
	return []Repository{dataset("mteb/OBLIQBenchRetrieval", "b630be644e0dbdc2fa5f712ae8383ebbb9cbee7e", files)}
}

// jsonTask is a task in the layout of BEIR's repositories on the hub: JSON lines, with
// judgments per split in the config default.
func jsonTask(id, commit, licence string, s *sample, splits ...string) Repository {
	var docs []oldDocument
	for _, d := range s.docs {
		docs = append(docs, oldDocument{d.ID, d.Title, d.Text})
	}
	type query struct {
		ID   string `json:"_id"`
		Text string `json:"text"`
	}
	var queries []query
	judged := map[string][]oldQrel{}
	for i, q := range s.queries {
		queries = append(queries, query{q.ID, q.Text})
		for at, split := range splits {
			if at > 0 && i > 0 {
				continue // a query of another split
			}
			for _, doc := range goldOf(s, q) {
				judged[split] = append(judged[split], oldQrel{q.ID, doc, 1})
			}
		}
	}
	files := map[string][]byte{"corpus.jsonl": jsonLines(docs), "queries.jsonl": jsonLines(queries)}
	var qrels [][2]string
	for _, split := range splits {
		name := "qrels/" + split + ".jsonl"
		files[name] = jsonLines(judged[split])
		qrels = append(qrels, [2]string{split, name})
	}
	files["README.md"] = card(licence, config{"default", qrels},
		config{"corpus", [][2]string{{"corpus", "corpus.jsonl"}}}, config{"queries", [][2]string{{"queries", "queries.jsonl"}}})
	return dataset(id, commit, files)
}

// plainTasks are LIMIT and BEIR, built from the list of suites: the hub has what the list
// asks for. A data set whose judgments belong to another split than test has that split in
// addition to test.
func plainTasks() []Repository {
	var all []Repository
	for _, suite := range datasets.Suites() {
		if suite.Name != "limit" && suite.Name != "limit-small" && !strings.HasPrefix(suite.Name, "beir-") {
			continue
		}
		for _, part := range suite.Parts {
			splits := []string{"test", "train"}
			if part.Split != "" {
				splits = []string{part.Split, "test", "train"}
			}
			s := draw(generated("mini-bright", len(all)), 7*len(all), 4)
			all = append(all, jsonTask(part.Repo, part.Revision, suite.Licence, &s, splits...))
		}
	}
	return all
}

// followTable returns the files of a set of FollowTable, by name; no hub serves them. Each
// query is given bare, and narrowed by two instructions.
func followTable() map[string][]byte {
	type metadata struct {
		Query       string `json:"origin_query"`
		Instruction string `json:"instruction"`
		Type        string `json:"instruction_type"`
	}
	type query struct {
		ID       string    `json:"_id"`
		Text     string    `json:"text"`
		Metadata *metadata `json:"metadata,omitempty"`
	}
	s := draw(generated("mini-followir", 0), 0, 4)
	var docs []oldDocument
	for _, d := range s.docs {
		docs = append(docs, oldDocument{d.ID, d.Title, d.Text})
	}
	var narrowed, bare []query
	var judged, bareJudged []oldQrel
	for k, p := range s.pairs {
		text := s.queries[2*k].Text
		bare = append(bare, query{ID: fmt.Sprint(k), Text: text})
		answers := map[string]bool{}
		for i, side := range []string{p.Original, p.Changed} {
			q := s.queries[2*k+i]
			id := fmt.Sprintf("%d_%d", k, i)
			narrowed = append(narrowed, query{id, q.Instruction + " [SEP] " + text, &metadata{text, q.Instruction, fmt.Sprintf("1.%d", i+1)}})
			for _, doc := range slices.Sorted(maps.Keys(s.qrels[side])) {
				if s.qrels[side][doc] > 0 {
					judged = append(judged, oldQrel{id, doc, 1})
					answers[doc] = true
				}
			}
		}
		for _, doc := range slices.Sorted(maps.Keys(answers)) {
			bareJudged = append(bareJudged, oldQrel{fmt.Sprint(k), doc, 1})
		}
	}
	return map[string][]byte{
		"corpus.jsonl": jsonLines(docs), "queries.jsonl": jsonLines(narrowed), "only_queries.jsonl": jsonLines(bare),
		"qrels/test.tsv": tabbed(judged), "qrels/for_only_query_test.tsv": tabbed(bareJudged),
	}
}

// followTableSets returns the files of FollowTable, by name; no hub serves them: its four
// sets.
func followTableSets() map[string][]byte {
	files := map[string][]byte{}
	for _, set := range []string{"WQT", "WTR", "TArX", "IndusTR"} {
		for name, content := range followTable() {
			files[set+"/"+name] = content
		}
	}
	return files
}

// Canary is in every text of BrowseComp-Plus; no output may contain these texts.
const Canary = "canary26b5c67b"

// browseCompPlus is mteb's copy of BrowseComp-Plus: one corpus with two sets of judgments;
// gold is a part of evidence.
func browseCompPlus() []Repository {
	s := draw(generated("mini-bright", 3), 11, 4)
	for i := range s.docs {
		s.docs[i].Text += " " + Canary
	}
	for i := range s.queries {
		s.queries[i].Text = Canary + " " + s.queries[i].Text
	}
	files := map[string][]byte{}
	var configs []config
	for _, subset := range []string{"gold_and_evidence", "gold_only"} {
		judged := s
		if subset == "gold_only" {
			judged.qrels = map[string]map[string]int{}
			for _, q := range s.queries {
				judged.qrels[q.ID] = map[string]int{goldOf(&s, q)[0]: 1}
			}
		}
		of, named := mtebTask(subset+"-", &judged, false)
		maps.Copy(files, of)
		configs = append(configs, named...)
	}
	files["README.md"] = card("mit", configs...)
	return []Repository{dataset("mteb/BrowseCompPlusRetrieval", "16df5da3ad2796a72cdff1704764b90383b7c209", files)}
}

// excluIR returns the files of ExcluIR, by name; no hub serves them. Documents and queries
// are identified by position.
func excluIR() map[string][]byte {
	type query struct {
		Query string `json:"ExcluQ"`
		Index [2]int `json:"index"` // excluded, requested
	}
	s := draw(generated("mini-bright", 2), 9, 4)
	var texts []string
	for _, d := range s.docs {
		texts = append(texts, d.Text)
	}
	var queries []query
	for _, q := range s.queries {
		gold := goldOf(&s, q)
		asked := slices.Index(s.ids(), gold[0])
		ruledOut := slices.IndexFunc(s.ids(), func(id string) bool { return !slices.Contains(gold, id) })
		queries = append(queries, query{q.Text + " but not that", [2]int{ruledOut, asked}})
	}
	return map[string][]byte{"corpus.json": toJSON(texts), "test_manual_final.json": toJSON(queries)}
}
