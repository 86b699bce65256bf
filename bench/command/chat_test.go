package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/chattest"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

const chatCanary = "sk-canary-9876543210"

// idOfQuestion matches the ID that an answer must repeat.
var idOfQuestion = regexp.MustCompile(`"id": "([0-9a-f]+)"`)

// judgeByNumber finds those documents relevant that contain a one-digit number.
func judgeByNumber(asked *chattest.Asked) string {
	text := asked.Last()
	if strings.Contains(text, "Order the") {
		return "[2] > [1]"
	}
	relevant := "no"
	if regexp.MustCompile(`document \d\n`).MatchString(text) {
		relevant = "yes"
	}
	return verdictOn(text, relevant)
}

// verdictOn is a pointwise answer in the requested form: one word, or JSON with the question's ID.
func verdictOn(question, relevant string) string {
	id := idOfQuestion.FindStringSubmatch(question)
	if id == nil {
		return relevant
	}
	return fmt.Sprintf(`{"id": %q, "relevant": %q}`, id[1], relevant)
}

func chatArgs(url, data, cache, out string, more ...string) []string {
	return append([]string{"evaluate", "--model", "chat", "--chat-model", "m", "--url", url, "--first", "bm25", "--depth", "20",
		"--key-env", "INFBENCH_TEST_KEY", "--data", data, "--answers", cache, "--out", out}, more...)
}

// A language model orders the documents that BM25 found. Its cost, agreement with the
// judgments and errors are next to the scores and in the folder; the key is nowhere. A rerun
// sends nothing and gives the same numbers, and so does the recording without an endpoint.
func TestChatEvaluate(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, judgeByNumber, chattest.Say("yes"), chattest.Status(429, "", "Retry-After", "0.1"), chattest.Refuse("no"), chattest.EchoAnswer)
	data, cache, out := manyDocuments(t, 40), t.TempDir(), filepath.Join(t.TempDir(), "out")
	rewrite(t, filepath.Join(data, "qrels", "test.tsv"), []byte("query-id\tcorpus-id\tscore\nq1\td9\t1\nq1\td8\t1\nq1\td39\t0\nq1\td38\t0\n"))
	printed := verbOutput(t, chatArgs(s.URL, data, cache, out, "--price", "1,2")...)
	for _, want := range []string{"m, asked pointwise: 18 answered (0 of all questions from cache), 1 refused, 1 malformed, 1 without log-probabilities", "so ranks tie", ", cost 0.0", "kappa of verdicts to judgments"} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed %s\nwant %q", printed, want)
		}
	}
	if asked := len(s.Asked()); asked != 22 {
		t.Errorf("%d questions, want 20, one for log-probabilities and one again", asked)
	}
	again := filepath.Join(t.TempDir(), "again")
	if printed := verbOutput(t, chatArgs(s.URL, data, cache, again)...); !strings.Contains(printed, "(21 of all questions from cache), 1 refused, 1 malformed, 1 without") || len(s.Asked()) != 22 {
		t.Errorf("again: %s after %d questions", printed, len(s.Asked()))
	}
	replayed := filepath.Join(t.TempDir(), "replayed")
	verbOutput(t, "evaluate", "--model", "chat", "--chat-model", "m", "--url", s.URL, "--first", "bm25", "--depth", "20",
		"--data", data, "--replay", cache, "--out", replayed)
	var scores [3]string
	for i, dir := range []string{out, again, replayed} {
		scores[i] = fileText(t, filepath.Join(dir, "scores.jsonl"))
	}
	if scores[0] != scores[1] || scores[0] != scores[2] || len(s.Asked()) != 22 {
		t.Errorf("scores differ: %q after %d questions", scores, len(s.Asked()))
	}
	var p results.Provenance
	text := mustRead(t, filepath.Join(out, "provenance.json"))
	if err := json.Unmarshal(text, &p); err != nil || p.Chat == nil || p.Chat.Usage.Failures["refused"] != 1 || p.Chat.Tasks[0].Documents != 20 {
		t.Errorf("provenance %s, %v", text, err)
	}
	for _, dir := range []string{out, again, replayed, cache} {
		noCanary(t, dir)
	}
}

