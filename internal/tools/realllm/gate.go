package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"infbench/internal/disk"
)

// gate stands between infbench and a server. Like a real endpoint it keeps its address when the
// server is replaced. It counts requests, and breaks connections while there is no server.
type gate struct {
	url string

	mu       sync.Mutex
	to       *url.URL // nil: no server
	server   *server
	after    func(n int)
	answered int
	statuses map[int]int
	asked    map[string]int // by hash of the request's body, of answered ones
	said     []string       // the first refusals
	input    int
	output   int
}

// newGate opens a gate; close closes it.
func newGate() (g *gate, close func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	g = &gate{url: "http://" + l.Addr().String() + "/v1"}
	g.reset()
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(g.target()) },
		ModifyResponse: g.note,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || g.target() == nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set(hashHeader, disk.Sum(string(body)))
		proxy.ServeHTTP(w, r)
	})}
	go s.Serve(l)
	return g, s.Close, nil
}

const hashHeader = "X-Body-Hash"

// reset forgets the counts.
func (g *gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answered, g.statuses, g.asked, g.said, g.after, g.input, g.output = 0, map[int]int{}, map[string]int{}, nil, nil, 0, 0
}

// target returns the server's address.
func (g *gate) target() *url.URL {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.to
}

// leadTo sets the server; nil closes the way.
func (g *gate) leadTo(s *server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to, g.server = nil, s; s != nil {
		g.to, _ = url.Parse(s.url)
	}
}

// stopped stops the server behind the gate, if there is one.
func (g *gate) stopped() {
	g.mu.Lock()
	s := g.server
	g.mu.Unlock()
	if g.leadTo(nil); s != nil {
		s.stop()
	}
}

// afterAnswers calls f with the number of each answer after it was passed on.
func (g *gate) afterAnswers(f func(n int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.after = f
}

// note counts a response.
func (g *gate) note(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.mu.Lock()
	g.statuses[r.StatusCode]++
	if r.StatusCode == http.StatusOK {
		g.answered++
		g.asked[r.Request.Header.Get(hashHeader)]++
		var said struct {
			Usage struct {
				Input  int `json:"prompt_tokens"`
				Output int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if json.Unmarshal(body, &said) == nil {
			g.input, g.output = g.input+said.Usage.Input, g.output+said.Usage.Output
		}
	} else if len(g.said) < 3 {
		g.said = append(g.said, fmt.Sprintf("%d %s", r.StatusCode, bytes.TrimSpace(body)))
	}
	n, after := g.answered, g.after
	g.mu.Unlock()
	if after != nil {
		after(n)
	}
	return nil
}

// counts returns the number of requests by status: "18 x 200, 1 x 503".
func (g *gate) counts() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(g.statuses)) {
		parts = append(parts, fmt.Sprintf("%d x %d", g.statuses[status], status))
	}
	return strings.Join(parts, ", ")
}

// repeated returns how many answered requests had been answered before.
func (g *gate) repeated() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, times := range g.asked {
		n += times - 1
	}
	return n
}
