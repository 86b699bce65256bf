package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/reports/agents"
)

// tempFile writes a file in a temporary folder.
func tempFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// agentScores runs the verb and returns its numbers by measure; undefined ones are NaN.
func agentScores(t *testing.T, args ...string) map[string]float64 {
	t.Helper()
	var out bytes.Buffer
	cmd := agentsCommand()
	cmd.SetArgs(append(args, "--format", "json"))
	cmd.SetOut(&out)
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	var values []agents.Value
	if err := json.Unmarshal(out.Bytes(), &values); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	byName := map[string]float64{}
	for _, v := range values {
		byName[v.Measure] = math.NaN()
		if v.Value != nil {
			byName[v.Measure] = *v.Value
		}
	}
	return byName
}

const agentQrels = "1 0 10 1\n1 0 11 1\n1 0 12 0\n2 0 20 1\n"

// By hand: one of four answers is incomplete, and 2 of 4 are right. Answer 1 retrieved one of
// its two evidence documents and cites it and a document that is not evidence; answer 2 cites
// its own; answer 9 has no evidence. Three answers have a confidence (.9 right, .6 wrong, .5
// right): the mean confidence is 2/3, and 2/3 are right.
func TestScore(t *testing.T) {
	answers := tempFile(t, "answers.jsonl", `{"query_id": 1, "answer": "X [10] and 【13】.", "retrieved_docids": [10, "13"], "confidence": 90, "correct": true}
{"query_id": "2", "answer": "[2021]", "cited_docids": ["20"], "retrieved_docids": ["20"], "confidence": 60, "correct": false}

{"query_id": "9", "status": "completed", "answer": "none", "retrieved_docids": [], "confidence": 50, "correct": true}
{"query_id": "3", "status": "budget exceeded", "answer": "[20]"}
`)
	got := agentScores(t, answers, "--qrels", tempFile(t, "qrels.txt", agentQrels))
	want := map[string]float64{
		"Accuracy": 0.5, "CalibrationError": 0, "CalibrationError(published)": 0,
		"AgentRecall": 0.75, "CitationCoverage": 0.5, "CitationsPerAnswer": 1.5, "CitationPrecision": 0.75, "CitationRecall": 0.75,
	}
	for measure, value := range want {
		if math.Abs(got[measure]-value) > 1e-12 {
			t.Errorf("%s = %v, want %v", measure, got[measure], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}

// BRIGHT-Pro: AER is (4 exp(-0.05) + 2) / 2. The aspects have 3 of 4 weights at a half, one
// not graded: plain (0.5 + 0) / 2, weighted 0.375, completeness round(2.5) half to even.
func TestScoreOfRounds(t *testing.T) {
	got := agentScores(t, tempFile(t, "answers.jsonl", `{"query_id": "1", "quality": 4, "rounds": [{"round": 1, "docids": ["a"]}, {"round": 2, "docids": []}], "aspects": [{"id": "a1", "weight": 3, "score": 0.5}, {"id": "a2", "weight": 1, "score": null}]}
{"query_id": "2", "quality": 2, "rounds": [{"round": 1, "docids": ["a"]}]}
`))
	for measure, value := range map[string]float64{"AER": (4*math.Exp(-.05) + 2) / 2, "Coverage": .25, "WeightedCoverage": .375, "Completeness": 2} {
		if math.Abs(got[measure]-value) > 1e-12 {
			t.Errorf("%s = %v, want %v", measure, got[measure], value)
		}
	}
	if len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// A completed answer without a judgment leaves Accuracy undefined and is reported; the table
// has shares times 100.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	cmd := agentsCommand()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{tempFile(t, "answers.jsonl", `{"query_id": "1", "correct": true, "retrieved_docids": ["10"], "answer": "[10] [11]"}
{"query_id": "2"}
{"query_id": "7", "retrieved_docids": ["10"]}
`), "--qrels", tempFile(t, "qrels.txt", agentQrels)})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"undefined", "2 completed answers have no \"correct\"", "50.00", "1 answer to queries with evidence", "CitationsPerAnswer", "2.00", "1 answer is to a query without evidence: not counted in AgentRecall"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestReadErrors(t *testing.T) {
	for line, want := range map[string]string{
		`{"query_id": "1", "confidance": 3}`: `answers.jsonl:1: unknown key "confidance"; did you mean "confidence"?`,
		`{"answer": "x"}`:                    "answers.jsonl:1: no query_id",
		`{"query_id": "1"` + "\n":            "answers.jsonl:1:",
		`[1]`:                                "answers.jsonl:1:",
		`{"query_id": "1"}` + "\n" + `{"query_id": 1}`:                           `answers.jsonl:2: query "1" was answered on line 1`,
		`{"query_id": "1", "confidence": 101}`:                                   "confidence 101 is not from 0 to 100",
		`{"query_id": "1", "correct": "yes"}`:                                    "answers.jsonl:1:",
		`{"query_id": "1", "quality": 0, "rounds": [{"round": 1}]}`:              "quality 0 is not from 1 to 5",
		`{"query_id": "1", "quality": 3}`:                                        "quality without rounds",
		`{"query_id": "1", "rounds": [{"round": 0}]}`:                            "rounds count from 1",
		`{"query_id": "1", "aspects": [{"id": "a", "weight": -1}]}`:              "is negative",
		`{"query_id": "1", "aspects": [{"id": "a", "weight": 1, "score": 1.5}]}`: "is not from 0 to 1",
		`{"query_id": "1", "aspects": [{"id": "a"}]}`:                            "no aspect has a weight",
		`{"query_id": "1", "retrieved_docids": [1.5]}`:                           "1.5 is not a text or a whole number",
		"": "no answers",
		`{"query_id": "1", "rounds": [{"rond": 1}]}`:               `answers.jsonl:1: rounds: unknown key "rond"; did you mean "round"? (known: round, docids)`,
		`{"query_id": "1", "rounds": [{"Round": 1}]}`:              `answers.jsonl:1: rounds: unknown key "Round"; did you mean "round"?`,
		`{"query_id": "1", "aspects": [{"id": "a", "wieght": 1}]}`: `answers.jsonl:1: aspects: unknown key "wieght"; did you mean "weight"?`,
		`{"query_id": "1", "confidence": "85%"}`:                   "answers.jsonl:1: confidence: string where a number is wanted",
		`{"query_id": "1", "correct": 1}`:                          "answers.jsonl:1: correct: number where true or false is wanted",
		`{"query_id": "1", "cited_docids": "4"}`:                   "answers.jsonl:1: cited_docids: string where a list is wanted",
		`{"query_id": "1", "rounds": [7]}`:                         "answers.jsonl:1: rounds: number where an object is wanted",
		`{"query_id": "1", "rounds": [{"round": 1.5}]}`:            "answers.jsonl:1: rounds.round: number 1.5 where a whole number is wanted",
		`"x"`: "answers.jsonl:1: string where an object is wanted",
		`{"query_id": "1", "aspects": [{"id": 1, "weight": 1}, {"id": "1", "weight": 1}]}`: `answers.jsonl:1: aspect "1" comes twice`,
	} {
		if _, err := agents.Read(tempFile(t, "answers.jsonl", line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// An ID may be an integer too large for any machine integer.
func TestLongID(t *testing.T) {
	answers, err := agents.Read(tempFile(t, "answers.jsonl", `{"query_id": 123456789012345678901}`))
	if err != nil || answers[0].Query != "123456789012345678901" {
		t.Errorf("%v, %v", answers, err)
	}
}

// If no agent completed an answer, none is right, whatever a judge says about it.
func TestNoneCompleted(t *testing.T) {
	for _, correct := range []string{"", `, "correct": true`} {
		got := agentScores(t, tempFile(t, "answers.jsonl", `{"query_id": "1", "status": "error"`+correct+`}`))
		if value, has := got["Accuracy"]; !has || value != 0 {
			t.Errorf("%q: %v", correct, got)
		}
	}
}

func TestFlags(t *testing.T) {
	answers := tempFile(t, "answers.jsonl", `{"query_id": "1"}`)
	for want, args := range map[string][]string{
		"both name the evidence":                    {"--qrels", "q", "--data", "mini-bright"},
		"8 tasks, but an agent's answers belong to": {"--data", "mini-mair"},
		`unknown task "biologie"`:                   {"--data", "mini-bright", "--task", "biologie"},
		"--task names a task of --data":             {"--task", "biology"},
		`unknown format "xml"`:                      {"--format", "xml"},
		"no such file":                              {"--qrels", "absent.txt"},
	} {
		cmd := agentsCommand()
		cmd.SetArgs(append([]string{answers}, args...))
		cmd.SetOut(io.Discard)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// The hand-worked examples of the suites' measures, through the verb.
func TestExamples(t *testing.T) {
	type number struct{ Value *float64 }
	tried := 0
	for _, e := range testkit.MeasureExamples(t) {
		var in struct {
			Retrieved, Cited, Evidence map[string][]string
			Groups                     [][3]float64
		}
		want := map[string]*float64{}
		var one number
		switch e.Measure {
		case "browsecomp_agent_recall":
			if err := json.Unmarshal(e.Expected, &one); err != nil {
				t.Fatal(err)
			}
			want["AgentRecall"] = one.Value
		case "browsecomp_calibration":
			if err := json.Unmarshal(e.Expected, &one); err != nil {
				t.Fatal(err)
			}
			*one.Value /= 100
			want["CalibrationError(published)"] = one.Value
		case "browsecomp_citations":
			var many map[string]number
			if err := json.Unmarshal(e.Expected, &many); err != nil {
				t.Fatal(err)
			}
			want["CitationCoverage"] = many["coverage"].Value
			if *many["citations"].Value > 0 { // nobody cites: the authors print 0, the verb "undefined"
				want["CitationsPerAnswer"], want["CitationPrecision"], want["CitationRecall"] = many["citations"].Value, many["precision"].Value, many["recall"].Value
			}
		default:
			continue
		}
		if err := json.Unmarshal(e.Input, &in); err != nil {
			t.Fatal(err)
		}
		tried++
		got := agentScores(t, tempFile(t, "answers.jsonl", answerLines(in.Retrieved, in.Cited, in.Groups)), "--qrels", tempFile(t, "qrels.txt", judgmentLines(in.Evidence)))
		for measure, value := range want {
			v, has := got[measure]
			if value == nil && has && !math.IsNaN(v) || value != nil && math.Abs(v-*value) > 1e-12 {
				t.Errorf("%s, %s: %s = %v, want %v", e.Measure, e.Name, measure, v, value)
			}
		}
	}
	if tried < 18 {
		t.Errorf("%d examples", tried)
	}
}

// answerLines returns answers with the retrieved and cited documents and the confidences of
// an example.
func answerLines(retrieved, cited map[string][]string, groups [][3]float64) string {
	var b strings.Builder
	write := func(members map[string]any) {
		line, _ := json.Marshal(members)
		fmt.Fprintf(&b, "%s\n", line)
	}
	for query, docs := range retrieved {
		write(map[string]any{"query_id": query, "retrieved_docids": append([]string{}, docs...)})
	}
	for query, docs := range cited {
		if docs == nil {
			write(map[string]any{"query_id": query, "status": "incomplete", "answer": "[1]"})
			continue
		}
		write(map[string]any{"query_id": query, "cited_docids": docs})
	}
	n := 0
	for _, g := range groups {
		for i := range int(g[0]) {
			n++
			write(map[string]any{"query_id": n, "confidence": g[1], "correct": i < int(g[2])})
		}
	}
	return b.String()
}

// judgmentLines returns evidence in TREC's format.
func judgmentLines(evidence map[string][]string) string {
	var b strings.Builder
	b.WriteString("judged 0 nothing 0\n")
	for query, docs := range evidence {
		for _, doc := range docs {
			fmt.Fprintf(&b, "%s 0 %s 1\n", query, doc)
		}
	}
	return b.String()
}
