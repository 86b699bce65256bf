package chattest

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// NewInBubble starts a server that a client reaches only by Transport, through pipes in
// memory. In a bubble of testing/synctest, time then passes when all goroutines wait for it
// and never because the machine is slow. No other address can be reached.
func NewInBubble(t testing.TB, answer func(asked *Asked) string, script ...Reply) *Server {
	s := &Server{Answer: answer, script: script, files: map[string][]byte{}, URL: "http://" + bubbleHost + "/v1"}
	at := pipes{make(chan net.Conn), make(chan struct{})}
	transport := &http.Transport{DialContext: at.dial}
	server := &http.Server{Handler: s}
	go server.Serve(at)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	s.Transport = transport
	return s
}

// bubbleHost is the host name of a server without a network.
const bubbleHost = "endpoint.test"

// pipes listens for connections within this process.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p pipes) dial(ctx context.Context, _, address string) (net.Conn, error) {
	if address != bubbleHost+":80" {
		return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}
	}
	ours, theirs := net.Pipe()
	select {
	case p.dialled <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener; http.Server calls it once.
func (p pipes) Close() error {
	close(p.closed)
	return nil
}

// Addr implements net.Listener.
func (pipes) Addr() net.Addr { return &net.UnixAddr{Name: bubbleHost, Net: "pipe"} }
