package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// testCase is a row of the table.
type testCase struct {
	name string
	run  func(ctx context.Context, b *bench) (happened string, err error)
}

// cases are ordered so that a run cut anywhere has shown the most.
var cases = []testCase{
	{"pointwise", ranked("pointwise", pointwiseFits, "--document-bytes", "300")},
	{"graded", ranked("graded", nil, "--document-bytes", "300")},
	{"pairwise", ranked("pairwise", nil, "--document-bytes", "300", "--passes", "1")},
	{"listwise", ranked("listwise", nil, "--document-bytes", "300")},
	{"recipe, thoughts", recipe("thinks.yaml")},
	{"recipe, one token", recipe("qwen3-reranker")},
	{"recipe, a list", recipe("reasonrank", "--answer-tokens", "300")},
	{"again", again},
	{"killed, then back", backSoon},
	{"killed, given up", givenUp},
	{"context too long", tooLong},
	{"answer cut", cut},
	{"full slot", fullSlot},
	{"two clients", twoClients},
	{"curate", curate},
	{"embeddings", embeddings},
	{"order, F16", order("f16")},
	{"order, Q4_1", order("q4_1")},
}

// The model's name in requests. llama-server ignores it.
const model = "smollm2"

// chatServer are the arguments of a server for questions: one question at a time, in a context that
// holds the longest one of these cases.
var chatServer = []string{"--ctx-size", "4096", "--parallel", "1"}

// rerank are the arguments that rerank six documents of each of three queries of SciFact.
func (b *bench) rerank(out string, more ...string) []string {
	return append([]string{"evaluate", "--model", "chat", "--chat-model", model, "--url", b.gate.url, "--first", "bm25", "--depth", "6",
		"--data", "three", "--answers", "answers", "--out", out}, more...)
}

var usageLine = regexp.MustCompile(`(?m)asked (?:by recipe )?([\w() -]+: .*)$`)

// said returns the line of a command's output that counts its questions.
func said(out string) string {
	if m := usageLine.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	return ""
}

// complaint returns the error line of a command's output.
func complaint(out string) string {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "infbench: "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return lastLine([]byte(out))
}

// ranked reranks in one of the ways. A model that answers none of the questions usably is an outcome,
// not a failure of the case.
func ranked(how string, check func(out string) error, more ...string) func(context.Context, *bench) (string, error) {
	return func(ctx context.Context, b *bench) (string, error) {
		return b.with(ctx, b.gguf, func() (string, error) {
			out, err := b.ask(ctx, b.rerank(how, append(more, "--how", how)...)...)
			switch {
			case err == nil && check != nil:
				return said(out), check(out)
			case err != nil && strings.Contains(out, "can be used; the first:"):
				return "exit 1: " + complaint(out), nil
			case err != nil:
				return "", fmt.Errorf("%w: %s", err, complaint(out))
			}
			return said(out), nil
		}, chatServer...)
	}
}

// thinks is a recipe for a model that was not trained to think: its thoughts reach their budget.
const thinks = `how: judge
endpoint: completions
user: "Query: {query}\nPassage: {document}\nIs the passage relevant to the query? Think in one sentence.\nThought:"
think: {open: "Thought:", close: "Answer (yes or no):", budget: 16}
words: [[" yes", " Yes"], [" no", " No"]]
`

// recipe reranks by a recipe. One that was made for another model may have no usable answer, which is an
// outcome; a refusal by the server is not.
func recipe(name string, more ...string) func(context.Context, *bench) (string, error) {
	return func(ctx context.Context, b *bench) (string, error) {
		if err := os.WriteFile(filepath.Join(b.dir, "thinks.yaml"), []byte(thinks), 0o666); err != nil {
			return "", err
		}
		return b.with(ctx, b.gguf, func() (string, error) {
			args := append([]string{"--recipe", name, "--document-bytes", "300", "--unusable", "100%"}, more...)
			out, err := b.ask(ctx, b.rerank("by-"+strings.TrimSuffix(name, ".yaml"), args...)...)
			switch {
			case err != nil && name != "thinks.yaml" && strings.Contains(out, "can be used; the first:"):
				return "exit 1: " + complaint(out), nil
			case err != nil:
				return "", fmt.Errorf("%w: %s", err, complaint(out))
			case name == "thinks.yaml" && !strings.Contains(said(out), "36 answered"):
				return "", fmt.Errorf("want thoughts and a verdict for 18 documents: %s", said(out))
			}
			return said(out), nil
		}, chatServer...)
	}
}

