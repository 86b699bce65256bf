package runners

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// TestRemotePrivate: whatever an endpoint does with private texts, errors have the status and
// no text.
func TestRemotePrivate(t *testing.T) {
	const text = "whose moon shines at night"
	for name, c := range map[string]struct {
		reply func(w http.ResponseWriter, texts string)
		want  string
	}{
		"rejected": {func(w http.ResponseWriter, texts string) { http.Error(w, texts, http.StatusBadRequest) }, "status 400; the endpoint's message is left out: the texts are private"},
		"limited":  {func(w http.ResponseWriter, texts string) { http.Error(w, texts, http.StatusTooManyRequests) }, "status 429"},
		"no JSON":  {func(w http.ResponseWriter, texts string) { io.WriteString(w, texts) }, "read answer: "},
		"no HTTP": {func(w http.ResponseWriter, texts string) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				io.WriteString(conn, texts+"\r\n\r\n")
				conn.Close()
			}
		}, "no usable answer"},
		"zeros": {func(w http.ResponseWriter, _ string) {
			io.WriteString(w, `{"data": [{"index": 0, "embedding": [0, 0]}]}`)
		}, "is zero in every value"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				var sent struct{ Input []string }
				json.NewDecoder(req.Body).Decode(&sent)
				c.reply(w, strings.Join(sent.Input, " "))
			}))
			defer server.Close()
			remote, err := NewRemote(RemoteOptions{BaseURL: server.URL, Model: "m", Dim: 2, Attempts: 1})
			if err != nil {
				t.Fatal(err)
			}
			task := &datasets.Task{Name: "secret", Private: true, Queries: []datasets.Query{{ID: "q", Text: text}},
				Corpus: datasets.MemoryCorpus{{ID: "d", Text: text}}, Qrels: trec.Qrels{"q": {"d": 1}}}
			_, err = NewDense("remote", remote, DenseOptions{}).Retrieve(t.Context(), task, 10)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatal(err)
			}
			for word := range strings.FieldsSeq(text) {
				if len(word) > 3 && strings.Contains(err.Error(), word) {
					t.Errorf("%q of the texts is told: %v", word, err)
				}
			}
			task.Private = false
			if _, err := NewDense("remote", remote, DenseOptions{}).Retrieve(t.Context(), task, 10); name == "rejected" && !strings.Contains(fmt.Sprint(err), text) {
				t.Errorf("what was said of open texts is left out: %v", err)
			}
		})
	}
}
