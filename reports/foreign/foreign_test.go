package foreign

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics/trec"
)

// file writes a file with that name.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// textOf prints the contents: one word for each value or ranked document.
func textOf(c *Contents) string {
	var out []string
	for _, s := range c.Systems {
		for _, task := range s.Tasks {
			head := strings.Join(slices.DeleteFunc([]string{s.Model, s.Revision, task.Name, task.Part, task.Revision, map[bool]string{true: "swapped"}[task.Swapped]}, func(s string) bool { return s == "" }), "|")
			for _, v := range task.Values {
				kind := v.Query
				if v.Mean {
					kind = "MEAN"
				}
				out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s=%v", head, v.Side, v.Measure, kind, v.Value)))
			}
			for _, q := range slices.Sorted(keys(task.Run)) {
				for _, d := range task.Run[q] {
					out = append(out, fmt.Sprintf("%s: %s>%s=%v", head, q, d.Doc, d.Score))
				}
			}
		}
	}
	return strings.Join(out, "\n")
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Each format is recognised by its content and read. The layouts are those of
// ir_measures' __main__, ranx's Report.to_dict and Run.save, mteb's result and
// prediction files, and trec_eval's output.
func TestFormats(t *testing.T) {
	tests := []struct{ format, name, content, want string }{
		{"trec", "a.run", "# c\n1 Q0 d1 1 0.5 tag\n1 Q0 d2 2 0.75 tag\n", "tag: 1>d2=0.75\ntag: 1>d1=0.5"},
		{"ranx", "team.json", `{"q2":{"a":1,"b":2e-1},"q1":{}}`, "team: q2>a=1\nteam: q2>b=0.2"},
		{"ranx", "ties.json", "{\n \"1\": {\"a\": 1, \"b\": 1.0}}", "ties: 1>b=1\nties: 1>a=1"},
		{"mteb-predictions", "Core17InstructionRetrieval_predictions.json",
			`{"mteb_model_meta":{"model_name":"org/m","revision":"r","loader":null},"default":{"test":{"1-og":{"d":0.5}}},"deu":{"dev":{"2":{"e":1}}}}`,
			"org/m|r|Core17InstructionRetrieval: 1-og>d=0.5\norg/m|r|Core17InstructionRetrieval|dev/deu: 2>e=1"},
		{"mteb-predictions", "T_predictions.json", `{"default":{"test":{"1":{"d":3}}}}`, "T_predictions|T: 1>d=3"},
		{"ir_measures", "m.tsv", "nDCG@10\t0.6251\nP(rel=2)@5\t0.5\n", "m: nDCG@10 MEAN=0.6251\nm: P(rel=2)@5 MEAN=0.5"},
		{"ir_measures", "m.txt", "1\tAP\t0.25\n2\tAP\t0.75\nall\tAP\t0.5\nall\tRR\t1.0000\n", "m: AP 1=0.25\nm: AP 2=0.75\nm: RR MEAN=1"},
		{"ir_measures", "m.jsonl", "{\"query_id\":\"1\",\"measure\":\"AP\",\"value\":0.25}\n{\"measure\":\"RR\",\"value\":1}\n", "m: AP 1=0.25\nm: RR MEAN=1"},
		{"trec_eval", "x.txt", "runid                 \tall\tSTANDARD\nnum_q                 \tall\t3\nmap                   \tall\t0.1785\nndcg_cut_10           \tall\t0.4\n",
			"STANDARD: AP MEAN=0.1785\nSTANDARD: nDCG@10 MEAN=0.4"},
		{"trec_eval", "x.txt", "map                   \t301\t0.5\nmap                   \tall\t0.5\n", "x: AP 301=0.5"},
		{"ranx-report", "r.json", `{"stat_test":"student","metrics":["map@100","precision@5-l2","f1","ndcg@10-l2"],"model_names":["b","a"],` +
			`"b":{"scores":{"map@100":0.5,"precision@5-l2":0.1,"f1":0.2,"ndcg@10-l2":1},"comparisons":{"a":{"map@100":0.04}},"win_tie_loss":{}},"a":{"scores":{"map@100":0.25,"precision@5-l2":0,"f1":0,"ndcg@10-l2":1}}}`,
			"b: AP@100 MEAN=0.5\nb: P(rel=2)@5 MEAN=0.1\na: AP@100 MEAN=0.25\na: P(rel=2)@5 MEAN=0"},
		{"mteb", "org__m/rev/SciFact.json", `{"task_name":"SciFact","mteb_version":"2.20.0","dataset_revision":"d","scores":{"test":[{"ndcg_at_10":0.5,"map_at_10":0.4,"main_score":0.5,"hf_subset":"default"}]}}`,
			"org/m|rev|SciFact|d: nDCG@10 MEAN=0.5"},
		{"mteb", "org__m/rev/News21InstructionRetrieval.json",
			`{"task_name":"News21InstructionRetrieval","mteb_version":"1.18.0","dataset_revision":"d","scores":{"test":[{"p-MRR":-0.1,"individual":{"original":{"ndcg_at_5":0.25,"map_at_5":0.1},"changed":{"ndcg_at_5":0.5}},"main_score":-0.1,"hf_subset":"default"}]}}`,
			"org/m|rev|News21InstructionRetrieval|d|swapped: p-MRR(ties='insertion') MEAN=-0.1\norg/m|rev|News21InstructionRetrieval|d|swapped: changed nDCG@5 MEAN=0.5\norg/m|rev|News21InstructionRetrieval|d|swapped: original nDCG@5 MEAN=0.25"},
		{"mteb", "Mine.json", `{"task_name":"Mine","scores":{"test":[{"ndcg_at_10":0.5,"main_score":0.5}]}}`, "Mine: nDCG@10 MEAN=0.5"},
	}
	for _, tt := range tests {
		path := file(t, tt.name, tt.content)
		c, err := Read(path, "", Options{})
		if err != nil {
			t.Errorf("%s %s: %v", tt.format, tt.name, err)
			continue
		}
		got := strings.ReplaceAll(textOf(c), ":  ", ": ")
		if c.Format != tt.format || got != tt.want {
			t.Errorf("%s %s is %s\n%s\nwant\n%s", tt.format, tt.name, c.Format, got, tt.want)
		}
		if again, err := Read(path, tt.format, Options{}); err != nil || textOf(again) != textOf(c) {
			t.Errorf("%s --as %s: %v", tt.name, tt.format, err)
		}
	}
}

// A missing or invalid number is left out with a warning. So are values by query whose mean is not
// that of their file: trec_eval 9 -q -c prints no line for a query without a ranking, but counts
// it.
func TestWarnings(t *testing.T) {
	const c = "map\tq1\t1.0000\nmap\tq2\t0.5000\n"
	tests := []struct{ as, content, want, warning string }{
		{"trec_eval", c + "num_q\tall\t3\nmap\tall\t0.5000\n", "f: AP MEAN=0.5",
			"f: AP has values for 2 queries, with the mean 0.75, and the file counts 3 queries; the mean of the file, 0.5, is used instead"},
		{"trec_eval", c + "map\tq3\t0.0000\nnum_q\tall\t3\nmap\tall\t0.5000\n", "f: AP q1=1\nf: AP q2=0.5\nf: AP q3=0", ""},
		{"trec_eval", c + "num_q\tall\t2\nmap\tall\t0.7500\n", "f: AP q1=1\nf: AP q2=0.5", ""},
		{"trec_eval", c + "map\tall\t0.5000\nrecip_rank\tq1\t1.0000\nrecip_rank\tall\t1.0000\n", "f: RR q1=1\nf: AP MEAN=0.5", "f: AP has values for 2 queries, with the mean 0.75; the mean of the file"},
		{"trec_eval", "map\tq1\t0.3333\nmap\tq2\t0.6667\nmap\tq3\t0.3333\nmap\tall\t0.4445\n", "f: AP q1=0.3333\nf: AP q2=0.6667\nf: AP q3=0.3333", ""}, // rounding
		{"trec_eval", "map\tq1\t0.3333\nmap\tq2\t0.6667\nmap\tq3\t0.3333\nmap\tall\t0.4447\n", "f: AP MEAN=0.4447", "with the mean 0.444433; the mean of the file, 0.4447,"},
		{"trec_eval", c + "num_q\tall\t3\nRprec\tall\t0.2500\n", "f: Rprec MEAN=0.25", "and the file counts 3 queries: left out"},
		{"ir_measures", "q1\tAP\t1.0\nq2\tAP\t0.5\nall\tAP\t0.5\n", "f: AP MEAN=0.5", "f: AP has values for 2 queries, with the mean 0.75; the mean of the file, 0.5, is used instead"},
		{"ir_measures", "q1\tAP\t1.0\nq2\tAP\t0.5\nall\tNumQ\t3\n" + "all\tAP\t0.5\n", "f: AP MEAN=0.5", "counts 3 queries"},
		{"ir_measures", `{"query_id":"1","measure":"AP","value":0.3333333333333333}` + "\n" + `{"query_id":"2","measure":"AP","value":1.0}` + "\n" + `{"measure":"AP","value":0.6666666666666666}` + "\n", "f: AP 1=0.3333333333333333\nf: AP 2=1", ""},
		{"ranx-report", "{\"metrics\":[\"map\",\"mrr\"],\"model_names\":[\"a\",\"b\"],\"a\":{\"scores\":{\"map\":0.5,\"mrr\":1}},\n\"b\":{\"scores\":{\"map\":null,\"mrr\":0.5}}}",
			"a: AP MEAN=0.5\na: RR MEAN=1\nb: RR MEAN=0.5", `f:2: map of model "b" is null, not a number`},
		{"ranx-report", "{\"metrics\":[\"map\",\"mrr\"],\"model_names\":[\"a\"],\"a\":{\"scores\":{\"map\":0.5,\n\"mrr\":NaN}}}", "a: AP MEAN=0.5", `f:2: mrr of model "a" is NaN, not a number`},
		{"ranx-report", `{"metrics":["map","mrr"],"model_names":["a"],"a":{"scores":{"map":"0.5","mrr":1}}}`, "a: RR MEAN=1", `f:1: map of model "a" is the text "0.5", not a number`},
		{"ranx-report", `{"metrics":["map","mrr"],"model_names":["a"],"a":{"scores":{"mrr":1}}}`, "a: RR MEAN=1", `f: model "a" has no score of map`},
	}
	for _, tt := range tests {
		path := file(t, "f", tt.content)
		c, err := Read(path, tt.as, Options{})
		if err != nil {
			t.Errorf("%q: %v", tt.content, err)
			continue
		}
		warnings := strings.ReplaceAll(strings.Join(c.Warnings, "\n"), path, "f")
		if got := strings.ReplaceAll(textOf(c), ":  ", ": "); got != tt.want || (warnings == "") != (tt.warning == "") || !strings.Contains(warnings, tt.warning) {
			t.Errorf("%q: %s, warnings %q; want %s, %q", tt.content, got, warnings, tt.want, tt.warning)
		}
	}
}

// Errors have file and line.
func TestMistakes(t *testing.T) {
	tests := []struct{ as, content, want string }{
		{"", "", "f: the file is empty"},
		{"", "hello\n", "f:1: none of the known formats"},
		{"rnx", "{}", `did you mean "ranx"?`},
		{"ranx", "{\"1\":{\"a\":1},\n\"1\":{\"b\":1}}", `f:2: "1" comes twice in the run`},
		{"ranx", "{\"1\":{\n\"a\":1,\n\"a\":2}}", `f:3: "a" comes twice in query 1`},
		{"ranx", "{\"1\":{\"a\":\n\"x\"}}", `f:2: the score of document a must be a number, found the text "x"`},
		{"ranx", "{\"1\":{\"a\":1e999}}", "f:1: the score of document a: 1e999 is beyond float64"},
		{"ranx", "{\"1\":{\"a\":NaN}}", "f:1: invalid character 'N'"},
		{"ranx", "{\"1\":{\"a\":1}", "f:1: unexpected "}, // EOF (Go 1.26) or end of JSON input (1.27)
		{"ranx", "{\"1\":{\"a\":1}}\n{}", "f:2: there is more after"},
		{"ranx", "{\"1\":[]}", "f:1: query 1 must be an object, found a list"},
		{"ranx", "{}", "f:1: the run has no query"},
		{"trec_eval", "map q1 0.5\nmap q2 58.3\n", "f:2: query q2: AP is 58.3, outside its range [0,1]; it looks like percent"},
		{"trec_eval", "map all 17.85\n", "f:1: query all: AP is 17.85, outside its range [0,1]; it looks like percent"},
		{"ir_measures", "AP\t-0.5\n", "f:1: query all: AP is -0.5, outside its range [0,1]"},
		{"ir_measures", "{\"measure\":\"AP\",\"value\":50}\n", "f:1: query all: AP is 50, outside its range [0,1]; it looks like percent"},
		{"ir_measures", "{\"measure\":\"AP\",\"value\":null}\n", "f:1: want an object with measure and value"},
		{"trec_eval", "map q1 0.5\nnum_q all 2\n", "AP has values for 1 query, with the mean 0.5, and the file counts 2 queries: left out"},
		{"ranx-report", "{\"metrics\":[\"map\"],\"model_names\":[\"a\"],\"a\":{\"scores\":\n{\"map\":58.3}}}", `f:2: model "a": AP is 58.3, outside its range [0,1]; it looks like percent`},
		{"mteb-predictions", "{\"default\":{\"test\":{\"1\":2}}}", "f:1: query 1 must be an object, found 2"},
		{"mteb-predictions", "{\"mteb_model_meta\":{}}", "f:1: the predictions have no subset"},
		{"trec", "1 Q0 d 1 0.5 t\n1 Q0 d 2\n", "f:2"},
		{"", "nDCG@10\t0.5\nAP\tx\n", `f:2: value "x" is not a number`},
		{"", "nDCG@10\t0.5\nnDCG@10\t0.5\n", "f:2: nDCG@10 of query all comes twice"},
		{"", "1\tAP\t0.5\n2 AP 0.5\n", "f:2: 1 fields between tabs"},
		{"", "AP\tNaN\n", "f:1: AP of query all is NaN"},
		{"ir_measures", "NumRet\t5\nFoo\t1\n", "f: found no value of a known measure"},
		{"ir_measures", "{\"measure\":\"AP\"}\n", "f:1: want an object with measure and value"},
		{"trec_eval", "map all 0.5\nmap all\n", "f:2: 2 fields"},
		{"ranx-report", `{"metrics":["map"],"model_names":["a"],"a":{"scores":{}}}`, `f: model "a" has no score of map`},
	}
	for _, tt := range tests {
		path := file(t, "f", tt.content)
		_, err := Read(path, tt.as, Options{})
		if err == nil {
			t.Errorf("%q is read", tt.content)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), path, "f"); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.content, got, tt.want)
		}
	}
}