// Several orders of a window are as many questions: counted in a forecast, kept, and replayed
// without an endpoint. With another number of orders, only new questions are asked.
func TestChatOrders(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, judgeByNumber)
	data, cache := manyDocuments(t, 40), t.TempDir()
	args := func(orders, out string) []string {
		return append(chatArgs(s.URL, data, cache, out), "--how", "listwise", "--depth", "5", "--orders", orders)
	}
	if printed := verbOutput(t, "evaluate", "--model", "chat", "--chat-model", "m", "--url", "http://127.0.0.1:1/v1", "--first", "bm25", "--data", "mini-bright", "--task", "nature", "--estimate"); !strings.Contains(printed, "--first bm25 finds no document for any query") {
		t.Errorf("an estimate of nothing says\n%s", printed) // its queries share no word with documents
	}
	if printed := verbOutput(t, append(args("3", filepath.Join(t.TempDir(), "out")), "--estimate")...); strings.Contains(printed, "finds no document") || !strings.Contains(printed, "3 questions, 0 of them answered before") || len(s.Asked()) != 0 {
		t.Errorf("estimate: %s after %d questions", printed, len(s.Asked()))
	}
	out := filepath.Join(t.TempDir(), "out")
	if printed := verbOutput(t, args("3", out)...); !strings.Contains(printed, "m, asked listwise: 3 answered") || len(s.Asked()) != 3 {
		t.Errorf("%s after %d questions", printed, len(s.Asked()))
	}
	more := verbOutput(t, args("4", filepath.Join(t.TempDir(), "out"))...)
	if !strings.Contains(more, "4 answered (3 of all questions from cache)") || len(s.Asked()) != 4 {
		t.Errorf("%s after %d questions", more, len(s.Asked()))
	}
	replayed := filepath.Join(t.TempDir(), "replayed")
	verbOutput(t, "evaluate", "--model", "chat", "--chat-model", "m", "--url", s.URL, "--first", "bm25", "--depth", "5", "--how", "listwise", "--orders", "3",
		"--data", data, "--replay", cache, "--out", replayed)
	if a, b := fileText(t, filepath.Join(out, "scores.jsonl")), fileText(t, filepath.Join(replayed, "scores.jsonl")); a != b || len(s.Asked()) != 4 {
		t.Errorf("replayed scores differ: %s and %s, %d questions", a, b, len(s.Asked()))
	}
}

// An answer that is not an order is counted and shown as a failure of its window. If no
// window has an order there is no row, since the model ordered nothing.
func TestChatUnranked(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	data := manyDocuments(t, 40)
	const no = "I cannot rank these 4 passages."
	args := func(s *chattest.Server) []string {
		return append(chatArgs(s.URL, data, "off", filepath.Join(t.TempDir(), "out")), "--how", "listwise", "--depth", "10", "--window", "4", "--step", "2")
	}
	for said, want := range map[string]string{
		no:                      "m, asked listwise: 1 answered (0 of all questions from cache), 3 malformed",
		"[1] > [2] > [3] > [4]": "m, asked listwise: 4 answered (0 of all questions from cache);",
	} {
		s := chattest.New(t, func(*chattest.Asked) string { return said }, chattest.Say("[2] > [1] > [3] > [4]"))
		if printed := verbOutput(t, args(s)...); !strings.Contains(printed, want) {
			t.Errorf("%q: printed %s\nwant %q", said, printed, want)
		}
	}
	verbFails(t, 1, "no answer to 4 questions can be used; the first: the answer is not an order of the documents",
		args(chattest.New(t, func(*chattest.Asked) string { return no }))...)
	page := chattest.Repeated(9, chattest.Status(200, "<html><body>Sign in</body></html>"))
	verbFails(t, 1, "the answer is an HTML page, not JSON", args(chattest.New(t, func(*chattest.Asked) string { return no }, page...))...)
}

// A language model without an endpoint is refused at its place in the experiment file.
func TestChatPlanWithoutURL(t *testing.T) {
	file := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]\nbaselines:\n  - {rerank: {chat: ./folder, how: graded}, first: bm25, depth: 3}\n")
	verbFails(t, usage.ExitUsage, "x.yaml:4:5: baselines: rerank: language model ./folder has no url: infbench cannot run models that write text", "plan", file)
}

// noCanary searches for the key in all files of a folder.
func noCanary(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), chatCanary) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%s: %d files, %v", dir, files, err)
	}
}

// The error of a spent budget names how to go on, and a forecast sends nothing.
func TestChatBudget(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, judgeByNumber)
	data, cache := manyDocuments(t, 40), t.TempDir()
	args := chatArgs(s.URL, data, cache, filepath.Join(t.TempDir(), "out"))
	if printed := verbOutput(t, append(args, "--estimate", "--price", "1,2")...); !strings.Contains(printed, "20 questions, 0 of them answered before") || !strings.Contains(printed, "cost about") {
		t.Errorf("estimate: %s", printed)
	}
	if n := len(s.Asked()); n != 0 {
		t.Errorf("a forecast asked %d questions", n)
	}
	verbFails(t, exitFailure, "budget used up", append(args, "--budget", "3000")...)
	verbFails(t, exitFailure, "the same command continues from there", append(args, "--max-cost", "0.0005", "--price", "1,2")...)
	first := len(s.Asked())
	if printed := verbOutput(t, append(args, "--estimate")...); !strings.Contains(printed, fmt.Sprintf("21 questions, %d of them answered before", first)) {
		t.Errorf("estimate after %d: %s", first, printed)
	}
	verbOutput(t, args...)
	if n := len(s.Asked()); first == 0 || first == 21 || n != 21 {
		t.Errorf("%d questions asked, then %d in all", first, n)
	}
}

