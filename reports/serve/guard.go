package serve

import (
	"compress/gzip"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"infbench/internal/words"
)

// policy lets pages load files of this server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// replyTime is the time limit for writing an answer; each event of a stream has its own limit.
const replyTime = time.Minute

// ServeHTTP implements http.Handler. It answers only GET and HEAD, and only requests to a name of
// this machine: otherwise a page of another site, whose name was made to resolve to this machine,
// could read everything. It does not answer pages of other sites.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this server is read only: GET and HEAD", http.StatusMethodNotAllowed)
	case !s.answersTo(r):
		http.Error(w, "this server does not answer to the name "+words.Clean(r.Host)+": ask for localhost, or start it with --host", http.StatusMisdirectedRequest)
	case !fromHere(r):
		http.Error(w, "this server does not answer pages of other sites", http.StatusForbidden)
	default:
		// Connections without deadlines, as in tests, have no limit.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTime))
		s.mux.ServeHTTP(w, r)
	}
}

// answersTo reports whether a request asks for this machine: for localhost at any port, since a
// tunnel has its own, for the address that it came to, or for a given name. Other names may also
// lead elsewhere.
func (s *Server) answersTo(r *http.Request) bool {
	host := hostOf(r.Host)
	if host == "localhost" || slices.ContainsFunc(s.options.Hosts, func(own string) bool { return strings.EqualFold(own, host) }) {
		return true
	}
	asked, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if asked.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap() == asked.Unmap()
}

// hostOf returns the host of a Host header, without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// fromHere reports whether a request does not come from another site, as browsers state. Following
// a link to a page is allowed, like typing its address.
func fromHere(r *http.Request) bool {
	for _, origin := range r.Header["Origin"] {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// reply writes an answer, compressed if the client accepts that.
func reply(w http.ResponseWriter, r *http.Request, code int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	if len(body) < 1<<10 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(code)
		w.Write(body) // an error means that the client has left
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(code)
	if r.Method == http.MethodHead {
		return
	}
	pack, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
	pack.Write(body)
	pack.Close()
}
