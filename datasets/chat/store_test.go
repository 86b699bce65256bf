package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"infbench/internal/testkit/chattest"
	"infbench/internal/testkit/tracer"
)

// modelFunc is a function as a model.
type modelFunc func(Request) (Answer, error)

func (f modelFunc) Ask(_ context.Context, r Request) (Answer, error) { return f(r) }

// counted answers with an increasing number, so never the same twice.
func counted(n *int) Model {
	return modelFunc(func(r Request) (Answer, error) {
		*n++
		return Answer{Text: fmt.Sprintf("%s, answer %d", r.last(), *n), Input: 3, Output: 2}, nil
	})
}

// TestCached: an answered question is not asked again, in this process or another, and a recording
// answers without a model.
func TestCached(t *testing.T) {
	dir, asked := t.TempDir(), 0
	first, err := NewCached(counted(&asked), NewStore(dir, "a")).Ask(t.Context(), question("q"))
	if err != nil || first.Cached {
		t.Fatal(first, err)
	}
	again, err := NewCached(counted(&asked), NewStore(dir, "a")).Ask(t.Context(), question("q"))
	if err != nil || !again.Cached || again.Text != first.Text || again.Input != 3 || again.Output != 2 || asked != 1 {
		t.Errorf("%+v, %v after %d questions", again, err, asked)
	}
	replay, err := OpenReplay(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := replay.Ask(t.Context(), question("q")); err != nil || !reflect.DeepEqual(got, again) {
		t.Errorf("replayed %+v, %v", got, err)
	}
	if _, err := replay.Ask(t.Context(), question("another thing")); ClassOf(err) != NotRecorded || !strings.Contains(err.Error(), `"another thing"`) {
		t.Errorf("not recorded: %v", err)
	}
	other := question("q")
	other.Seed = 2
	for store, r := range map[*Store]Request{NewStore(dir, "b"): question("q"), NewStore(dir, "a"): other} {
		if got, err := NewCached(counted(&asked), store).Ask(t.Context(), r); err != nil || got.Cached {
			t.Errorf("of another origin or seed: %+v, %v", got, err)
		}
	}
	if _, err := replay.Ask(t.Context(), question("q")); err == nil || !strings.Contains(err.Error(), "two answers") {
		t.Errorf("two origins: %v", err)
	}
}

// TestCachedFailures: a paid answer is stored even if it is unusable; a failure without cost is
// not.
func TestCachedFailures(t *testing.T) {
	dir := t.TempDir()
	for class, want := range map[Class]int{Refused: 1, Truncated: 1, Malformed: 1, Limited: 2, ServerFault: 2, TimedOut: 2} {
		asked := 0
		model := modelFunc(func(Request) (Answer, error) {
			asked++
			return Answer{Text: "x", Input: 1}, &Error{class, errors.New("why")}
		})
		for range 2 {
			answer, err := NewCached(model, NewStore(dir, "a")).Ask(t.Context(), question(string(class)))
			if ClassOf(err) != class || err.Error() != "why" || answer.Text != "x" {
				t.Errorf("%s: %+v, %v", class, answer, err)
			}
		}
		if asked != want {
			t.Errorf("%s: asked %d times, want %d", class, asked, want)
		}
	}
}

// TestDamagedStore: a changed or truncated file is named, not used, and not paid again.
func TestDamagedStore(t *testing.T) {
	dir, asked := t.TempDir(), 0
	c := NewCached(counted(&asked), NewStore(dir, "a"))
	if _, err := c.Ask(t.Context(), question("q")); err != nil {
		t.Fatal(err)
	}
	path := storedFiles(t, dir)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{whole[:len(whole)/2], bytes.Replace(whole, []byte("answer 1"), []byte("answer 2"), 1), nil} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), question("q")); err == nil || !strings.Contains(err.Error(), "is damaged") || asked != 1 {
			t.Errorf("error %v after %d questions", err, asked)
		}
	}
}

