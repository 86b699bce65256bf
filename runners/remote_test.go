package runners

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func encodeTexts(ctx context.Context, r Encoder, texts ...string) ([]float32, error) {
	dst := make([]float32, len(texts)*r.Dim())
	return dst, r.EncodeDocuments(ctx, make([]string, len(texts)), texts, dst)
}

// TestRemoteEncodes: an answer in another order is sorted if it identifies its texts, by index
// or by repeating them. Google's does not.
func TestRemoteEncodes(t *testing.T) {
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		for _, reversed := range []bool{false, true} {
			if reversed && api.ordered {
				continue
			}
			e := &fakeEndpoint{api: api, reversed: reversed}
			r := newRemote(t, e, func(o *RemoteOptions) { o.Parallel = 3 })
			texts := []string{"a", "bad", "cab", "dad", "ebb"}
			got, err := encodeTexts(t.Context(), r, texts...)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, 40)
			for i, text := range texts {
				letters{}.encode(text, want[i*8:])
			}
			if !slices.Equal(got, want) || len(e.times) != 3 || api.key(e.headers[0]) != testKey || e.paths[0] != "/v1"+api.path {
				t.Errorf("reversed %v: %v in %d requests to %s with %q, want %v in 3", reversed, got, len(e.times), e.paths[0], e.headers[0], want)
			}
		}
	})
}

// TestRemoteTexts: queries and documents are joined in the same way everywhere, and
// distinguished if the interface has a field for it.
func TestRemoteTexts(t *testing.T) {
	roles := map[string][]string{
		"openai": {"", ""},
		"cohere": {"search_queryfloat", "search_documentfloat"},
		"google": {"models/m RETRIEVAL_QUERY", "models/m RETRIEVAL_DOCUMENT"},
	}
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		e := &fakeEndpoint{api: api}
		r := newRemote(t, e, func(o *RemoteOptions) { o.QueryTemplate = "Instruct: {instruction}\nQuery: {query}"; o.BatchSize = 9 })
		dst := make([]float32, 24)
		if err := r.EncodeQueries(t.Context(), []string{"q", "{instruction}", "plain"}, []string{"i", "{query}", ""}, dst); err != nil {
			t.Fatal(err)
		}
		if err := r.EncodeDocuments(t.Context(), []string{"title", "", ""}, []string{"text", "text", ""}, dst); err != nil {
			t.Fatal(err)
		}
		want := []string{"Instruct: i\nQuery: q", "Instruct: {query}\nQuery: {instruction}", "plain", "title text", "text", " "}
		if !slices.Equal(e.texts, want) || !slices.Equal(e.roles, roles[api.name]) {
			t.Errorf("sent %q as %q, want %q as %q", e.texts, e.roles, want, roles[api.name])
		}
	})
}

// TestRemoteDimension: the size of vectors is requested if the model has several.
func TestRemoteDimension(t *testing.T) {
	size := func(speak dialect, model string) any {
		_, body := speak.request(&RemoteOptions{Model: model, Dim: 256}, asDocuments, []string{"a"})
		fields := body.(map[string]any)
		if list, ok := fields["requests"].([]map[string]any); ok {
			return list[0]["outputDimensionality"]
		}
		return fields["output_dimension"]
	}
	for _, c := range []struct {
		speak dialect
		model string
		want  any
	}{
		{cohere{}, "embed-v4.0", 256},
		{cohere{}, "embed-english-v3.0", nil},
		{google{}, "gemini-embedding-001", 256},
		{google{}, "models/gemini-embedding-001", 256},
	} {
		if got := size(c.speak, c.model); got != c.want {
			t.Errorf("%s: %v, want %v", c.model, got, c.want)
		}
	}
}

// TestOrderOf: repeated texts give the order, even in lower case. A repetition that is not a
// text of the request is ignored, and no vector is used twice.
func TestOrderOf(t *testing.T) {
	texts := []string{"A", "b", "b", "c"}
	for _, c := range []struct {
		repeated []string
		want     []int
	}{
		{nil, []int{0, 1, 2, 3}},
		{texts, []int{0, 1, 2, 3}},
		{[]string{"c", "b", "b", "a"}, []int{3, 1, 2, 0}},
		{[]string{"A ...", "b", "b", "c"}, []int{0, 1, 2, 3}},
		{[]string{"?", "b", "b", "A"}, nil},
	} {
		got, err := orderOf(c.repeated, texts)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%q: %v, %v, want %v", c.repeated, got, err, c.want)
		}
	}
}

func TestRemoteRate(t *testing.T) {
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		e := &fakeEndpoint{api: api}
		r := newRemote(t, e, func(o *RemoteOptions) { o.PerSecond = 2; o.Parallel = 8; o.BatchSize = 1 })
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if _, err := encodeTexts(t.Context(), r, "a", "b", "c", "d", "e"); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 2*time.Second {
				t.Errorf("5 requests at 2 a second took %v, want 2s", took)
			}
		})
	})
}