// In batches, the questions, scores and budget are the same.
func TestChatBatch(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, judgeByNumber)
	data, out := manyDocuments(t, 40), t.TempDir()
	one, many := filepath.Join(out, "one"), filepath.Join(out, "many")
	verbOutput(t, chatArgs(s.URL, data, t.TempDir(), one)...)
	verbFails(t, exitFailure, "budget used up", append(chatArgs(s.URL, data, t.TempDir(), many), "--batch", "--budget", "3000")...)
	if n := s.BatchCount(); n != 0 {
		t.Errorf("%d batches over the budget", n)
	}
	verbOutput(t, append(chatArgs(s.URL, data, t.TempDir(), many), "--batch")...)
	if s.BatchCount() != 1 || len(s.Asked()) != 1+2*21 { // each time one for log-probabilities
		t.Errorf("%d batches, %d questions", s.BatchCount(), len(s.Asked()))
	}
	if a, b := mustRead(t, filepath.Join(one, "scores.jsonl")), mustRead(t, filepath.Join(many, "scores.jsonl")); string(a) != string(b) {
		t.Errorf("one by one %s, by batches %s", a, b)
	}
}

// An endpoint that gives log-probabilities is asked for one token a document, one by one or in
// batches, and the ranks do not tie. A kept answer is not asked again, and says in a forecast what
// will be asked. Another way to ask is kept apart.
func TestChatLogOdds(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, judgeByNumber)
	number := regexp.MustCompile(`document (\d+)\n`)
	s.Top = func(asked *chattest.Asked) []chattest.Token {
		n, _ := strconv.Atoi(number.FindStringSubmatch(asked.Last())[1])
		top := []chattest.Token{{Text: "Yes", Logprob: -1 - float64(n)/10}, {Text: "No", Logprob: -1.5}}
		if n == 7 {
			return top[:1]
		}
		return top
	}
	data, cache, out := manyDocuments(t, 40), t.TempDir(), t.TempDir()
	const warned = "is asked in words instead"
	args := func(name string, more ...string) []string {
		return chatArgs(s.URL, data, cache, filepath.Join(out, name), more...)
	}
	if printed := verbOutput(t, args("none", "--estimate")...); !strings.Contains(printed, "20 questions, 0 of them answered before") || !strings.Contains(printed, "at most 20 of answers") || !strings.Contains(printed, warned) {
		t.Errorf("estimate: %s", printed)
	}
	printed := verbOutput(t, args("one")...)
	for _, want := range []string{"m, asked pointwise: 20 answered (0 of all questions from cache);", "1 log-odds are bounds"} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed %s\nwant %q", printed, want)
		}
	}
	if strings.Contains(printed, "tie") || len(s.Asked()) != 20 {
		t.Errorf("printed %s after %d questions", printed, len(s.Asked()))
	}
	if printed := verbOutput(t, args("none", "--estimate")...); !strings.Contains(printed, "20 questions, 20 of them answered before") || strings.Contains(printed, warned) {
		t.Errorf("estimate: %s", printed)
	}
	verbOutput(t, chatArgs(s.URL, data, t.TempDir(), filepath.Join(out, "batch"), "--batch")...)
	if s.BatchCount() != 1 || len(s.Asked()) != 40 {
		t.Errorf("%d batches, %d questions", s.BatchCount(), len(s.Asked()))
	}
	if a, b := fileText(t, filepath.Join(out, "one", "scores.jsonl")), fileText(t, filepath.Join(out, "batch", "scores.jsonl")); a != b {
		t.Errorf("one by one %s, by batches %s", a, b)
	}
	if printed := verbOutput(t, args("words", "--answer-tokens", "200")...); !strings.Contains(printed, "so ranks tie") || len(s.Asked()) != 60 {
		t.Errorf("in words: %s after %d questions", printed, len(s.Asked()))
	}
	page := filepath.Join(out, "page.html")
	verbOutput(t, "report", filepath.Join(out, "one"), "--format", "html", "--out", page)
	if text := fileText(t, page); !strings.Contains(text, "log-odds, 1 bounded") {
		t.Error("the page does not say what orders the documents")
	}
	verbOutput(t, "verify", page)
}

