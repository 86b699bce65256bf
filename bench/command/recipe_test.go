package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/chattest"
	"infbench/internal/usage"
	"infbench/runners/results"
)

// documentNumber matches the number of one of manyDocuments in a question about one or several.
var documentNumber = regexp.MustCompile(`(?m)document (\d+)$`)

// reranking answers as a model that thinks and prefers low numbers, in the form of llama-server's
// completions; with other texts all numbers are 1.
func reranking(asked *chattest.Asked) string {
	text := asked.Last()
	numbers := []int{}
	for _, m := range documentNumber.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		numbers = []int{1}
	}
	const used = `,"usage":{"prompt_tokens":50.0,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":9}}}`
	switch {
	case len(asked.Stop) > 0:
		finish := "stop"
		if numbers[0] == 3 {
			finish = "length"
		}
		return fmt.Sprintf(`{"choices":[{"text":"\nIs %d low? It","finish_reason":%q,"stop_reason":"</think>"}]`, numbers[0], finish) + used
	case asked.Logprobs:
		return fmt.Sprintf(`{"choices":[{"text":" true","finish_reason":"length","logprobs":{"content":[{"token":" true","top_logprobs":[{"token":" true","bytes":[32,116,114,117,101],"logprob":%v},{"token":" false","logprob":-1.0},{"token":" yes","logprob":%[1]v},{"token":" no","logprob":-1.0}]}]}}]`, -float64(numbers[0])/10) + used
	}
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return numbers[a-1] - numbers[b-1] })
	answer := fmt.Sprintf("[%d]", order[0])
	if strings.Contains(text, "Rank the") {
		answer = strings.ReplaceAll(strings.Trim(fmt.Sprint(order), "[]"), " ", "] > [")
		answer = "[" + answer + "]"
	}
	said, _ := json.Marshal("<think>I look at each.</think>\n<answer>" + answer + "</answer>")
	return `{"choices":[{"message":{"content":` + string(said) + `},"finish_reason":"stop"}]` + used
}

// rerankingServer answers by a function.
func rerankingServer(t *testing.T, body func(*chattest.Asked) string) *chattest.Server {
	s := chattest.New(t, nil)
	s.Body = body
	return s
}

// TestRecipes: each kind of recipe ranks from end to end. Its counts are in the completion marker and
// in the report, its thoughts in the run folder and in query. A rerun and a recording ask nothing.
func TestRecipes(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	s := rerankingServer(t, reranking)
	data, cache := manyDocuments(t, 40), t.TempDir()
	t.Chdir(t.TempDir())
	args := func(out, recipe string, more ...string) []string {
		return append(chatArgs(s.URL, data, cache, out, "--depth", "8", "--recipe", recipe), more...)
	}
	if printed := verbOutput(t, args("none", "rank1", "--estimate")...); !strings.Contains(printed, "16 questions, 0 of them answered before") || !strings.Contains(printed, "at most 65544 of answers") || !strings.Contains(printed, "recipe rank1: 8192 tokens") || len(s.Asked()) != 0 {
		t.Errorf("estimate: %s", printed)
	}
	printed := verbOutput(t, args("rank1", "rank1")...)
	for _, want := range []string{"m, asked by recipe rank1 (judge): 16 answered (0 of all questions from cache); 800 tokens in (144 from the endpoint's cache), 32 out"} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed %s\nwant %q", printed, want)
		}
	}
	if strings.Contains(printed, "tie") || len(s.Asked()) != 16 {
		t.Errorf("%s after %d questions", printed, len(s.Asked()))
	}
	if printed := verbOutput(t, args("none", "rank1", "--estimate")...); !strings.Contains(printed, "16 questions, 16 of them answered before") || !strings.Contains(printed, "the answers kept so far have 2 tokens on average") {
		t.Errorf("estimate: %s", printed)
	}
	verbOutput(t, args("again", "rank1")...)
	verbOutput(t, "evaluate", "--model", "chat", "--chat-model", "m", "--url", s.URL, "--first", "bm25", "--depth", "8", "--recipe", "rank1", "--data", data, "--replay", cache, "--out", "replayed")
	for _, name := range []string{"scores.jsonl", "thoughts"} {
		of := func(out string) (all string) {
			paths := []string{filepath.Join(out, name)}
			if name == "thoughts" {
				paths, _ = filepath.Glob(filepath.Join(out, name, "*"))
			}
			for _, path := range paths {
				all += fileText(t, path)
			}
			return all
		}
		if of("rank1") != of("again") || of("rank1") != of("replayed") || of("rank1") == "" || len(s.Asked()) != 16 {
			t.Errorf("%s differ, after %d questions", name, len(s.Asked()))
		}
	}
	verbOutput(t, args("rank-r1", "rank-r1")...)
	verbOutput(t, args("reasonrank", "reasonrank")...)
	one, three := fileText(t, filepath.Join("rank1", "scores.jsonl")), fileText(t, filepath.Join("reasonrank", "scores.jsonl"))
	if two := fileText(t, filepath.Join("rank-r1", "scores.jsonl")); one != two || one != three {
		t.Errorf("by rank1 %s, by rank-r1 %s, by reasonrank %s", one, two, three)
	}
	var done struct {
		Answers []results.ChatTask `json:"answers"`
	}
	if err := json.Unmarshal(mustRead(t, filepath.Join("rank1", "done.json")), &done); err != nil || len(done.Answers) != 1 || done.Answers[0].Asked != 8 || done.Answers[0].Failed() != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	id := "q1"
	if out := verbOutput(t, "query", "rank1", id); !strings.Contains(out, "Thoughts of language models, and the answers after them") || !regexp.MustCompile(`low\? It → true \(P 0\.\d{3}\)`).MatchString(out) {
		t.Errorf("query shows\n%s", out)
	}
	verbOutput(t, "report", "rank1", "rank-r1", "reasonrank", "--format", "html", "--out", "page.html")
	for _, want := range []string{"rank1: log-odds", "rank-r1: the best of several", "reasonrank: order"} {
		if text := fileText(t, "page.html"); !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	verbOutput(t, "verify", "page.html")
	for _, dir := range []string{"rank1", "rank-r1", cache} {
		noCanary(t, dir)
	}
}

