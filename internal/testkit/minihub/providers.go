package minihub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// providerHosts are the hosts at which experiments call the providers of embeddings.
var providerHosts = []string{"api.openai.com", "api.cohere.com", "generativelanguage.googleapis.com"}

// Providers is a proxy ($HTTPS_PROXY) that answers for the providers of embeddings at their
// real addresses, so that experiments run unchanged: each of the hosts is an Endpoint.
// Connections to other hosts fail.
type Providers struct {
	// Authority is the certificate ($SSL_CERT_FILE) that signed those of the hosts.
	Authority []byte

	tls      *tls.Config
	endpoint http.Handler
}

// NewProviders returns a proxy in front of an endpoint, with its own certificates.
func NewProviders(endpoint http.Handler) (*Providers, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rehearsal"}, DNSNames: providerHosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &Providers{
		Authority: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		tls:       &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}, NextProtos: []string{"http/1.1"}},
		endpoint:  endpoint,
	}, nil
}

// ServeHTTP answers CONNECT with the endpoint behind TLS.
func (p *Providers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	if r.Method != http.MethodConnect || !slices.Contains(providerHosts, host) {
		http.Error(w, fmt.Sprintf("the miniature hub has no host %s", host), http.StatusForbidden)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	server := http.Server{Handler: p.endpoint, ReadHeaderTimeout: time.Minute}
	server.Serve(&single{conn: tls.Server(conn, p.tls), addr: conn.LocalAddr()}) // io.EOF: there is no second connection
}

// single is a listener that accepts one connection.
type single struct {
	conn net.Conn
	addr net.Addr
}

// Accept returns the connection, once.
func (s *single) Accept() (net.Conn, error) {
	conn := s.conn
	if s.conn = nil; conn == nil {
		return nil, io.EOF
	}
	return conn, nil
}

// Close does nothing: the server closes the connection.
func (s *single) Close() error { return nil }

// Addr returns the proxy's address.
func (s *single) Addr() net.Addr { return s.addr }
