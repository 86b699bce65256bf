// Package chattest is a fake endpoint of OpenAI's API on loopback for tests, with the faults
// of real endpoints. No program links it.
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

// Asked is a request as received.
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
	Logprobs            bool     `json:"logprobs"`
	TopLogprobs         int      `json:"top_logprobs"`

	Prompt   string   `json:"prompt"` // of a request for completions, whose logprobs are TopLogprobs
	Stop     []string `json:"stop"`
	Continue bool     `json:"continue_final_message"`
}

// read decodes the body of a request.
func (a *Asked) read(body io.Reader, completions bool) error {
	if !completions {
		return json.NewDecoder(body).Decode(a)
	}
	var fields map[string]any
	if err := json.NewDecoder(body).Decode(&fields); err != nil {
		return err
	}
	if n, ok := fields["logprobs"].(float64); ok {
		fields["logprobs"], fields["top_logprobs"] = true, n
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, a)
}

// Last returns the text of the last message.
func (a *Asked) Last() string {
	if len(a.Messages) == 0 {
		return a.Prompt
	}
	return a.Messages[len(a.Messages)-1].Content
}

// Reply writes the answer to one question.
type Reply func(w http.ResponseWriter, req *http.Request, asked *Asked)

// Server is an endpoint. It replies to questions in the order of its script, and after that
// with the result of Answer.
type Server struct {
	URL       string            // the base address
	Transport http.RoundTripper // transport that reaches the server; nil: any
	Answer    func(asked *Asked) string
	// Top returns the likeliest first tokens with their log-probabilities, which are added to the
	// answer if the question asks for them; nil: the server ignores that, as older servers do.
	Top func(asked *Asked) []Token
	// Body returns the complete body of an answer; nil: it is made of Answer and Top.
	Body func(asked *Asked) string

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

// Asked lists the questions received so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Times returns the times at which the questions arrived.
func (s *Server) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.times...)
}

// Headers returns the headers of all requests.
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
	completions := req.URL.Path == "/v1/completions"
	if !completions && req.URL.Path != "/v1/chat/completions" || req.Method != http.MethodPost || asked.read(req.Body, completions) != nil {
		s.note(req, nil)
		http.Error(w, "no such thing here", http.StatusNotFound)
		return
	}
	if reply := s.note(req, &asked); reply != nil {
		reply(w, req, &asked)
		return
	}
	if s.Body != nil {
		io.WriteString(w, s.Body(&asked))
		return
	}
	if s.Top != nil && asked.Logprobs {
		json.NewEncoder(w).Encode(weighed(&asked, s.Top(&asked)))
		return
	}
	Say(s.Answer(&asked))(w, req, &asked)
}

// note records a request and takes the next reply from the script.
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

// completion returns an answer in the format of the API.
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

// Token is a token with its log-probability.
type Token struct {
	Text    string
	Logprob float64
}

// weighed returns an answer of the first of some tokens with all their log-probabilities, in the
// format of llama-server: each token has an ID and its bytes, and the answer is cut after one token.
func weighed(asked *Asked, top []Token) map[string]any {
	listed := []map[string]any{}
	for i, t := range top[:min(len(top), asked.TopLogprobs)] {
		bytes := []int{}
		for _, b := range []byte(t.Text) {
			bytes = append(bytes, int(b))
		}
		listed = append(listed, map[string]any{"id": i, "token": t.Text, "bytes": bytes, "logprob": t.Logprob})
	}
	c := completion(asked, top[0].Text, "length", "")
	first := map[string]any{"id": 0, "token": top[0].Text, "bytes": listed[0]["bytes"], "logprob": top[0].Logprob, "top_logprobs": listed}
	c["choices"].([]any)[0].(map[string]any)["logprobs"] = map[string]any{"content": []any{first}}
	return c
}

// Repeated returns a script of one reply n times.
func Repeated(n int, reply Reply) []Reply {
	var script []Reply
	for range n {
		script = append(script, reply)
	}
	return script
}

// Say answers with a text, such as prose around the answer, another language, or the answer
// to another record.
func Say(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked *Asked) {
		json.NewEncoder(w).Encode(completion(asked, text, "stop", ""))
	}
}

// Refuse answers with a refusal of the model.
func Refuse(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked *Asked) {
		json.NewEncoder(w).Encode(completion(asked, "", "stop", text))
	}
}

// Cut returns an answer that reached the token limit.
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

// Loading replies as llama-server does until it has loaded its model. It has no such reply for
// questions that find its slots busy: these wait.
func Loading(w http.ResponseWriter, req *http.Request, asked *Asked) {
	Status(http.StatusServiceUnavailable, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)(w, req, asked)
}

// Exceeding replies as llama-server does to a question that is longer than its context.
func Exceeding(w http.ResponseWriter, req *http.Request, asked *Asked) {
	Status(http.StatusBadRequest, `{"error":{"code":400,"message":"request (611 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":611,"n_ctx":256}}`)(w, req, asked)
}

// Echo fails with a status and repeats the API key that it received.
func Echo(code int) Reply {
	return func(w http.ResponseWriter, req *http.Request, _ *Asked) {
		w.WriteHeader(code)
		fmt.Fprintf(w, "%s%s", strings.Repeat("x", 285), req.Header.Get("Authorization"))
	}
}

// EchoAnswer answers with the API key that it received.
func EchoAnswer(w http.ResponseWriter, req *http.Request, asked *Asked) {
	json.NewEncoder(w).Encode(completion(asked, "your key is "+req.Header.Get("Authorization"), "stop", ""))
}

// Hang never replies.
func Hang(_ http.ResponseWriter, req *http.Request, _ *Asked) { <-req.Context().Done() }

// Drip sends the first bytes of an answer one by one, and never the end.
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

// Stall sends the beginning of an answer and then nothing.
func Stall(w http.ResponseWriter, req *http.Request, _ *Asked) {
	io.WriteString(w, `{"choices": [`)
	w.(http.Flusher).Flush()
	<-req.Context().Done()
}

// Broken sends an answer whose JSON is cut off.
func Broken(w http.ResponseWriter, _ *http.Request, asked *Asked) {
	text, _ := json.Marshal(completion(asked, "an answer", "stop", ""))
	w.Write(text[:len(text)/2])
}

// Endless sends spaces forever.
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
