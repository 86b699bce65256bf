package endpoint

import (
	"crypto/x509"
	"testing"
)

// TestTrust loads the bundle; every client may call trust.
func TestTrust(t *testing.T) {
	trust()
	trust()
	if authorities().Equal(x509.NewCertPool()) {
		t.Error("no certificate authorities")
	}
}