// pointwiseFits checks that one token is asked for each document, and that ranks do not tie.
func pointwiseFits(out string) error {
	if strings.Contains(out, "ranks tie") || !strings.Contains(said(out), "18 answered") || !strings.Contains(said(out)+" ", ", 18 out ") {
		return fmt.Errorf("want 18 answers of one token and no ties: %s", said(out))
	}
	return nil
}

// again repeats the pointwise ranking: nothing is asked.
func again(ctx context.Context, b *bench) (string, error) {
	return b.with(ctx, b.gguf, func() (string, error) {
		out, err := b.ask(ctx, b.rerank("again", "--document-bytes", "300", "--how", "pointwise")...)
		if err == nil && b.gate.counts() != "" {
			err = fmt.Errorf("%s", b.gate.counts())
		}
		return said(out), err
	}, chatServer...)
}

// backSoon kills the server after the fifth answer and starts another three seconds later: the
// command waits and goes on.
func backSoon(ctx context.Context, b *bench) (string, error) {
	first, err := b.serve(ctx, b.gguf, chatServer...)
	if err != nil {
		return "", err
	}
	defer first.stop()
	back := make(chan error, 1)
	b.gate.afterAnswers(func(n int) {
		if n != 5 {
			return
		}
		b.gate.leadTo(nil)
		first.stop()
		go func() {
			time.Sleep(3 * time.Second)
			_, err := b.serve(ctx, b.gguf, chatServer...)
			back <- err
		}()
	})
	out, err := b.ask(ctx, b.rerank("back", "--document-bytes", "250")...)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, complaint(out))
	}
	defer b.gate.stopped()
	if err := <-back; err != nil {
		return "", err
	}
	return fmt.Sprintf("%s; %d asked twice", said(out), b.gate.repeated()), b.askedOnce(18)
}

// askedOnce checks the number of answered questions.
func (b *bench) askedOnce(want int) error {
	b.gate.mu.Lock()
	got := b.gate.answered
	b.gate.mu.Unlock()
	if got != want || b.gate.repeated() != 0 {
		return fmt.Errorf("%d answers, %d of them to repeated questions; want %d and 0", got, b.gate.repeated(), want)
	}
	return nil
}

// givenUp kills the server after the fifth answer. The command gives up; when the server is there
// again, the same command asks the rest.
func givenUp(ctx context.Context, b *bench) (string, error) {
	args := b.rerank("given-up", "--document-bytes", "240")
	failed, err := b.with(ctx, b.gguf, func() (string, error) {
		b.gate.afterAnswers(func(n int) {
			if n == 5 {
				b.gate.leadTo(nil)
			}
		})
		out, err := b.ask(ctx, args...)
		if err == nil || ctx.Err() != nil {
			return "", errors.Join(errors.New("the command did not fail without a server"), err)
		}
		return "exit 1: " + complaint(out), nil
	}, chatServer...)
	if err != nil {
		return failed, err
	}
	return b.with(ctx, b.gguf, func() (string, error) {
		out, err := b.ask(ctx, args...)
		if err != nil {
			return failed, fmt.Errorf("%w: %s", err, complaint(out))
		}
		return failed + "; the same command: " + said(out), b.askedOnce(18)
	}, chatServer...)
}

// tooLong asks about documents that do not fit the server's context.
func tooLong(ctx context.Context, b *bench) (string, error) {
	return b.with(ctx, b.gguf, func() (string, error) {
		out, err := b.ask(ctx, b.rerank("too-long", "--document-bytes", "3000")...)
		if err == nil {
			return said(out), errors.New("want an error")
		}
		if !strings.Contains(out, "--document-bytes") {
			err = fmt.Errorf("the error names no way out: %s", complaint(out))
		} else {
			err = nil
		}
		return "exit 1: " + complaint(out), err
	}, "--ctx-size", "256", "--parallel", "1")
}