func TestChatFlags(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	data := manyDocuments(t, 3)
	out := filepath.Join(t.TempDir(), "out")
	at := []string{"--model", "chat", "--chat-model", "m", "--url", "http://localhost:1/v1"}
	for want, args := range map[string][]string{
		"needs --chat-model and --url":     {"--model", "chat"},
		"require --model chat":             {"--model", "bm25", "--how", "listwise"},
		`did you mean "listwise"?`:         append(at, "--how", "listwis", "--first", "bm25"),
		`did you mean "words"?`:            append(at, "--structure", "word", "--first", "bm25"),
		"INPUT,OUTPUT":                     append(at, "--price", "1", "--first", "bm25"),
		"needs prices":                     append(at, "--max-cost", "1", "--first", "bm25"),
		"let another model find some":      at,
		"batches need pointwise":           append(at, "--first", "bm25", "--how", "pairwise", "--batch"),
		"--estimate requires --model chat": {"--model", "bm25", "--estimate"},
		"use it as --model":                {"--model", "bm25", "--fuse", "chat", "--chat-model", "m", "--url", "http://localhost:1/v1"},
		"--remote-api, --remote-model":     append(at, "--dim", "4"),
		"--key-env and --key-file":         append(at, "--first", "bm25", "--key-env", "INFBENCH_TEST_KEY", "--key-file", "x"),
		`unknown interface "chatt"`:        append(at, "--first", "bm25", "--key-env", "chatt=INFBENCH_TEST_KEY"),
		"language model ./folder has no url: infbench cannot run models that write text. Serve it with an OpenAI-compatible server": {"--model", "chat", "--chat-model", "./folder", "--first", "bm25"},
		"or a language model with a judge section in infbench.json of its folder":                                                   {"--model", "chat", "--chat-model", "org/name", "--first", "bm25", "--price", "1,2", "--replay", "answers"},
		"uses a language model behind": {"--model", "bm25", "--how", "graded"},
		"want a window of at least 2":  append(at, "--first", "bm25", "--how", "listwise", "--window", "1"),
	} {
		verbFails(t, usage.ExitUsage, want, append([]string{"evaluate", "--data", data, "--out", out}, args...)...)
	}
}

// A sweep asks language models as evaluate does, and the report shows their cost next to
// quality.
func TestChatSweep(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := chattest.New(t, func(asked *chattest.Asked) string {
		if strings.Contains(asked.Last(), "Order the") {
			return "[2] > [1]"
		}
		return verdictOn(asked.Last(), "yes")
	})
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	ask := []string{"--model", "chat", "--chat-model", "m", "--url", s.URL, "--how", "listwise", "--window", "4", "--step", "2", "--first", "document-order", "--depth", "6"}
	verbOutput(t, append([]string{"evaluate", "--data", "mini-bright", "--out", "alone"}, ask...)...)
	file := inFile(t, "x.yaml", fmt.Sprintf(`name: x
base: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}
baselines:
  - {rerank: {chat: m, url: %q, how: listwise, window: 4, step: 2}, first: document-order, depth: 6}
  - {rerank: {chat: m, url: %q}, first: document-order, depth: 3}
evaluate: [mini-bright]
`, backbone, s.URL, s.URL))
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "chat.prompts=") {
		t.Errorf("plan printed\n%s", out)
	}
	before := len(s.Asked())
	verbOutput(t, "sweep", file, "--key-env", "chat=INFBENCH_TEST_KEY", "--price", "1,2")
	exp, err := runs.At("runs/x").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	was, answered := trialOf(t, "alone", "chat"), 0
	for i := range exp.Trials {
		now := &exp.Trials[i]
		if now.Provenance.Chat == nil {
			continue
		}
		u := now.Provenance.Chat.Usage
		if answered += u.Answered + u.Failed() - u.Cached; now.Config[results.ChatHow] != "listwise" {
			continue
		}
		delete(now.Config, results.Seed)
		delete(was.Config, results.Seed)
		if !maps.Equal(now.Config, was.Config) || u.Cached != u.Answered {
			t.Errorf("evaluate: %v\nsweep:    %v\n%+v", was.Config, now.Config, u)
		}
	}
	if sent := len(s.Asked()) - before; sent != answered || sent == 0 {
		t.Errorf("%d questions sent, %d answered or failed", sent, answered)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	verbOutput(t, "report", "runs/x", "--format", "html", "--out", page)
	out := verbOutput(t, "report", "runs/x", "--all")
	for _, want := range []string{"Language models", "judgments", "documents with orders"} {
		if !strings.Contains(out, want) {
			t.Errorf("report lacks %q:\n%s", want, out)
		}
	}
	verbOutput(t, "verify", page)
	noCanary(t, "runs")
	noCanary(t, filepath.Dir(page))
}