// TestRemoteZeroVectors: a zero vector, which is similar to nothing, is an error, even if only
// one text has it. An empty text may have one.
func TestRemoteZeroVectors(t *testing.T) {
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		r := newRemote(t, &fakeEndpoint{api: api}, nil)
		if _, err := encodeTexts(t.Context(), r, "a", "zzz", "b"); err == nil || !strings.Contains(err.Error(), `text 2 of 2 ("zzz") is zero in every value`) {
			t.Error(err)
		}
		if _, err := encodeTexts(t.Context(), r, "a", " ", "b"); err != nil {
			t.Error(err)
		}
	})
}

// TestRemoteResumes: a run that fails half way continues where it stopped, minus at most a
// batch.
func TestRemoteResumes(t *testing.T) { eachAPI(t, testRemoteResumes) }

func testRemoteResumes(t *testing.T, api fakeAPI) {
	task, folder := contractTask(), t.TempDir()
	for i, q := range task.Queries {
		if q.Text == "zzz zzzz" {
			task.Queries[i].Text = "abc" // for other texts letters gives zeros, which an endpoint must not send
		}
	}
	want := retrieve(t, NewDense("letters", letters{}, DenseOptions{}), task, 5)
	first := &fakeEndpoint{api: api, usage: 10}
	r := newRemote(t, first, func(o *RemoteOptions) { o.BatchSize = 16; o.MaxTokens = 50 })
	cached, err := NewCached(r, folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	dense := func(e Encoder) *Dense { return NewDense("remote", e, DenseOptions{BatchSize: 16}) }
	if _, err := dense(cached).Retrieve(t.Context(), task, 5); !errors.Is(err, ErrBudget) || len(first.times) != 5 || r.Tokens() != 50 {
		t.Errorf("error %v after %d requests and %d tokens, want ErrBudget after 5 and 50", err, len(first.times), r.Tokens())
	}
	if err := cached.Close(); err != nil {
		t.Fatal(err)
	}
	second := &fakeEndpoint{api: api}
	again, err := NewCached(newRemote(t, second, nil), folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	run := retrieve(t, dense(again), task, 5)
	for query := range want {
		if !slices.Equal(run[query], want[query]) {
			t.Errorf("query %q: %v, want %v", query, run[query], want[query])
		}
	}
	for _, text := range second.texts {
		if slices.Contains(first.texts, text) {
			t.Errorf("%q was encoded twice", text)
		}
	}
}

// TestRemoteKeepsEveryAnswer: answers before a failure are stored, although Dense requested
// everything in one batch.
func TestRemoteKeepsEveryAnswer(t *testing.T) { eachAPI(t, testRemoteKeepsEveryAnswer) }

func testRemoteKeepsEveryAnswer(t *testing.T, api fakeAPI) {
	folder, texts := t.TempDir(), []string{"a", "bad", "cab", "dad", "ebb"}
	answer := func(req *http.Request) (*http.Response, error) { return (&fakeEndpoint{api: api}).RoundTrip(req) }
	first := &fakeEndpoint{api: api, script: append([]func(*http.Request) (*http.Response, error){answer, answer}, answers(1, 400, "no")...)}
	r := newRemote(t, first, nil) // two texts in a request
	cached, err := NewCached(r, folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encodeTexts(t.Context(), cached, texts...); err == nil {
		t.Fatal("the third request succeeded")
	}
	// It is not closed, like the cache of a killed process.
	second := &fakeEndpoint{api: api}
	again, err := NewCached(newRemote(t, second, nil), folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close(); cached.Close() })
	if _, err := encodeTexts(t.Context(), again, texts...); err != nil {
		t.Fatal(err)
	}
	if want := []string{"ebb"}; !slices.Equal(second.texts, want) {
		t.Errorf("asked again for %q, want %q", second.texts, want)
	}
}

func TestRemoteOptions(t *testing.T) {
	for want, change := range map[string]func(o *RemoteOptions){
		"want an http or https address":  func(o *RemoteOptions) { o.BaseURL = "api.example" },
		"address without a password":     func(o *RemoteOptions) { o.BaseURL = "https://me:pw@api.example" },
		"no model":                       func(o *RemoteOptions) { o.Model = "" },
		"vectors of 0 values":            func(o *RemoteOptions) { o.Dim = 0 },
		"a limit is negative":            func(o *RemoteOptions) { o.PerSecond = -1 },
		"lacks {query} or {instruction}": func(o *RemoteOptions) { o.QueryTemplate = "query: {query}" },
		"password or parameters":         func(o *RemoteOptions) { o.BaseURL += "?key=pw" },
		`did you mean "cohere"?`:         func(o *RemoteOptions) { o.API = "coher" },
		"the 96 that interface cohere":   func(o *RemoteOptions) { o.API, o.BatchSize = "cohere", 97 },
		"the 100 that interface google":  func(o *RemoteOptions) { o.API, o.BatchSize = "google", 101 },
	} {
		opts := RemoteOptions{BaseURL: "https://api.example/v1", Model: "m", Dim: 8}
		change(&opts)
		if _, err := NewRemote(opts); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