// Judgments of TREC, BEIR and ranx are the same; a grade is a whole number.
func TestReadQrels(t *testing.T) {
	for _, content := range []string{"q 0 a 2\nq 0 b 0\n", "query-id\tcorpus-id\tscore\nq\ta\t2\nq\tb\t0\n", `{"q":{"a":2,"b":0}}`} {
		qrels, err := ReadQrels(file(t, "q", content), trec.Options{})
		if err != nil || len(qrels) != 1 || qrels["q"]["a"] != 2 || len(qrels["q"]) != 2 {
			t.Errorf("%s: %v %v", content, qrels, err)
		}
	}
	for content, want := range map[string]string{`{"q":{"a":1.5}}`: "not a whole number", `{}`: "no query", "q 0 a\n": ":1", "": "no judgments"} {
		if _, err := ReadQrels(file(t, "q", content), trec.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// FuzzRead reads its input in the format that it resembles: the result is an error or finite
// numbers, never a panic.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1 Q0 d 1 0.5 t\n", `{"1":{"a":1}}`, `{"d":{"t":{"1":{"a":1}}}}`, "AP\t0.5\n", "map all 0.5\n",
		`{"metrics":[],"model_names":[]}`, `{"task_name":"T","scores":{"test":[{"main_score":1}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		testkit.Small.Within(t, len(content), func() {
			path := filepath.Join(t.TempDir(), "f.json")
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Skip(err)
			}
			c, err := Read(path, "", Options{})
			if err != nil {
				return
			}
			for _, s := range c.Systems {
				for _, task := range s.Tasks {
					for _, v := range task.Values {
						if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
							t.Errorf("%s is %v", v.Measure, v.Value)
						}
					}
				}
			}
		})
	})
}