// storedFiles lists the answers in a folder.
func storedFiles(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCachedTogether: equal concurrent questions are paid once; two processes with different
// answers end with the same one.
func TestCachedTogether(t *testing.T) {
	dir, asked := t.TempDir(), 0
	c := NewCached(counted(&asked), NewStore(dir, "a")) // the race detector would report asked
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if a, err := c.Ask(t.Context(), question("q")); err != nil || a.Text != "q, answer 1" {
				t.Error(a, err)
			}
		})
	}
	group.Wait()
	if len(c.busy) != 0 {
		t.Errorf("%d turns are left", len(c.busy))
	}
	other := NewStore(dir, "a")
	slow := modelFunc(func(r Request) (Answer, error) { // another process answers meanwhile
		_, err := NewCached(counted(&asked), other).Ask(context.Background(), r)
		return Answer{Text: "late", Output: 1}, err
	})
	if a, err := NewCached(slow, other).Ask(t.Context(), question("r")); err != nil || a.Text != "r, answer 2" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, path := range storedFiles(t, dir) {
		if strings.Contains(path, ".tmp-") {
			t.Errorf("%s is left", path)
		}
	}
}

// TestKeyInNoFile: no file of a cache contains the key, whatever the endpoint does with it.
func TestKeyInNoFile(t *testing.T) {
	dir := t.TempDir()
	s := chattest.New(t, fine, chattest.EchoAnswer, chattest.Refuse("no, "+canary), chattest.Cut(canary), chattest.Say(canary))
	c := newClient(t, s.URL, nil)
	cached := NewCached(c, NewStore(dir, c.Origin()))
	for i := range 4 {
		r := question(fmt.Sprint(i))
		if i == 0 {
			r.Schema = nil
		}
		_, err := cached.Ask(t.Context(), r)
		if strings.Contains(fmt.Sprint(err), canary) {
			t.Error(err)
		}
	}
	files := storedFiles(t, dir)
	if len(files) != 4 {
		t.Errorf("%d files", len(files))
	}
	for _, path := range files {
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte(canary)) {
			t.Errorf("%s: %v %s", path, err, text)
		}
	}
}

func TestBudget(t *testing.T) {
	prices := map[string]Price{"m": {Input: 1, Output: 10}}
	r := question("q")
	worst := prices["m"].Cost(r.AtMost(), r.MaxTokens)
	for name, limits := range map[string]Limits{
		"tokens": {Tokens: 3 * int64(r.AtMost()+r.MaxTokens)},
		"money":  {Money: 3.001 * worst, Prices: prices},
	} {
		s := chattest.New(t, fine)
		budget, err := NewBudget(limits)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, s.URL, func(o *Options) { o.Budget = budget; o.Parallel = 8 })
		var answered, stopped int
		var group sync.WaitGroup
		var mu sync.Mutex
		for i := range 100 {
			group.Go(func() {
				_, err := c.Ask(t.Context(), question(fmt.Sprint(i%10)))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					answered++
				case ClassOf(err) == OverBudget && errors.Is(err, ErrBudget):
					stopped++
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		tokens, money := budget.Spent()
		if limits.Tokens > 0 && tokens > limits.Tokens || limits.Money > 0 && money > limits.Money {
			t.Errorf("%s: spent %d and %g of %+v", name, tokens, money, limits)
		}
		if answered < 4 || stopped == 0 || answered+stopped != 100 || len(s.Asked()) != answered {
			t.Errorf("%s: %d answered, %d stopped, %d sent", name, answered, stopped, len(s.Asked()))
		}
	}
}

// TestBudgetOfFailures: a request with unknown outcome counts as its worst case; a rejected one
// costs nothing.
func TestBudgetOfFailures(t *testing.T) {
	r := question("q")
	most := int64(r.AtMost() + r.MaxTokens)
	for name, c := range map[string]struct {
		reply chattest.Reply
		want  int64
	}{
		"hang":  {chattest.Hang, most},
		"reset": {chattest.Reset, most},
		"401":   {chattest.Status(401, ""), 0},
		"429":   {chattest.Status(429, "", "Retry-After", "60"), 0},
		"error": {chattest.Status(200, `{"error": "x"}`), 0},
		"page":  {chattest.Status(200, `<html>`), most},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := chattest.NewInBubble(t, fine, c.reply)
			budget, err := NewBudget(Limits{Tokens: 1e6})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := newClient(t, s.URL, func(o *Options) {
				o.Transport, o.Budget, o.Attempts = s.Transport, budget, 1
			}).Ask(t.Context(), r); err == nil {
				t.Errorf("%s: no error", name)
			}
			if got, _ := budget.Spent(); got != c.want {
				t.Errorf("%s: spent %d, want %d", name, got, c.want)
			}
		})
	}
}

