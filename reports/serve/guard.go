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

// policy lets pages load what this server gives out, and nothing from anywhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// replyTime is how long an answer may take to be written; streams of events have a time
// of their own for each.
const replyTime = time.Minute

// ServeHTTP implements http.Handler. It answers only GET and HEAD, only under a name of
// this machine (else a page of somewhere else whose name was made to lead here could read
// all), and no page of elsewhere.
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
		http.Error(w, "this server answers no page of elsewhere", http.StatusForbidden)
	default:
		// Where the connection has no deadlines, as in tests, there is none.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTime))
		s.mux.ServeHTTP(w, r)
	}
}

// answersTo says whether a request asks for this machine: for localhost at whatever port,
// since a tunnel has its own, for the address that it came to, or for a name that was
// given. No other name is known to lead here only.
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

// hostOf is the host of a Host header, without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// fromHere says whether no other site asks: browsers tell who does. A link that is
// followed to a page is as good as an address that is typed.
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

// reply writes an answer, packed where that is understood.
func reply(w http.ResponseWriter, r *http.Request, code int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	if len(body) < 1<<10 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(code)
		w.Write(body) // who asked has gone where it fails
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(code)
	if r.Method == http.MethodHead {
		return
	}
	pack, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a level that there is
	pack.Write(body)
	pack.Close()
}
