package chatrank

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/chat"
)

// TestShippedRecipes: each shipped recipe is read, states its source and licence, and keeps its hash,
// which is part of the identity of rankings.
func TestShippedRecipes(t *testing.T) {
	hashes := map[string]string{}
	if names := Recipes(); len(names) != 10 || names[0] != Own || !slices.IsSorted(names[1:]) {
		t.Errorf("recipes %v", names)
	}
	for _, name := range Recipes()[1:] {
		r, err := OpenRecipe(name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Name != name || r.Source == "" || r.Licence == "" {
			t.Errorf("%s: %+v", name, r)
		}
		if hash := r.Hash(); hash != shippedHashes[name] {
			t.Errorf("%q: %q,", name, hash)
		}
		hashes[r.Hash()] = name
		path := filepath.Join(t.TempDir(), name+".yaml") // a copy is the same recipe
		text, err := ShippedRecipe(name)
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := OpenRecipe(path); err != nil || again.Hash() != r.Hash() || again.Name != name {
			t.Errorf("%s: %+v, %v", path, again, err)
		}
	}
	if len(hashes) != 9 {
		t.Errorf("hashes %v", hashes)
	}
	if r, err := OpenRecipe(Own); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

var shippedHashes = map[string]string{
	"ctxl":           "882255a15834",
	"followir":       "7243fee95876",
	"mxbai":          "6aae0fba16b1",
	"qwen3-reranker": "433cd5b5d36b",
	"rank-llm":       "3af624eacb88",
	"rank-r1":        "da54aef04394",
	"rank-r1-v0.2":   "872f945c84c2",
	"rank1":          "86549bedc462",
	"reasonrank":     "32cebde30ce6",
}

// TestBadRecipes: each error has the line, the key and what to do.
func TestBadRecipes(t *testing.T) {
	judge := "how: judge\nuser: \"{query} {document}\"\n"
	for text, want := range map[string]string{
		judge: `x.yaml:1:1: words: a judge needs the tokens of its verdict, such as [" true", " false"]`,
		"how: listwise\nuser: \"{query} {documents}\"\nitem: \"{n} {document}\"\n": "x.yaml:1:1: pattern: listwise needs the pattern of an answer",
		"how: setwise\nuser: \"{query} {documents}\"\nitem: \"{n} {document}\"\n":  "pattern: setwise needs the pattern of an answer",
		judge + "words: [a, b, c]\n":                                                              "x.yaml:3:8: words: 3 words; want yes and no, or yes alone",
		judge + "words: [a, a]\n":                                                                 `words: "a" is empty or given twice`,
		judge + "words: [[a, \"\"], b]\n":                                                         `words: "" is empty or given twice`,
		judge + "words: [a, b]\npattern: (x)\n":                                                   "x.yaml:4:10: pattern: only answers of setwise and listwise have one",
		judge + "word: [a, b]\n":                                                                  `x.yaml:3:1: unknown key "word"; did you mean "words"?`,
		"how: jugde\nuser: \"{query} {document}\"\n":                                              `x.yaml:1:6: how: unknown how "jugde"; did you mean "judge"? (known: judge, setwise, listwise, graded, pairwise)`,
		"user: \"{query} {document}\"\n":                                                          "how: which way of asking? judge, setwise or listwise",
		"how: judge\nwords: [a, b]\n":                                                             "user: the text of the question is missing",
		"how: judge\nwords: [a, b]\nuser: \"{query}\"\n":                                          "x.yaml:3:7: user: the text has no {document}",
		"how: judge\nwords: [a, b]\nuser: \"{query} {document} {documnet}\"\n":                    `user: unknown name in braces "{documnet}"; did you mean "{document}"?`,
		judge + "words: [a, b]\nsystem: x\nendpoint: completions\n":                               "x.yaml:4:9: system: completions have no system message; put its text into user",
		judge + "words: [a, b]\nendpoint: completion\n":                                           `endpoint: unknown endpoint "completion"; did you mean "completions"?`,
		judge + "words: [a, b]\nthink: {budget: -1}\n":                                            "x.yaml:4:8: think: budget -1 is negative",
		judge + "words: [a, b]\nwindow: 3\n":                                                      "window: judge asks about no window",
		"how: listwise\nuser: \"{query} {documents}\"\nitem: \"{n} {document}\"\npattern: '(a'\n": "x.yaml:4:10: pattern: error parsing regexp",
		"how: listwise\nuser: \"{query} {documents}\"\nitem: \"{n} {document}\"\npattern: 'a'\n":  "pattern: want one group in parentheses, which is the answer, found 0",
		"how: listwise\nuser: \"{query} {documents}\"\npattern: order\n":                          `item: how is a document of several given? such as "[{n}] {document}"`,
		"how: graded\nuser: \"{query} {document}\"\n":                                             "field: an answer in JSON needs a field, and values with two or more",
		"how: setwise\nuser: \"{query} {documents}\"\nitem: \"{n} {document}\"\npattern: order\nstep: 3\npassage: x\n": "passage: the text has no {title}",
	} {
		_, err := ParseRecipe("x.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	for text, want := range map[string]string{"": "x.yaml: empty file", "- a\n": "x.yaml:1:1: recipe: want keys with values, found a list", "how: judge\nwords: {a: b}\n": "x.yaml:2:8: words: want a list, found a mapping"} {
		if _, err := ParseRecipe("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	if text, err := ShippedRecipe(Own); err != nil || strings.Count(string(text), "\nhow: ") != len(Ways()) {
		t.Errorf("%s, %v", text, err)
	}
	for name, want := range map[string]string{
		"rank2":        `unknown recipe "rank2"; did you mean "rank1"? (known: infbench, ctxl, followir, mxbai, qwen3-reranker, rank-llm, rank-r1, rank-r1-v0.2, rank1, reasonrank); a file of your own ends in .yaml`,
		"absent.yaml":  "recipe: stat absent.yaml",
		"infbench.yml": "recipe: stat infbench.yml",
	} {
		if _, err := OpenRecipe(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", name, err, want)
		}
	}
	r := recipeOf(t, "reasonrank")
	for want, o := range map[string]Options{
		"how listwise: recipe reasonrank is asked in its own way, listwise; leave out how": {Recipe: r, How: Listwise},
		"window of 1 with steps of 10":                                                   {Recipe: r, Window: 1},
		"window of 21: setwise asks for the best of 2 to 20 documents":                   {Recipe: recipeOf(t, "rank-r1"), Window: 21},
		"step is for how: listwise":                                                      {Recipe: recipeOf(t, "rank-r1"), Step: 3},
		"window, step and orders are for how: listwise":                                  {Recipe: recipeOf(t, "rank1"), Window: 3},
		"tokens 1: recipe rank1 thinks and answers by one more token; want 2 or more":    {Recipe: recipeOf(t, "rank1"), Tokens: 1},
		"window of 40: answers to several orders can be merged for at most 20 documents": {Recipe: r, Window: 40, Orders: 2},
		"passes are for how: pairwise":                                                   {Recipe: r, Passes: 2},
		`unknown way of asking "jugde" (known: pointwise, graded, pairwise, listwise)`:   {How: "jugde"},
		`unknown way of asking "judge" (known: pointwise, graded, pairwise, listwise)`:   {How: "judge"},
		"window, step, orders, passes, bytes and tokens: a number is negative":           {Recipe: r, Tokens: -1},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v\nwant %s", o, err, want)
		}
	}
}

func recipeOf(t *testing.T, name string) *Recipe {
	t.Helper()
	r, err := OpenRecipe(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asks records what a recipe asks, and answers by a function.
type asks struct {
	oracle
	answer func(r chat.Request, n int) (chat.Answer, error)
}

func (a *asks) Ask(_ context.Context, r chat.Request) (chat.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, r)
	return a.answer(r, len(a.asked))
}

// TestPrompts: the texts of the first question of each recipe, as the sources write them.
func TestPrompts(t *testing.T) {
	docs := []datasets.Document{{ID: "a", Title: "T", Text: "one [7]"}, {ID: "b", Text: "two"}}
	q := datasets.Query{ID: "q", Text: "what", Instruction: "only so"}
	for name, want := range prompts {
		m := &asks{answer: func(chat.Request, int) (chat.Answer, error) {
			return chat.Answer{}, &chat.Error{Class: chat.Refused, Err: errors.New("no")}
		}}
		r, err := New(chat.NewAsker(m, nil), Options{Model: "m", Recipe: recipeOf(t, name), Ordered: true, Parallel: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Rerank(t.Context(), q, docs, make([]float64, 2)); err != nil {
			t.Fatal(err)
		}
		first := m.asked[0]
		got := first.Prompt
		for _, message := range first.Messages {
			got += message.Role + ": " + message.Text + "|"
		}
		got += fmt.Sprintf(" max %d, stop %q, logprobs %d, continue %t, seed %d", first.MaxTokens, first.Stop, first.Logprobs, first.Continue, first.Seed)
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	if len(prompts) != 9 {
		t.Errorf("%d prompts", len(prompts))
	}
}

var prompts = map[string]string{
	"ctxl":           "Check whether a given document contains information helpful to answer the query.\n<Document> T\none [7]\n<Query> what only so ?? max 1, stop [], logprobs 20, continue false, seed 1",
	"followir":       "<s> [INST] You are an expert Google searcher, whose job is to determine if the following document is relevant to the query (true/false). Answer using only one word, one of those two choices.\n\nQuery: what only so\nDocument: T\none [7]\nRelevant (only output one word, either \"true\" or \"false\"): [/INST]  max 1, stop [], logprobs 20, continue false, seed 1",
	"mxbai":          "system: You are Qwen, created by Alibaba Cloud. You are a helpful assistant.|user: instruction: only so\nquery: what\ndocument: T\none [7]\nYou are a search relevance expert who evaluates how well documents match search queries. For each query-document pair, carefully analyze the semantic relationship between them, then provide your binary relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:| max 1, stop [], logprobs 20, continue false, seed 1",
	"qwen3-reranker": "system: Judge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be \"yes\" or \"no\".|user: <Instruct>: only so\n<Query>: what\n<Document>: T one [7]|assistant: <think>\n\n</think>\n\n| max 1, stop [], logprobs 20, continue true, seed 1",
	"rank-llm":       "system: You are RankLLM, an intelligent assistant that can rank passages based on their relevancy to the query|user: I will provide you with 2 passages, each indicated by a numerical identifier []. Rank the passages based on their relevance to the search query: what only so.\n[1] Title: T Content: one (7)\n[2] two\nSearch Query: what only so.\nRank the 2 passages above based on their relevance to the search query. All the passages should be included and listed using identifiers, in descending order of relevance. The output format should be [] > [], e.g., [2] > [1], Answer concisely and directly and only respond with the ranking results, do not say any word or explain.| max 210, stop [], logprobs 0, continue false, seed 1",
	"rank-r1":        "system: A conversation between User and Assistant. The user asks a question, and the Assistant solves it. The assistant first thinks about the reasoning process in the mind and then provides the user with the answer. The reasoning process and answer are enclosed within <think> </think> and <answer> </answer> tags, respectively, i.e., <think> reasoning process here </think> <answer> answer here </answer>.|user: Given the query: \"what only so\", which of the following documents is most relevant?\n[1]: T one [7]\n[2]: two\nAfter completing the reasoning process, please provide only the label of the most relevant document to the query, enclosed in square brackets, within the answer tags. For example, if the third document is the most relevant, the answer should be: <think> reasoning process here </think> <answer>[3]</answer>.| max 8000, stop [], logprobs 0, continue false, seed 1",
	"rank-r1-v0.2":   "system: You are RankLLM, an intelligent assistant capable of evaluating the relevancy of passages to a given query.|user: You will be presented with a query, and a set of documents.\n\nYour task consists of the following step:\n\n1. Analyze the query: Carefully read the query and identify the core problem or question being asked.\n\n2. Analyze the documents: Thoroughly examine each document and briefly explain how each document is relevant or not relevant to the query.\n\n3. Find the most relevant document: Based on your analysis, select the most relevant document to the query from the set and briefly explain why.\n\nImportant: Provide your analysis within the <think> </think> tags and answer only the label of the most relevant document, enclosed in square brackets, within the <answer> </answer> tags. For example, if the third document is the most relevant, your response should be:\n<think> Your analysis here </think>\n<answer>[3]</answer>\n\nHere is the query: what only so\n\nHere are the documents:\n[1]: T one [7]\n\n[2]: two| max 8000, stop [], logprobs 0, continue false, seed 1",
	"rank1":          "Determine if the following passage is relevant to the query. Answer only with 'true' or 'false'.\nQuery: what only so\nPassage: T one [7]\n<think> max 8192, stop [\"</think>\"], logprobs 0, continue false, seed 1",
	"reasonrank":     "system: You are RankLLM, an intelligent assistant that can rank passages based on their relevance to the query. Given a query and a passage list, you first thinks about the reasoning process in the mind and then provides the answer (i.e., the reranked passage list). The reasoning process and answer are enclosed within <think> </think> and <answer> </answer> tags, respectively, i.e., <think> reasoning process here </think> <answer> answer here </answer>.|user: I will provide you with 2 passages, each indicated by a numerical identifier []. Rank the passages based on their relevance to the search query: what only so.\n\n[1] Title: T Content: one (7)\n[2] two\nSearch Query: what only so.\nRank the 2 passages above based on their relevance to the search query. All the passages should be included and listed using identifiers, in descending order of relevance. The format of the answer should be [] > [], e.g., [2] > [1].| max 3172, stop [], logprobs 0, continue false, seed 1",
}
