package endpoint

import (
	"crypto/x509"
	"sync"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// trust gives TLS the certificate authorities that Mozilla trusts, for machines and images without
// their own, such as images from scratch. The package fallback does the same at every program
// start, which would take longer than the rest of --help.
var trust = sync.OnceFunc(func() { x509.SetFallbackRoots(authorities()) })

// authorities returns those of the bundle. It panics if one does not parse, which the bundle's own
// tests exclude.
func authorities() *x509.CertPool {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		cert, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			panic(err)
		}
		if root.Constraint == nil {
			pool.AddCert(cert)
		} else {
			pool.AddCertWithConstraint(cert, root.Constraint)
		}
	}
	return pool
}