// cut asks for grades with too few tokens: answers that were cut are counted, and nothing is ranked.
func cut(ctx context.Context, b *bench) (string, error) {
	return b.with(ctx, b.gguf, func() (string, error) {
		out, err := b.ask(ctx, b.rerank("cut", "--how", "graded", "--depth", "1", "--document-bytes", "100", "--answer-tokens", "4")...)
		if err == nil || !strings.Contains(out, "the answer was cut after 4 tokens") {
			return said(out), fmt.Errorf("want an error about cut answers: %s", complaint(out))
		}
		return "exit 1: " + complaint(out), nil
	}, chatServer...)
}

// fullSlot asks while the only slot of the server is busy. The server answers 503 only to a request
// for its slots that asks for this; questions wait.
func fullSlot(ctx context.Context, b *bench) (string, error) {
	return b.with(ctx, b.gguf, func() (string, error) {
		long := make(chan int, 1)
		go func() {
			status, _ := b.post(ctx, `{"messages":[{"role":"user","content":"Count to one thousand in words."}],"max_tokens":60,"temperature":0}`)
			long <- status
		}()
		busy := ""
		for range 50 {
			if busy = b.get(ctx, "/slots?fail_on_no_slot=1"); strings.HasPrefix(busy, "503") {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		status, _ := b.post(ctx, `{"messages":[{"role":"user","content":"Say yes."}],"max_tokens":1,"temperature":0}`)
		if first := <-long; first != 200 || status != 200 || !strings.HasPrefix(busy, "503") {
			return "", fmt.Errorf("the questions have status %d and %d, the slots %s", first, status, busy)
		}
		return "a question waits and is answered; /slots?fail_on_no_slot=1: " + busy, nil
	}, chatServer...)
}

// post asks a question without infbench.
func (b *bench) post(ctx context.Context, body string) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.gate.url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// get returns the status and the beginning of a page of the server.
func (b *bench) get(ctx context.Context, path string) string {
	to := b.gate.target()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String()+path, nil)
	if err != nil {
		return err.Error()
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	return fmt.Sprintf("%d %s", answer.StatusCode, text)
}

// twoClients runs two commands that share a folder of answers and ask the same questions.
func twoClients(ctx context.Context, b *bench) (string, error) {
	return b.with(ctx, b.gguf, func() (string, error) {
		type result struct {
			out string
			err error
		}
		results := make(chan result, 2)
		for _, out := range []string{"client-1", "client-2"} {
			go func() {
				text, err := b.ask(ctx, b.rerank(out, "--document-bytes", "200")...)
				results <- result{text, err}
			}()
		}
		for range 2 {
			if r := <-results; r.err != nil {
				return "", fmt.Errorf("%w: %s", r.err, complaint(r.out))
			}
		}
		var scores [2]string
		for i, out := range []string{"client-1", "client-2"} {
			text, err := os.ReadFile(filepath.Join(b.dir, out, "scores.jsonl"))
			if err != nil {
				return "", err
			}
			scores[i] = string(text)
		}
		if scores[0] != scores[1] {
			return "", errors.New("the two clients have different scores")
		}
		return fmt.Sprintf("both end with the same scores; %d of 18 questions were asked by both", b.gate.repeated()), nil
	}, append(chatServer[:2:2], "--parallel", "2")...)
}

// curate makes a corpus of ten pairs with the model as author and judge, and counts what removes
// records.
func curate(ctx context.Context, b *bench) (string, error) {
	file := fmt.Sprintf(`name: real-llm
seed: 1
seeds: [{from: mini-infir, records: 10}]
poisons: []
author: {chat: %s, url: %q}
judges:
  - {chat: %s, url: %q}
keep: last
`, model, b.gate.url, model, b.gate.url)
	if err := os.WriteFile(filepath.Join(b.dir, "corpus.yaml"), []byte(file), 0o666); err != nil {
		return "", err
	}
	return b.with(ctx, b.gguf, func() (string, error) {
		out, err := b.ask(ctx, "curate", "corpus.yaml")
		stages := strings.Join(stageLine.FindAllString(out, -1), "; ")
		if err != nil {
			return stages + "; exit 1: " + complaint(out), nil
		}
		return stages, nil
	}, chatServer...)
}

// stageLine counts what a stage left and dropped.
var stageLine = regexp.MustCompile(`(?m)^stage .+$`)
