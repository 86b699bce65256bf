package chattest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// BatchFaults are faults of batches.
type BatchFaults struct {
	Polls  int    // polls until a batch is done
	Status string // final status of batches; "" means completed
	Drop   string // questions with this text get no answer
	Fail   string // questions with this text get an error
	Alien  bool   // an answer to an unknown question is added
	OnNew  func() // called after a batch was created, before the response
	OnPoll func() // called when a batch is polled
}

// batch is a submitted batch.
type batch struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Output   string            `json:"output_file_id,omitempty"`
	Errors   string            `json:"error_file_id,omitempty"`
	Metadata map[string]string `json:"metadata"`
	input    string
	polls    int
}

// BatchCount returns the number of batches created.
func (s *Server) BatchCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// SetBatches sets the faults of batches from now on.
func (s *Server) SetBatches(f BatchFaults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// serveBatches handles requests for files and batches.
func (s *Server) serveBatches(w http.ResponseWriter, req *http.Request) bool {
	path := strings.TrimPrefix(req.URL.Path, "/v1")
	switch {
	case path == "/files" && req.Method == http.MethodPost:
		s.takeFile(w, req)
	case strings.HasPrefix(path, "/files/") && strings.HasSuffix(path, "/content"):
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Write(s.files[strings.TrimSuffix(strings.TrimPrefix(path, "/files/"), "/content")])
	case path == "/batches" && req.Method == http.MethodPost:
		s.newBatch(w, req)
	case path == "/batches":
		s.mu.Lock()
		defer s.mu.Unlock()
		json.NewEncoder(w).Encode(map[string]any{"data": s.batches, "has_more": false})
	case strings.HasPrefix(path, "/batches/"):
		s.poll(w, strings.TrimPrefix(path, "/batches/"))
	default:
		return false
	}
	s.noteHeader(req)
	return true
}

func (s *Server) noteHeader(req *http.Request) {
	go func() { // after the response, because some hold the lock
		s.mu.Lock()
		defer s.mu.Unlock()
		s.headers = append(s.headers, req.Header.Clone())
	}()
}

func (s *Server) takeFile(w http.ResponseWriter, req *http.Request) {
	file, _, err := req.FormFile("file")
	if err != nil || req.FormValue("purpose") != "batch" {
		http.Error(w, "no file", http.StatusBadRequest)
		return
	}
	content, _ := io.ReadAll(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("file-%d", len(s.files))
	s.files[id] = content
	json.NewEncoder(w).Encode(map[string]string{"id": id})
}

func (s *Server) newBatch(w http.ResponseWriter, req *http.Request) {
	var sent struct {
		Input    string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if json.NewDecoder(req.Body).Decode(&sent) != nil || sent.Endpoint != "/v1/chat/completions" || sent.Window != "24h" {
		http.Error(w, "no batch", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	b := &batch{ID: fmt.Sprintf("batch_%d", len(s.batches)), Status: "in_progress", Metadata: sent.Metadata, input: sent.Input}
	s.batches = append(s.batches, b)
	made := s.faults.OnNew
	s.mu.Unlock()
	if made != nil {
		made()
	}
	json.NewEncoder(w).Encode(b)
}

func (s *Server) poll(w http.ResponseWriter, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		if b.ID != id {
			continue
		}
		if s.faults.OnPoll != nil {
			s.faults.OnPoll()
		}
		if b.polls++; b.polls > s.faults.Polls && b.Output == "" {
			s.finish(b)
		}
		json.NewEncoder(w).Encode(b)
		return
	}
	http.Error(w, "no such batch", http.StatusNotFound)
}

// finish answers the questions of a batch.
func (s *Server) finish(b *batch) {
	var output, errors bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(s.files[b.input]))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			ID   string `json:"custom_id"`
			Body Asked  `json:"body"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		s.asked = append(s.asked, line.Body)
		switch text := line.Body.Last(); {
		case s.faults.Drop != "" && text == s.faults.Drop:
		case s.faults.Fail != "" && text == s.faults.Fail:
			json.NewEncoder(&errors).Encode(map[string]any{"custom_id": line.ID, "response": map[string]any{"status_code": 500, "body": map[string]any{"error": "oops"}}})
		default:
			body := map[string]any(nil)
			if s.Top != nil && line.Body.Logprobs {
				body = weighed(&line.Body, s.Top(&line.Body))
			} else {
				body = completion(&line.Body, s.Answer(&line.Body), "stop", "")
			}
			json.NewEncoder(&output).Encode(map[string]any{"custom_id": line.ID, "response": map[string]any{"status_code": 200, "body": body}})
		}
	}
	if s.faults.Alien {
		json.NewEncoder(&output).Encode(map[string]any{"custom_id": strings.Repeat("0", 64),
			"response": map[string]any{"status_code": 200, "body": completion(&Asked{}, "hello", "stop", "")}})
	}
	b.Status, b.Output = "completed", b.input+"-out"
	if s.faults.Status != "" {
		b.Status = s.faults.Status
	}
	s.files[b.Output] = output.Bytes()
	if errors.Len() > 0 {
		b.Errors = b.input + "-err"
		s.files[b.Errors] = errors.Bytes()
	}
}