func TestBudgetLimits(t *testing.T) {
	for want, l := range map[string]Limits{
		"negative":                   {Tokens: -1},
		"needs prices":               {Money: 1},
		"the price of m is negative": {Money: 1, Prices: map[string]Price{"m": {Input: -1}}},
	} {
		if _, err := NewBudget(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	budget, err := NewBudget(Limits{Money: 1, Prices: map[string]Price{"mm": {}}})
	if err != nil {
		t.Fatal(err)
	}
	unbounded := question("q")
	unbounded.MaxTokens = 0
	for want, r := range map[string]Request{`unknown model with a price "m"`: question("q"), "has no max_tokens": unbounded} {
		if _, err := budget.reserveNow(&r); ClassOf(err) != OverBudget || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestForecast(t *testing.T) {
	var f Forecast
	r, known := question("q"), question("k")
	unbounded := Request{Model: "other", Messages: []Message{{User, "12345678"}}}
	f.Add(&r, false, map[string]Price{"m": {Input: 2, Output: 4}})
	f.Add(&known, true, nil)
	f.Add(&unbounded, false, nil)
	if f.Questions != 3 || f.Known != 1 || f.Unbounded != 1 || f.Unpriced != 1 || f.OutputAtMost != 50 ||
		f.Input != r.Estimate()+2+4 || f.InputAtMost < f.Input || f.Money != (Price{2, 4}).Cost(r.Estimate(), 50) || f.MoneyAtMost < f.Money {
		t.Errorf("%+v", f)
	}
}

func TestUsage(t *testing.T) {
	dir, asked := t.TempDir(), 0
	prices := map[string]Price{"m": {1e6, 1e6}}
	for i, want := range []string{
		"1 answered (0 of all questions from cache), 1 refused; 4 tokens in, 2 out, cost 6.0000",
		"1 answered (2 of all questions from cache), 1 refused; 4 tokens in, 2 out",
	} {
		a := NewAsker(NewCached(modelFunc(func(r Request) (Answer, error) {
			if asked++; r.last() == "bad" {
				return Answer{Input: 1}, &Error{Refused, errors.New("no")}
			}
			return Answer{Text: "fine", Input: 3, Output: 2}, nil
		}), NewStore(dir, "a")), prices)
		for _, q := range []string{"good", "bad"} {
			a.Ask(t.Context(), question(q))
		}
		if u := a.Usage(); u.String() != want || asked != 2 {
			t.Errorf("run %d: %s, want %s; asked %d", i, u.String(), want, asked)
		}
	}
}

func batched(t *testing.T, s *chattest.Server, dir string) (*Batcher, *Cached) {
	c := newClient(t, s.URL, nil)
	store := NewStore(dir, c.Origin())
	return NewBatcher(c, store, 1), NewCached(c, store)
}

// TestBatch: the answers of a batch are found in the cache; missing, failed and invented answers
// are counted.
func TestBatch(t *testing.T) {
	s := chattest.New(t, fine)
	s.SetBatches(chattest.BatchFaults{Polls: 2, Drop: "q3", Fail: "q5", Alien: true})
	batcher, cached := batched(t, s, t.TempDir())
	var requests []Request
	for i := range 10 {
		requests = append(requests, question(fmt.Sprintf("q%d", i)), question(fmt.Sprintf("q%d", i)))
	}
	result, err := batcher.Prefetch(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	if result.Sent != 10 || result.Answered != 8 || result.Failures[Lost] != 1 || result.Failures[ServerFault] != 1 || result.Failures[WrongRecord] != 1 || len(result.Failures) != 3 {
		t.Errorf("%+v", result)
	}
	before := len(s.Asked())
	for i, r := range requests {
		answer, err := cached.Ask(t.Context(), r)
		if err != nil || answer.Text != answerTo(r.last()) || i/2 != 3 && i/2 != 5 && !answer.Cached {
			t.Errorf("%s: %+v, %v", r.last(), answer, err)
		}
	}
	if n := len(s.Asked()) - before; n != 2 {
		t.Errorf("%d were asked singly, want 2", n)
	}
	if result, err := batcher.Prefetch(t.Context(), requests); err != nil || result.Sent != 0 || s.BatchCount() != 1 {
		t.Errorf("again: %+v, %v", result, err)
	}
	for _, h := range s.Headers() {
		if h.Get("Authorization") != "Bearer "+canary {
			t.Errorf("key %q", h.Get("Authorization"))
		}
	}
}

// TestBatchResumes: a process that ends during a batch, at any point, pays nothing twice.
func TestBatchResumes(t *testing.T) {
	requests := []Request{question("a"), question("b")}
	for name, stop := range map[string]func(cancel func()) chattest.BatchFaults{
		"when it was made":   func(cancel func()) chattest.BatchFaults { return chattest.BatchFaults{OnNew: cancel} },
		"while it is worked": func(cancel func()) chattest.BatchFaults { return chattest.BatchFaults{Polls: 1 << 30, OnPoll: cancel} },
	} {
		s, dir := chattest.New(t, fine), t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		s.SetBatches(stop(cancel))
		first, _ := batched(t, s, dir)
		if _, err := first.Prefetch(ctx, requests); err == nil {
			t.Fatal("no error")
		}
		s.SetBatches(chattest.BatchFaults{})
		second, _ := batched(t, s, dir)
		result, err := second.Prefetch(t.Context(), append(requests, question("c")))
		if err != nil || result.Answered != 3 || s.BatchCount() != 2 || len(s.Asked()) != 3 {
			t.Errorf("%s: %+v, %v in %d batches with %d questions", name, result, err, s.BatchCount(), len(s.Asked()))
		}
		if open, err := second.open(); err != nil || len(open) != 0 {
			t.Errorf("%s: left open %v, %v", name, open, err)
		}
	}
}

// TestBatchFails: a batch that ended without answers, or over the budget, returns an error.
func TestBatchFails(t *testing.T) {
	s := chattest.New(t, fine)
	s.SetBatches(chattest.BatchFaults{Status: "failed", Drop: "a"})
	batcher, _ := batched(t, s, t.TempDir())
	result, err := batcher.Prefetch(t.Context(), []Request{question("a")})
	if ClassOf(err) != Lost || result.Failures[Lost] != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	budget, err := NewBudget(Limits{Tokens: 500})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, s.URL, func(o *Options) { o.Budget = budget })
	_, err = NewBatcher(c, NewStore(t.TempDir(), "x"), 1).Prefetch(t.Context(), []Request{question("a"), question("b")})
	if !errors.Is(err, ErrBudget) || s.BatchCount() != 1 {
		t.Errorf("over budget: %v after %d batches", err, s.BatchCount())
	}
	if spent, _ := budget.Spent(); spent != 0 || budget.reserved.tokens != 0 {
		t.Errorf("%d spent and %d set aside", spent, budget.reserved.tokens)
	}
}

func TestBatchParts(t *testing.T) {
	batcher, _ := batched(t, chattest.New(t, fine), t.TempDir())
	long := strings.Repeat("x", maxBatchBytes/7)
	var requests []Request
	for i := range 7 {
		requests = append(requests, question(fmt.Sprint(i)+long))
	}
	parts, err := batcher.parts(requests)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, p := range parts {
		sizes = append(sizes, len(p.Requests))
	}
	if !slices.Equal(sizes, []int{3, 3, 1}) {
		t.Errorf("parts of %v", sizes)
	}
}

// TestStoreSurvivesPowerLoss: an operation fails while an answer is stored. An answer reported as
// stored exists afterwards, and any other is asked again.
func TestStoreSurvivesPowerLoss(t *testing.T) {
	ask := func(dir string) (text string, asked int, err error) {
		reply, err := NewCached(counted(&asked), NewStore(filepath.Join(dir, "answers"), "a")).Ask(t.Context(), question("q"))
		return reply.Text, asked, err
	}
	keep := func(dir string) {
		if text, _, err := ask(dir); err == nil {
			fmt.Print(text)
		}
	}
	tracer.EachFault(t, nil, keep, func(what, dir, said string) {
		again, asked, err := ask(dir)
		if err != nil || said != "" && (again != said || asked != 0) {
			t.Errorf("%s: %q after %q, asked %d times again: %v", what, again, said, asked, err)
		}
	})
}