// TestRecipeDoubts: answers that were used in part are counted in the marker, printed, and in the
// report next to the number.
func TestRecipeDoubts(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	data := manyDocuments(t, 40)
	t.Chdir(t.TempDir())
	asked := 0
	s := rerankingServer(t, func(a *chattest.Asked) string {
		if asked++; len(a.Stop) > 0 {
			return fmt.Sprintf(`{"choices":[{"text":"Perhaps. Or","finish_reason":%q,"stop_reason":null}]}`, []string{"length", "stop"}[asked%4/2])
		}
		return `{"choices":[{"text":" true","finish_reason":"length","logprobs":{"tokens":[" true"],"token_logprobs":[-0.1],"top_logprobs":[{" true":-0.1,"\ufffd":-3}]}}]}`
	})
	printed := verbOutput(t, chatArgs(s.URL, data, "off", "out", "--depth", "8", "--recipe", "rank1")...)
	var done struct {
		Answers []results.ChatTask `json:"answers"`
	}
	if err := json.Unmarshal(mustRead(t, filepath.Join("out", "done.json")), &done); err != nil || len(done.Answers) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	c := done.Answers[0]
	if c.Asked != 8 || c.Bounded != 8 || c.Cut+c.Unclosed != 8 || c.Cut == 0 || c.Unclosed == 0 {
		t.Errorf("%+v", c)
	}
	for _, want := range []string{"8 log-odds are bounds, since one of the two words was not", fmt.Sprintf("%d of 8 answers had thoughts that reached their budget", c.Cut), fmt.Sprintf("%d of 8 answers had thoughts that ended without their end", c.Unclosed)} {
		if !strings.Contains(printed, want) {
			t.Errorf("printed %s\nwant %q", printed, want)
		}
	}
	want := fmt.Sprintf("rank1: log-odds, %d cut, %d unclosed, 8 bounded", c.Cut, c.Unclosed)
	if out := verbOutput(t, "report", "out", "--all"); !strings.Contains(out, want) || !strings.Contains(out, "unclosed ones ended without their end") {
		t.Errorf("the report lacks %q:\n%s", want, out)
	}
}

