package serve

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestReadOnly(t *testing.T) {
	run := newFake(3)
	s := serverOf(t, run)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"} {
		for _, path := range []string{"/", "/runs/demo/", "/runs/demo/events", "/compare"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", "http://localhost"+path, nil)
			r.Method = method
			s.ServeHTTP(w, r)
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
		}
	}
	for _, path := range []string{"/", "/runs/demo/", "/runs/demo/events", "/runs/demo/report", "/runs/demo/cells/0000000000000001/log"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("HEAD", "http://localhost"+path, nil))
		if w.Code != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, w.Code)
		}
	}
}

// Only requests to a name that certainly means this machine are answered.
func TestHosts(t *testing.T) {
	s, h := serving(t, newFake(3))
	s.options.Hosts = []string{"gpubox.example"}
	address := strings.TrimPrefix(h.URL, "http://")
	for host, want := range map[string]int{
		"": 200, address: 200, "localhost": 200, "localhost:1": 200, "LOCALHOST:8471": 200, "localhost.": 200, "127.0.0.1": 200, "127.0.0.1:9": 200, "127.3.2.1": 200, "[::1]": 200, "[::1]:8471": 200,
		"GPUbox.example:80": 200, "evil.example": 421, "evil.example:8471": 421, "localhost.evil.example": 421, "evil.example:localhost": 421, "127.0.0.1.evil.example": 421,
		"localhost@evil.example": 421, "10.1.2.3": 421, "0.0.0.0": 421, "[::]": 421, "2130706433": 421, "gpubox.example.evil": 421, "xlocalhost": 421,
	} {
		for _, path := range []string{"/", "/runs/demo/events"} {
			r, _ := http.NewRequest(http.MethodHead, h.URL+path, nil)
			r.Host = host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want && !(answer.StatusCode == 400 && want == 421) { // net/http refuses some by itself
				t.Errorf("%s for host %q: %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
	w := httptest.NewRecorder() // HTTP/1.0 without a host
	s.ServeHTTP(w, &http.Request{Method: "GET", URL: &url.URL{Path: "/"}, Header: http.Header{}})
	if w.Code != 421 {
		t.Errorf("no host: %d", w.Code)
	}
}

// Pages of other sites are not answered.
func TestOrigins(t *testing.T) {
	_, h := serving(t, newFake(3))
	for _, c := range []struct {
		want    int
		headers []string
	}{
		{200, nil},
		{200, []string{"Origin", h.URL}},
		{200, []string{"Origin", h.URL, "Sec-Fetch-Site", "same-origin"}},
		{200, []string{"Sec-Fetch-Site", "none"}},
		{200, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}}, // a link
		{403, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{403, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}},
		{403, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}},
		{403, []string{"Origin", "null"}},
		{403, []string{"Origin", "http://evil.example"}},
		{403, []string{"Origin", "http://localhost:1"}},
		{403, []string{"Origin", "https://" + strings.TrimPrefix(h.URL, "http://") + ".evil.example"}},
		{403, []string{"Origin", h.URL, "Origin", "http://evil.example"}},
		{403, []string{"Origin", ""}},
	} {
		for _, path := range []string{"/runs/demo/events", "/runs/demo/"} {
			r, _ := http.NewRequest(http.MethodHead, h.URL+path, nil)
			for i := 0; i < len(c.headers); i += 2 {
				r.Header.Add(c.headers[i], c.headers[i+1])
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != c.want {
				t.Errorf("%s with %q: %d, want %d", path, c.headers, answer.StatusCode, c.want)
			}
		}
	}
}
