// Package chattest plays an endpoint of the OpenAI dialect on loopback for tests, with the
// faults that real ones have. It is no part of the program.
package chattest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Asked is a question as it arrived.
type Asked struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Format *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Temperature         *float64 `json:"temperature"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Seed                int64    `json:"seed"`
}

// Last is the text of the last message.
func (a *Asked) Last() string {
	if len(a.Messages) == 0 {
		return ""
	}
	return a.Messages[len(a.Messages)-1].Content
}

// Reply writes the answer to one question.
type Reply func(w http.ResponseWriter, req *http.Request, asked *Asked)

// Server is an endpoint: it replies as its script says, question by question, and beyond
// it with what Answer says.
type Server struct {
	URL       string            // the base address
	Transport http.RoundTripper // what reaches it; nil: any does
	Answer    func(asked *Asked) string

	mu      sync.Mutex
	script  []Reply
	asked   []Asked
	headers []http.Header
	times   []time.Time
	files   map[string][]byte
	batches []*batch
	faults  BatchFaults
}

// New starts a server that ends with the test.
func New(t testing.TB, answer func(asked *Asked) string, script ...Reply) *Server {
	s := &Server{Answer: answer, script: script, files: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL + "/v1"
	return s
}

// Asked lists the questions that arrived so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Times are when the questions arrived.
func (s *Server) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.times...)
}

// Headers are those of all requests.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]http.Header(nil), s.headers...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s.serveBatches(w, req) {
		return
	}
	var asked Asked
	if req.URL.Path != "/v1/chat/completions" || req.Method != http.MethodPost || json.NewDecoder(req.Body).Decode(&asked) != nil {
		s.note(req, nil)
		http.Error(w, "no such thing here", http.StatusNotFound)
		return
	}
	if reply := s.note(req, &asked); reply != nil {
		reply(w, req, &asked)
		return
	}
	Say(s.Answer(&asked))(w, req, &asked)
}

// note remembers a request and takes the next reply from the script.
func (s *Server) note(req *http.Request, asked *Asked) (reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headers = append(s.headers, req.Header.Clone())
	if asked == nil {
		return nil
	}
	s.asked, s.times = append(s.asked, *asked), append(s.times, time.Now())
	if len(s.script) > 0 {
		reply, s.script = s.script[0], s.script[1:]
	}
	return reply
}

// completion is an answer in the words of the interface.
func completion(asked *Asked, text, finish, refusal string) map[string]any {
	message := map[string]any{"role": "assistant", "content": text}
	if refusal != "" {
		message["content"], message["refusal"] = nil, refusal
	}
	input := 0
	for _, m := range asked.Messages {
		input += len(m.Content) / 4
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": asked.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]int{"prompt_tokens": input + 1, "completion_tokens": len(text)/4 + 1},
	}
}

// Repeated is a script of one reply n times.
func Repeated(n int, reply Reply) []Reply {
	var script []Reply
	for range n {
		script = append(script, reply)
	}
	return script
}

// Say answers with a text: also prose around the answer, another language, the answer to
// another record.
func Say(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked *Asked) {
		json.NewEncoder(w).Encode(completion(asked, text, "stop", ""))
	}
}

// Refuse has the model refuse.
func Refuse(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked *Asked) {
		json.NewEncoder(w).Encode(completion(asked, "", "stop", text))
	}
}

// Cut is an answer that met the limit of tokens.
func Cut(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked *Asked) {
		json.NewEncoder(w).Encode(completion(asked, text, "length", ""))
	}
}

// Status replies with a status, a body and headers in pairs.
func Status(code int, body string, header ...string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ *Asked) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// Echo fails with a status and repeats the key it was sent.
func Echo(code int) Reply {
	return func(w http.ResponseWriter, req *http.Request, _ *Asked) {
		w.WriteHeader(code)
		fmt.Fprintf(w, "%s%s", strings.Repeat("x", 285), req.Header.Get("Authorization"))
	}
}

// EchoAnswer answers with the key it was sent.
func EchoAnswer(w http.ResponseWriter, req *http.Request, asked *Asked) {
	json.NewEncoder(w).Encode(completion(asked, "your key is "+req.Header.Get("Authorization"), "stop", ""))
}

// Hang never replies.
func Hang(_ http.ResponseWriter, req *http.Request, _ *Asked) { <-req.Context().Done() }

// Drip sends the first bytes of an answer one by one, never to its end.
func Drip(every time.Duration) Reply {
	return func(w http.ResponseWriter, req *http.Request, _ *Asked) {
		for i := 0; ; i++ {
			if _, err := io.WriteString(w, "{\"choices\":    "[min(i, 10):][:1]); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-req.Context().Done():
				return
			case <-time.After(every):
			}
		}
	}
}

// Stall sends the beginning of an answer and no more.
func Stall(w http.ResponseWriter, req *http.Request, _ *Asked) {
	io.WriteString(w, `{"choices": [`)
	w.(http.Flusher).Flush()
	<-req.Context().Done()
}

// Broken is an answer whose JSON breaks off.
func Broken(w http.ResponseWriter, _ *http.Request, asked *Asked) {
	text, _ := json.Marshal(completion(asked, "an answer", "stop", ""))
	w.Write(text[:len(text)/2])
}

// Endless sends spaces for ever.
func Endless(w http.ResponseWriter, _ *http.Request, _ *Asked) {
	spaces := []byte(strings.Repeat(" ", 1<<16))
	for {
		if _, err := w.Write(spaces); err != nil {
			return
		}
	}
}

// Reset breaks the connection.
func Reset(w http.ResponseWriter, _ *http.Request, _ *Asked) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
