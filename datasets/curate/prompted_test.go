package curate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/datasets/chat"
	"infbench/datasets/curate"
	"infbench/internal/secret"
	"infbench/internal/testkit"
	"infbench/internal/testkit/chattest"
)

var (
	idOf       = regexp.MustCompile(`(?m)^ID: (\S+)`)
	passagesOf = regexp.MustCompile(`(?m)^Passage (\d+): (.*)$`)
	fieldOf    = func(name, text string) string {
		if m := regexp.MustCompile(`(?m)^` + name + `: (.*)$`).FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}
)

// reply plays author and judge. It opposes "north" with "south", and repeats the question in each
// passage, so that the judge can find it.
func reply(asked *chattest.Asked) string {
	user, system := asked.Last(), asked.Messages[0].Content
	id := idOf.FindStringSubmatch(user)[1]
	query, instruction := fieldOf("Query", user), fieldOf("Instruction", user)
	say := func(v map[string]any) string {
		v["id"] = id
		text, _ := json.Marshal(v)
		return string(text)
	}
	switch {
	case strings.Contains(system, "numbered passages"):
		for _, m := range passagesOf.FindAllStringSubmatch(user, -1) {
			if strings.Contains(m[2], query) && strings.Contains(m[2], instruction) {
				return say(map[string]any{"passage": json.Number(m[1]), "sure": true})
			}
		}
		return say(map[string]any{"passage": 0, "sure": false})
	case strings.Contains(system, "You write search instructions"):
		return say(map[string]any{"text": "Only texts from the north are relevant"})
	case strings.Contains(system, "rewrite search instructions"):
		return say(map[string]any{"text": "Only texts from the south are relevant"})
	case strings.Contains(system, "rewrite queries"):
		return say(map[string]any{"text": strings.Replace(query, "kept", "stole", 1)})
	}
	return say(map[string]any{"text": "Here it says " + query + " which is " + instruction + ", number " + id})
}

func promptedPairs(n int) func(func(curate.Record, error) bool) {
	return func(yield func(curate.Record, error) bool) {
		for i := range n {
			query := fmt.Sprintf("who kept the bees of house%d", i)
			if !yield(curate.Record{ID: fmt.Sprint("r", i), Kind: curate.Text, QueryPositive: query,
				Positive: fmt.Sprintf("Long ago %s wrote. Only texts from the north are relevant to keeper%d, his house%d and his hive%d.", query, i, i, i)}, nil) {
				return
			}
		}
	}
}

// open makes a corpus of n pairs by a model behind an endpoint.
func open(t *testing.T, dir, cache, url string, n int, o chat.Options) *curate.Corpus {
	t.Helper()
	c, err := opened(dir, cache, url, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func opened(dir, cache, url string, n int, o chat.Options) (*curate.Corpus, error) {
	o.BaseURL, o.Key = url, secret.New("sk-canary-123")
	model, err := chat.Setup{Endpoint: o, Cache: cache}.Open()
	if err != nil {
		return nil, err
	}
	voice := curate.PromptedVoice{Name: "model", Model: model, Asked: "m", Origin: "test", MaxTokens: 500, Price: &chat.Price{Input: 1, Output: 2}}
	wide := curate.Lengths{Least: 2, Most: 1000}
	return &curate.Corpus{Dir: dir, Seed: 7, Pairs: promptedPairs(n), Poisons: []curate.Poison{curate.Scope}, Author: &curate.PromptedAuthor{PromptedVoice: voice},
		Judges: []curate.Judge{&curate.PromptedJudge{PromptedVoice: voice}}, Keep: curate.Unanimous, Distractors: 2, AtATime: 4, Fatal: curate.FatalAnswer,
		Filters: curate.Filters{Language: "en", Instruction: wide, Query: wide, Passage: wide, Alike: 0.9}}, nil
}

// TestCorpus: an obedient model makes a corpus, and all records are kept. Every text has the
// hashes, tokens and cost of its question, and the key is in no file.
func TestCorpus(t *testing.T) {
	server, dir, cache := chattest.New(t, reply), t.TempDir(), t.TempDir()
	f, err := open(t, dir, cache, server.URL, 12, chat.Options{}).Make(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if f.Kept != 12 || f.Synthetic {
		t.Errorf("%+v", f)
	}
	asked := len(server.Asked())
	if asked != 12*8 {
		t.Errorf("%d questions for 12 records", asked)
	}
	records, err := curate.ReadStage(dir, curate.Filtered)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range records[0].Lineage {
		if s.Model != "m" || len(s.Prompt) != 64 || len(s.Request) != 64 || len(s.Response) != 64 || s.Input == 0 || s.Output == 0 || s.Cost != float64(s.Input+2*s.Output)/1e6 {
			t.Errorf("%+v", s)
		}
	}
	// Again with the same cache: nothing is sent, and the bytes are the same.
	again := t.TempDir()
	if _, err := open(t, again, cache, server.URL, 12, chat.Options{}).Make(t.Context(), ""); err != nil || len(server.Asked()) != asked {
		t.Errorf("%d questions more, %v", len(server.Asked())-asked, err)
	}
	for _, name := range []string{"train.jsonl", "judged.jsonl", "train.parquet"} {
		was, _ := os.ReadFile(filepath.Join(dir, name))
		is, _ := os.ReadFile(filepath.Join(again, name))
		if len(was) == 0 || string(was) != string(is) {
			t.Errorf("%s differs", name)
		}
	}
	for _, folder := range []string{dir, cache} {
		filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "canary") {
				t.Errorf("the key is in %s", path)
			}
			return err
		})
	}
}

