package main

import (
	"fmt"
	"strings"
)

// permissive are the licences, by their SPDX identifiers, allowed for linked code. None
// requires that code linking it be published. CC-BY-4.0 is not a licence for programs, but
// requires only attribution.
var permissive = map[string]bool{
	"0BSD": true, "Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "BSL-1.0": true, "CC-BY-4.0": true,
	"FTL": true, "MIT": true, "OFL-1.1": true, "SunPro": true,
}

// noLicence marks a notice, or a grant next to a licence, which is only printed.
const noLicence = ""

// readTerms are the terms that someone has read, by text.key, with their licence. Unlisted
// terms fail: read them, and add permissive ones.
var readTerms = map[string]string{
	"0cf21bdfd1964a97": "MIT",
	"11e2e719455acabc": "OFL-1.1",
	"1fe012e8b8c70327": "BSD-3-Clause", // go-latex
	"25a274d52b3014d9": "0BSD",
	"275c63dbea38858e": "FTL",
	"2e85aea8341a9760": "BSD-3-Clause", // go-fonts
	"307384bc3f946ef7": noLicence,      // of ECharts
	"362e334daacde9f9": "BSD-3-Clause", // Mersenne Twister
	"37599287c15c2f2e": "Apache-2.0",
	"3d78fa8b65ee65b0": "CC-BY-4.0",    // by its address
	"471bdf556104b801": "BSD-2-Clause", // quadrature of Bogaert
	"4e3f12244703fcaa": "BSD-3-Clause", // Cephes
	"4f4c9e6521741424": "BSL-1.0",
	"506ed82afa43db45": noLicence, // yaml.v3: the head of the Apache License
	"526279aa5ce65fb2": "BSD-3-Clause",
	"5ce1974840d7d766": "CC-BY-4.0",
	"53075742228962c7": "BSD-3-Clause", // zrender
	"60839f2dbdfbd042": "BSD-3-Clause", // d3
	"698df229838f6af2": "FTL",          // FTL is our choice, the alternative being GPL-2.0
	"7a36142d0f212bd2": "BSD-3-Clause AND Apache-2.0 AND MIT",
	"8f1e653605fa4663": "BSD-3-Clause", // Gonum
	"94f07eeadf1b2f00": "BSD-3-Clause", // Chebfun
	"97a611a79a1a0f41": "SunPro",
	"986c3c3199a93b91": "BSD-2-Clause",
	"9bdbf6443ef397a7": "BSD-3-Clause", // Mersenne Twister of 64 bits
	"a56fee4b2f66331e": "BSD-2-Clause",
	"af6dca118f574023": "Apache-2.0",   // klog's layout of it
	"c16fb94cf985fde3": "BSD-3-Clause", // xxHash
	"cb1ce31a60c2422f": "BSD-3-Clause", // Go, Google LLC
	"d61b69377a234fe2": noLicence,      // Go's grant of patents
	"e918ac592fc37bd2": "MIT AND Apache-2.0",
}

// omitted are texts that do not apply to the linked code, by module and file.
var omitted = map[string]string{
	"github.com/golang/freetype licenses/gpl.txt":                   "FTL is chosen",
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/W3C-BSD-LICENSE":       "of test data",
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE": "of test data",
}

// licenceOf returns the licence of known terms; an error if nobody has read them, or if they
// are not permissive.
func licenceOf(t text) (string, error) {
	expression, ok := readTerms[t.key()]
	if !ok {
		begin := strings.Join(strings.Fields(t.body), " ")
		return "", fmt.Errorf("terms that nobody has read: %.80q; if they are permissive, add %q to internal/tools/release/licences.go", begin, t.key())
	}
	for id := range strings.SplitSeq(expression, " AND ") {
		if id != noLicence && !permissive[id] {
			return "", fmt.Errorf("licence %s is not allowed for linked code", id)
		}
	}
	return expression, nil
}
