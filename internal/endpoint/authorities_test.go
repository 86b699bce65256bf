package endpoint

import (
	"crypto/x509"
	"testing"
)

// TestTrust takes what the bundle has, and may be called by every client.
func TestTrust(t *testing.T) {
	trust()
	trust()
	if authorities().Equal(x509.NewCertPool()) {
		t.Error("no certificate authorities")
	}
}
