package main

import (
	"strings"
	"testing"
)

const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

// The same terms in other lines are printed once, below all their holders; terms that were
// read have a licence.
func TestNotices(t *testing.T) {
	got, err := notices([]*component{
		{name: "example.org/a v1.0.0", texts: map[string]text{"LICENSE": split("MIT License\n\nCopyright (c) 2001 A\n\n" + mitTerms)}},
		{name: "example.org/b v2.0.0", on: []string{"linux-arm64"}, texts: map[string]text{"COPYING": split("Copyright 2002 B\r\n" + strings.ReplaceAll(mitTerms, "\n", "\r\n  "))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nexample.org/a v1.0.0: MIT\nexample.org/b v2.0.0 (linux-arm64): MIT\n",
		"\nexample.org/a v1.0.0, LICENSE\n    MIT License\n\n    Copyright (c) 2001 A\nexample.org/b v2.0.0, COPYING\n    Copyright 2002 B\n\n" + mitTerms} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "Permission is hereby granted") != 1 {
		t.Errorf("the same terms twice in\n%s", got)
	}
}

// Terms that nobody has read fail, and so do terms that extend known ones, a module without
// terms, and copyleft terms in the table.
func TestUnreadTermsFail(t *testing.T) {
	const gpl = "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007\n\nEveryone is permitted to copy"
	for name, texts := range map[string]map[string]text{
		"unknown": {"LICENSE": split(gpl)},
		"more":    {"LICENSE": split("Copyright 2001 A\n\n" + mitTerms + "\nNot for commercial use.\n")},
		"beside":  {"LICENSE": split(mitTerms), "COPYING": split(gpl)},
		"none":    {},
		"notice":  {"PATENTS": {body: "x"}},
	} {
		if _, err := notices([]*component{{name: "example.org/" + name + " v1", texts: texts}}); err == nil || !strings.Contains(err.Error(), "example.org/"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	copyleft := split(gpl)
	readTerms[copyleft.key()] = "GPL-3.0-only"
	defer delete(readTerms, copyleft.key())
	if id, err := licenceOf(copyleft); err == nil {
		t.Errorf("%s is permitted", id)
	}
}

// Every licence of the table is permissive and has its SPDX name.
func TestReadTermsArePermissive(t *testing.T) {
	for key, expression := range readTerms {
		for id := range strings.SplitSeq(expression, " AND ") {
			if id != noLicence && !permissive[id] {
				t.Errorf("%s: %s", key, id)
			}
		}
	}
}

// The Apache License is recognised with and without its appendix; the appendix's holder and
// the text below it are kept.
func TestSplitApache(t *testing.T) {
	const terms = "\n   Apache License\n  Version 2.0, January 2004\n\n1. Definitions.\n"
	const filled = terms + "\nEND OF TERMS AND CONDITIONS\n\nAPPENDIX\n\n   Copyright 2013 A\n\nSee the License for the\nspecific language governing permissions and\nlimitations under the License.\n\nIncludes code of B.\n"
	bare, full := split(terms), split(filled)
	if bare.key() != full.key() || bare.head != "" {
		t.Errorf("%q and %q", bare, full)
	}
	if want := "   Copyright 2013 A\n\nIncludes code of B."; full.head != want {
		t.Errorf("head %q, want %q", full.head, want)
	}
}