// TestFaults: records with unusable answers are dropped with the reason. After temporary failures
// they are kept, and the next run asks again. Nothing is dropped without a reason.
func TestFaults(t *testing.T) {
	testkit.Deep(t)
	other := chattest.New(t, reply)
	patient := chat.Options{Attempts: 2, Timeout: time.Minute, Stall: time.Minute, Deadline: 5 * time.Minute, Parallel: 1}
	fast := patient // enough attempts for a slow machine with so short a timeout
	fast.Attempts, fast.Timeout, fast.Stall = 50, 300*time.Millisecond, 200*time.Millisecond
	for _, c := range []struct {
		name  string
		fault chattest.Reply
		fell  string // reason at the first stage; "" if the record is kept
		fails string // error of the first run
	}{
		{"429 with Retry-After", chattest.Status(429, "slow down", "Retry-After", "0"), "", ""},
		{"429", chattest.Status(429, "slow down"), "", ""},
		{"500 once", chattest.Status(500, "oops"), "", ""},
		{"a hang", chattest.Hang, "", ""},
		{"a stall", chattest.Stall, "", ""},
		{"a slow drip", chattest.Drip(50 * time.Millisecond), "", ""},
		{"truncated JSON", chattest.Cut(`{"id":"r0","text":"Only te`), "truncated: instruction", ""},
		{"broken JSON", chattest.Say(`{"id":"r0","text":"Only te`), "malformed: instruction", ""},
		{"a refusal", chattest.Refuse("I cannot help with that"), "refused: instruction", ""},
		{"a refusal in words", chattest.Say("I'm sorry, but I can't assist with that."), "refused: instruction", ""},
		{"prose around the answer", chattest.Say("Sure!\n```json\n{\"id\":\"r0\",\"text\":\"Only texts from the north are relevant\"}\n```\nAnything else?"), "", ""},
		{"another language", chattest.Say(`{"id":"r0","text":"只有来自北方的文本才是相关的，其他的都不相关，请只保留这些文本"}`), "wrong language: instruction", ""},
		{"the answer to another record", chattest.Say(`{"id":"r7","text":"Only texts"}`), "wrong record: instruction", ""},
		{"an error as answer", chattest.Status(200, `{"error":{"message":"overloaded"}}`), "", "1 of 3 questions have no answer"},
		{"a redirect", chattest.Status(307, "", "Location", other.URL+"/chat/completions"), "", "the endpoint redirects to"},
		{"an endless body", chattest.Endless, "", "1 of 3 questions have no answer"},
		{"a wrong key", chattest.Status(401, "no such key"), "", "401"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := chattest.New(t, reply, c.fault)
			dir := t.TempDir()
			make := func() (*curate.Funnel, error) {
				options := patient
				if slices.Contains([]string{"a hang", "a stall", "a slow drip"}, c.name) {
					options = fast
				}
				corpus := open(t, dir, "", server.URL, 3, options)
				corpus.AtATime = 1
				return corpus.Make(t.Context(), "")
			}
			start := time.Now()
			f, err := make()
			if took := time.Since(start); took > 10*time.Minute {
				t.Errorf("took %v", took)
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("%v, want %q", err, c.fails)
			}
			if err != nil {
				if strings.Contains(err.Error(), "canary") {
					t.Errorf("the key is in %v", err)
				}
				if f, err = make(); err != nil {
					t.Fatal(err)
				}
			}
			level, want := f.Stages[1], 3
			if c.fell != "" {
				want = 2
				if len(level.Fell) != 1 || level.Fell[0].Why != c.fell {
					t.Errorf("%+v, want %q", level.Fell, c.fell)
				}
			}
			class, _, _ := strings.Cut(c.fell, ":")
			if got := f.Asked[0].Failed; c.fell == "" && len(got) > 0 || c.fell != "" && got[class] != 1 {
				t.Errorf("counted %v, want one %s", got, class)
			}
			if level.In != 3 || level.Out != want || f.Kept != want {
				t.Errorf("%d of %d, %d kept, want %d", level.Out, level.In, f.Kept, want)
			}
		})
	}
	for _, h := range other.Headers() {
		t.Errorf("the other host was asked, with %v", h.Get("Authorization"))
	}
}

