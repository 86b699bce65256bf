package endpoint

import (
	"crypto/x509"
	"sync"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// trust gives TLS the certificate authorities that Mozilla trusts where a machine or an
// image, such as one from scratch, has none of its own. The package fallback does the same
// whenever a program starts, which takes longer than all else that --help does.
var trust = sync.OnceFunc(func() { x509.SetFallbackRoots(authorities()) })

// authorities are those that the bundle has. It panics where one does not parse, which
// the bundle's own tests exclude.
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
