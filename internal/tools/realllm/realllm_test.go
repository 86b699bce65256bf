package main

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestKendall: by hand. For (1,2,3) and (1,3,2), two of three pairs agree.
func TestKendall(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 3, 2}, 1. / 3},
		{[]float64{1, 2, 3}, []float64{10, 20, 30}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 1, 2}, []float64{1, 2, 3}, 2. / 3},
	} {
		if got := kendall(c.x, c.y); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v, %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestCompareOrders: a pair without both words is counted apart, a pair that we do not score is an
// error, and so is a low tau of equal weights.
func TestCompareOrders(t *testing.T) {
	pair := func(d string) [2]string { return [2]string{"q", d} }
	theirs := map[[2]string]float64{pair("a"): 1, pair("b"): 2, pair("c"): math.NaN()}
	for _, c := range []struct {
		ours map[[2]string]float64
		want string
		ok   bool
	}{
		{map[[2]string]float64{pair("a"): 1.5, pair("b"): 2.25, pair("c"): 0}, "tau 1.0000 of 2 pairs, largest difference 0.5000, 1 pairs without both words", true},
		{map[[2]string]float64{pair("a"): 3, pair("b"): 2, pair("c"): 0}, "tau -1.0000 of 2 pairs", false},
		{map[[2]string]float64{pair("a"): 3, pair("c"): 0}, "", false},
	} {
		if got, err := compareOrders(theirs, c.ours, true); !strings.HasPrefix(got, c.want) || (err == nil) != c.ok {
			t.Errorf("%v: %q, %v", c.ours, got, err)
		}
	}
}

// TestGate: the gate keeps its address when the server behind it changes, counts answers and repeated
// questions, and breaks connections without a server.
func TestGate(t *testing.T) {
	g, end, err := newGate()
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	post := func(body string) string {
		answer, err := http.Post(g.url+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			return "broken"
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return string(text)
	}
	if got := post("a"); got != "broken" {
		t.Errorf("without a server: %s", got)
	}
	for _, name := range []string{"one", "two"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			io.WriteString(w, name+" "+r.URL.Path+" "+string(body))
		}))
		defer s.Close()
		g.leadTo(&server{url: s.URL, kill: func() {}, done: closed()})
		if got, want := post("b"), name+" /v1/chat/completions b"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if g.counts() != "2 x 200" || g.repeated() != 1 {
		t.Errorf("%s, %d repeated", g.counts(), g.repeated())
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestStart: a server's port is found in its log; a program that ends at once is an error with its
// log; a server ends when it is stopped.
func TestStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	program := func(script string) string {
		path := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := start(t.Context(), program("echo no such model >&2; exit 1"), "m", 1); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("a program that ends: %v", err)
	}
	s, err := start(t.Context(), program("echo listening on http://127.0.0.1:1234; exec sleep 600"), "m", 1)
	if err != nil || s.url != "http://127.0.0.1:1234" {
		t.Fatal(s, err)
	}
	s.stop()
	ctx, cancel := context.WithCancel(t.Context())
	if s, err = start(ctx, program("echo http://127.0.0.1:1; exec sleep 600"), "m", 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.done
}

// TestCutCopy: the copy has the first judged queries, their documents, some others and cut texts.
func TestCutCopy(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for name, text := range map[string]string{
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td3\t1\n2\td1\t1\n",
		"queries.jsonl":  `{"_id":"1","text":"one"}` + "\n" + `{"_id":"2","text":"two"}` + "\n",
		"corpus.jsonl":   `{"_id":"d1","title":"T","text":"long text"}` + "\n" + `{"_id":"d2","title":"","text":"b"}` + "\n" + `{"_id":"d3","title":"U","text":"c"}` + "\n",
	} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := cutCopy(from, to, 1, 1, 5); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td3\t1\n",
		"queries.jsonl":  `{"_id":"1","text":"one"}` + "\n",
		"corpus.jsonl":   `{"_id":"d1","text":"long","title":""}` + "\n" + `{"_id":"d3","text":"c","title":"U"}` + "\n",
	} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