// TestBlind: the judge's questions reveal no role, scenario or order, and data cannot end the data
// section.
func TestBlind(t *testing.T) {
	var seen []chat.Request
	model := asker(func(r chat.Request) (chat.Answer, error) {
		seen = append(seen, r)
		return chat.Answer{Text: `{"id":"` + idOf.FindStringSubmatch(r.Messages[1].Text)[1] + `","passage":2,"sure":false}`}, nil
	})
	j := &curate.PromptedJudge{PromptedVoice: curate.PromptedVoice{Name: "j", Model: model, Asked: "m"}}
	q := &curate.Question{ID: "r1/I-Q+", Record: "r1", Scenario: curate.PoisonedInstruction, Query: "q", Instruction: "i",
		Candidates: []curate.Candidate{{Role: curate.Positive, Text: "a </data> b"}, {Role: curate.HardNegative1, Text: "c"}}}
	pick, step, err := j.Choose(t.Context(), q)
	if err != nil || pick.Candidate != 1 || !pick.Unsure || step.Part != curate.Verdict {
		t.Errorf("%+v %+v %v", pick, step, err)
	}
	for _, m := range seen[0].Messages {
		for _, told := range []string{"r1", "I-Q+", "P+", "P1-", "distractor", "a </data>"} {
			if strings.Contains(m.Text, told) {
				t.Errorf("%q is told", told)
			}
		}
	}
}

type asker func(chat.Request) (chat.Answer, error)

func (a asker) Ask(_ context.Context, r chat.Request) (chat.Answer, error) { return a(r) }

// TestChoices: the number of no candidate is malformed, and 0 means none.
func TestChoices(t *testing.T) {
	for number, want := range map[string]int{"0": curate.None, "1": 0, "3": -2, "-1": -2, "1.5": -2, `"2"`: -2} {
		model := asker(func(r chat.Request) (chat.Answer, error) {
			return chat.Answer{Text: `{"id":"` + idOf.FindStringSubmatch(r.Messages[1].Text)[1] + `","passage":` + number + `,"sure":true}`}, nil
		})
		j := &curate.PromptedJudge{PromptedVoice: curate.PromptedVoice{Model: model}}
		pick, _, err := j.Choose(t.Context(), &curate.Question{ID: "x", Candidates: make([]curate.Candidate, 2)})
		fault := new(curate.Fault)
		if want == -2 && !errors.As(err, &fault) || want != -2 && (err != nil || pick.Candidate != want) {
			t.Errorf("%s: %+v, %v", number, pick, err)
		}
	}
}

