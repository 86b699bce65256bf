package chat_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"infbench/datasets/chat"
	"infbench/internal/endpoint"
	"infbench/internal/testkit/chattest"
)

// malformed sends the question's text in place of a status line.
func malformed(w http.ResponseWriter, _ *http.Request, asked *chattest.Asked) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	io.WriteString(conn, asked.Last()+" "+asked.Last()+"\r\n\r\n")
	conn.Close()
}

// TestPrivateQuestions: if a question has private texts, its error has the class and the status if
// any, but no text from the endpoint.
func TestPrivateQuestions(t *testing.T) {
	const text = "which moon shines at night"
	for name, c := range map[string]struct {
		reply chattest.Reply
		class chat.Class
		want  string
	}{
		"rejected":         {chattest.Status(400, text), chat.Rejected, "ask m at URL: rejected, status 400; the details are left out: the texts are private"},
		"limited":          {chattest.Status(429, text), chat.Limited, "status 429"},
		"server fault":     {chattest.Status(500, text), chat.ServerFault, "status 500"},
		"redirected":       {chattest.Status(307, text, "Location", "http://"+strings.ReplaceAll(text, " ", "-")+".example/"), chat.Redirected, "redirected; "},
		"error as answer":  {chattest.Status(200, `{"error": {"message": "`+text+`"}}`), chat.ErrorBody, "error as answer; "},
		"no JSON":          {chattest.Status(200, text), chat.Malformed, "malformed; "},
		"no form":          {chattest.Say(text), chat.Malformed, "malformed; "},
		"wrong form":       {chattest.Say(`{"id": "1", "` + text + `": 1}`), chat.Malformed, "malformed; "},
		"wrong record":     {chattest.Say(`{"id": "` + text + `"}`), chat.WrongRecord, "wrong record; "},
		"refused":          {chattest.Refuse(text), chat.Refused, "refused; "},
		"refused in prose": {chattest.Say("I'm sorry, but " + text), chat.Refused, "refused; "},
		"cut":              {chattest.Cut(text), chat.Truncated, "truncated; "},
		"no HTTP":          {malformed, chat.Unreachable, "unreachable, no usable answer; "},
	} {
		t.Run(name, func(t *testing.T) {
			server := chattest.New(t, nil, c.reply)
			client, err := chat.NewClient(chat.Options{BaseURL: server.URL, Attempts: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := chat.Request{Model: "m", Messages: []chat.Message{{Role: "user", Text: text}}, Schema: []byte(`{"type": "object", "additionalProperties": false, "properties": {"id": {"type": "string"}}}`)}
			_, err = chat.NewAsker(client, nil).AskChecked(endpoint.Privately(t.Context()), r, chat.OfRecord("id", "1"))
			if err == nil {
				t.Fatal("no error")
			}
			said := strings.ReplaceAll(err.Error(), server.URL, "URL")
			if chat.ClassOf(err) != c.class || !strings.Contains(said, c.want) {
				t.Errorf("class %q: %s", chat.ClassOf(err), said)
			}
			for word := range strings.FieldsSeq(text) {
				if len(word) > 3 && strings.Contains(said, word) {
					t.Errorf("%q of the question is told: %s", word, said)
				}
			}
		})
	}
}

// TestOpenQuestions: errors of questions without private texts have all details.
func TestOpenQuestions(t *testing.T) {
	server := chattest.New(t, nil, chattest.Status(400, "which moon shines"))
	client, err := chat.NewClient(chat.Options{BaseURL: server.URL, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Ask(t.Context(), chat.Request{Model: "m", Messages: []chat.Message{{Role: "user", Text: "which"}}})
	if err == nil || !strings.HasSuffix(err.Error(), `: status 400: "which moon shines"`) {
		t.Error(err)
	}
}