// TestRecipeUnusable: with more than 5 % of unusable answers nothing is written, so that no board has
// the number; --unusable allows more. An endpoint without log-probabilities is refused, and the error names
// the missing field.
func TestRecipeUnusable(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", chatCanary)
	data := manyDocuments(t, 40)
	t.Chdir(t.TempDir())
	s := rerankingServer(t, func(a *chattest.Asked) string {
		if a.Logprobs && strings.Contains(a.Prompt, "document 7\n") {
			return `{"choices":[{"text":"x","finish_reason":"length","logprobs":{"top_logprobs":[{"x":-0.1}]}}]}`
		}
		return reranking(a)
	})
	args := func(out string, more ...string) []string {
		return append(chatArgs(s.URL, data, "answers", out, "--recipe", "rank1"), more...)
	}
	verbFails(t, exitFailure, `1 of 19 answers (5.3 %) cannot be used (1 no verdict), more than 5 %, so nothing is written; the first: neither " true" nor " false" is among the 1 likeliest first tokens of the answer ("x" ...); --unusable 6% accepts them`,
		args("out", "--depth", "19")...)
	if _, err := os.Stat("out"); err == nil {
		if names, _ := filepath.Glob("out/*"); len(names) > 0 {
			t.Errorf("written: %v", names)
		}
	}
	verbOutput(t, args("out", "--depth", "20")...) // 5 % exactly
	verbOutput(t, args("more", "--depth", "19", "--unusable", "6%")...)
	verbFails(t, exitFailure, "more than 0 %", args("none", "--depth", "20", "--unusable", "0%")...)
	if out := verbOutput(t, "report", "more", "--all"); !strings.Contains(out, "1 no verdict") {
		t.Errorf("the report hides it:\n%s", out)
	}
	for body, want := range map[string]string{
		`{"choices":[{"text":" true","finish_reason":"length"}]}`:                                             "recipe followir ranks by log-probabilities, which the endpoint does not give (ask m at HOST: the answer has no logprobs with top_logprobs); --how pointwise asks such an endpoint for words, and ranks then tie",
		`{"choices":[{"text":" true","finish_reason":"length","logprobs":{"odds":{"a":1}}}]}`:                 `malformed), more than 5 %, so nothing`,
		`{"choices":[{"text":" true","finish_reason":"length","logprobs":{"top_logprobs":[{"true":null}]}}]}`: `log-probabilities: a token has none`,
	} {
		s := rerankingServer(t, func(*chattest.Asked) string { return body })
		if strings.Contains(body, "odds") {
			want = `log-probabilities: neither content nor top_logprobs: {"odds":{"a":1}}`
		}
		verbFails(t, exitFailure, strings.ReplaceAll(want, "HOST", s.URL), chatArgs(s.URL, data, "off", "refused", "--depth", "3", "--recipe", "followir")...)
	}
}

func TestRecipeFlags(t *testing.T) {
	data := manyDocuments(t, 3)
	mine := inFile(t, "mine.yaml", "how: judge\nuser: \"{query} {document}\"\n")
	at := []string{"evaluate", "--data", data, "--out", filepath.Join(t.TempDir(), "out"), "--model", "chat", "--chat-model", "m", "--url", "http://localhost:1/v1", "--first", "bm25"}
	for want, args := range map[string][]string{
		`unknown recipe "rank2"; did you mean "rank1"? (known: infbench, ctxl,`: {"--recipe", "rank2"},
		`mine.yaml:1:1: words: a judge needs the tokens of its verdict`:         {"--recipe", mine},
		"how listwise: recipe rank1 is asked in its own way, judge":             {"--recipe", "rank1", "--how", "listwise"},
		"--unusable 10: want a percentage from 0% to 100%, as in 10%":           {"--recipe", "rank1", "--unusable", "10"},
		"--batch: the questions of recipe rank1 are not sent in batches":        {"--recipe", "rank1", "--batch"},
		"setwise asks for the best of 2 to 20 documents":                        {"--recipe", "rank-r1", "--window", "21"},
	} {
		verbFails(t, usage.ExitUsage, want, append(at, args...)...)
	}
	verbFails(t, usage.ExitUsage, "--recipe, --price", "evaluate", "--data", data, "--model", "bm25", "--recipe", "rank1")
	verbFails(t, usage.ExitUsage, `did you mean "reasonrank"?`, "list", "recipes", "reasonrankk")
	file := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]\nbaselines:\n  - {rerank: {chat: m, url: \"http://localhost:1/v1\", recipe: rank1}, first: bm25, depth: 3}\n  - {rerank: {chat: m, url: \"http://localhost:1/v1\", recipe: mxbai}, first: bm25, depth: 3}\n")
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "chat.recipe=rank1") {
		t.Errorf("plan printed\n%s", out)
	}
	verbFails(t, usage.ExitUsage, `x.yaml:4:5: baselines: rerank: unknown recipe "rank9"`, "plan", inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]\nbaselines:\n  - {rerank: {chat: m, url: \"http://localhost:1/v1\", recipe: rank9}, first: bm25, depth: 3}\n"))
}

// TestRecipesPage types the commands of docs/recipes.md to an endpoint on loopback.
func TestRecipesPage(t *testing.T) {
	pages := docPages(t)
	page := pages[slices.IndexFunc(pages, func(p docPage) bool { return p.path == "docs/recipes.md" })]
	s := rerankingServer(t, reranking)
	t.Chdir(t.TempDir())
	for _, block := range fenced.FindAllString(page.text, -1) {
		writeFile(t, "mine.yaml", strings.TrimSuffix(strings.TrimPrefix(block, "```yaml\n"), "```"))
	}
	typed := 0
	for _, c := range page.commands() {
		words := typedWords(strings.TrimPrefix(c.text, "infbench "))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "http://localhost:8080/v1", s.URL)
		}
		verbOutput(t, words...)
		typed++
	}
	if typed < 8 || len(s.Asked()) < 100 {
		t.Errorf("%d commands, %d questions", typed, len(s.Asked()))
	}
}