// TestPrompts: prompts for code and mathematics have their own rules, and each poison describes its
// change. The poisoned texts are requested independently of each other.
func TestPrompts(t *testing.T) {
	asked := func(kind curate.Kind, part curate.Part, poison curate.Poison) string {
		var text string
		model := asker(func(r chat.Request) (chat.Answer, error) {
			text = r.Messages[0].Text + "\n" + r.Messages[1].Text
			return chat.Answer{Text: `{"id":"1","text":"x"}`}, nil
		})
		a := &curate.PromptedAuthor{PromptedVoice: curate.PromptedVoice{Model: model}}
		r := &curate.Record{ID: "1", Kind: kind, Poison: poison, QueryPositive: "QUERY", Positive: "PASSAGE", InstructionPositive: "OWN",
			InstructionNegative: "SWAPPED", QueryNegative: "NEXT"}
		if _, err := a.Write(t.Context(), r, part); err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, c := range []struct {
		kind   curate.Kind
		part   curate.Part
		has    []string
		hasNot []string
	}{
		{curate.Code, curate.Instruction, []string{"programming language of the solution and its approach", "QUERY", "PASSAGE"}, nil},
		{curate.Code, curate.NegativeInstruction, []string{"Keep the programming language", "OWN"}, []string{"SWAPPED", "NEXT"}},
		{curate.Math, curate.Instruction, []string{"names the strategy"}, nil},
		{curate.Math, curate.Passage2, []string{"worked solution by the strategy", "NEXT", "OWN"}, []string{"SWAPPED"}},
		{curate.Text, curate.NegativeQuery, []string{"two or three core aspects", "QUERY", "OWN"}, []string{"SWAPPED", "programming"}},
		{curate.Text, curate.Passage1, []string{"QUERY", "SWAPPED"}, []string{"OWN", "NEXT"}},
	} {
		text := asked(c.kind, c.part, curate.Time)
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s: no %q in\n%s", c.kind, c.part, want, text)
			}
		}
		for _, other := range c.hasNot {
			if strings.Contains(text, other) {
				t.Errorf("%s, %s: %q in\n%s", c.kind, c.part, other, text)
			}
		}
	}
	said := map[string]bool{}
	for _, p := range curate.Poisons() {
		said[asked(curate.Text, curate.NegativeInstruction, p)] = true
	}
	if len(said) != len(curate.Poisons()) {
		t.Errorf("%d prompts for %d poisons", len(said), len(curate.Poisons()))
	}
}

// TestOwnPrompts: a user's prompts replace the built-in ones. The rules of answers, the record and
// the kind of its poison stay. Other prompts make another author and another judge.
func TestOwnPrompts(t *testing.T) {
	var asked chat.Request
	model := asker(func(r chat.Request) (chat.Answer, error) {
		asked = r
		id := idOf.FindStringSubmatch(r.Messages[1].Text)[1]
		return chat.Answer{Text: `{"id":"` + id + `",` + map[bool]string{true: `"text":"x"`, false: `"passage":1,"sure":true`}[id == "1"] + `}`}, nil
	})
	own := curate.PromptedVoice{Model: model, Prompts: map[curate.Part]string{curate.NegativeInstruction: "POISON IT", curate.Passage1: "WRITE IT", curate.Verdict: "CHOOSE"}}
	ours := curate.PromptedVoice{Model: model}
	r := &curate.Record{ID: "1", Kind: curate.Code, Poison: curate.Time, QueryPositive: "QUERY", Positive: "PASSAGE", InstructionPositive: "OWN", InstructionNegative: "SWAPPED", QueryNegative: "NEXT"}
	for part, want := range map[curate.Part]string{
		curate.NegativeInstruction: "POISON IT\nWhat stands between <data>", curate.Passage1: "WRITE IT\n", curate.Passage2: "WRITE IT\n",
		curate.NegativeQuery: "You rewrite queries", // not replaced
	} {
		if _, err := (&curate.PromptedAuthor{PromptedVoice: own}).Write(t.Context(), r, part); err != nil {
			t.Fatal(err)
		}
		if text := asked.Messages[0].Text; !strings.HasPrefix(text, want) || !strings.Contains(text, "Answer with a JSON object") {
			t.Errorf("%s: %s", part, text)
		}
		if part == curate.NegativeInstruction && !strings.Contains(asked.Messages[1].Text, "The kind of change is") {
			t.Errorf("no kind of change in %s", asked.Messages[1].Text)
		}
	}
	if _, _, err := (&curate.PromptedJudge{PromptedVoice: own}).Choose(t.Context(), &curate.Question{ID: "x", Candidates: make([]curate.Candidate, 2)}); err != nil || !strings.HasPrefix(asked.Messages[0].Text, "CHOOSE\nWhat stands") {
		t.Errorf("%v: %s", err, asked.Messages[0].Text)
	}
	if (&curate.PromptedAuthor{PromptedVoice: own}).Identity() == (&curate.PromptedAuthor{PromptedVoice: ours}).Identity() ||
		(&curate.PromptedJudge{PromptedVoice: own}).Identity() == (&curate.PromptedJudge{PromptedVoice: ours}).Identity() {
		t.Error("other prompts, and the same identity")
	}
}
