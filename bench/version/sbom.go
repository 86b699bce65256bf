package version

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	"infbench/reports/page"
	"infbench/runners/provenance"
)

// Bill is a software bill of materials: the fields that we need of CycloneDX 1.6 as JSON
// (ECMA-424, https://cyclonedx.org/docs/1.6/json/). It has its own types, since the library for
// the format handles seven versions in two encodings, and these are few lines. It has no time
// and no random number: the same binary gives the same bytes.
type Bill struct {
	Schema       string        `json:"$schema"`
	Format       string        `json:"bomFormat"`
	SpecVersion  string        `json:"specVersion"`
	Version      int           `json:"version"`
	Metadata     Metadata      `json:"metadata"`
	Components   []Component   `json:"components"`
	Compositions []Composition `json:"compositions"`
}

// Metadata is the subject of the bill.
type Metadata struct {
	Component Component `json:"component"`
}

// Component is a part. A module has no hash of a kind that CycloneDX knows: Go's h1 is a
// SHA-256 over a list of SHA-256 of files. It is stored as a property, as in go.sum.
type Component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Hashes     []Hash     `json:"hashes,omitempty"`
	Licenses   []License  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []Property `json:"properties,omitempty"`
}

// Hash is the hash of a file.
type Hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// License is an SPDX expression.
type License struct {
	Expression string `json:"expression"`
}

// Property is any other known fact.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Composition states how complete the bill is for some components.
type Composition struct {
	Aggregate  string   `json:"aggregate"`
	Assemblies []string `json:"assemblies"`
}

// ownLicence is the licence of infbench itself.
const ownLicence = "Apache-2.0"

// NewBill makes the bill of a binary from Go's record of its modules and from the build stamp. Go
// does not record which module needs which, so the bill has no dependencies. A binary that was
// not built by make does not know its embedded files; its bill is marked as incomplete.
func NewBill(info *debug.BuildInfo, of provenance.BuildStamp) *Bill {
	known := licences(Notices)
	own := goComponent("application", info.Main.Path, of.Version)
	own.Licenses = licensed(ownLicence)
	own.Properties = append([]Property{{"infbench:sources", of.Source}}, settings(info)...)
	parts := append([]Component{library(info, known)}, script(known)...)
	for _, m := range info.Deps {
		parts = append(parts, module(m, known))
	}
	aggregate := "complete"
	if of.Assets == nil {
		aggregate = "incomplete"
	}
	return &Bill{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata:     Metadata{own},
		Components:   append(parts, ownFiles(of.Assets)...),
		Compositions: []Composition{{aggregate, []string{own.Ref}}},
	}
}

// module is a linked module, or its replacement.
func module(m *debug.Module, known map[string]string) Component {
	if m.Replace != nil && isFolder(m.Replace.Path) {
		c := goComponent("library", m.Path, m.Version)
		c.Licenses = licensed(known[m.Path+" "+m.Version])
		c.Properties = []Property{{"infbench:changed", "built from a folder"}}
		return c
	}
	if m.Replace != nil {
		m = m.Replace
	}
	c := goComponent("library", m.Path, m.Version)
	c.Licenses = licensed(known[m.Path+" "+m.Version])
	if m.Sum != "" {
		c.Properties = []Property{{"go:sum", m.Sum}}
	}
	return c
}

// isFolder reports whether a replacement is a folder instead of a module: folders begin like
// this in go.mod.
func isFolder(path string) bool { return strings.HasPrefix(path, ".") || filepath.IsAbs(path) }

// library is Go's standard library, in the version of the build.
func library(info *debug.BuildInfo, known map[string]string) Component {
	version, experiments, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), "-")
	c := goComponent("library", "std", version)
	c.Licenses = licensed(known["Go standard library"])
	if experiments != "" {
		c.Properties = []Property{{"go:experiments", experiments}}
	}
	return c
}

// scriptVersion is the version of ECharts.
const scriptVersion = "5.4.3"

// script is the chart script, if it was present when the binary was built.
func script(known map[string]string) []Component {
	sum := page.ScriptSum()
	if sum == "" {
		return nil
	}
	ref := "pkg:npm/echarts@" + scriptVersion
	return []Component{{Type: "library", Ref: ref, Name: "echarts", Version: scriptVersion, PURL: ref,
		Hashes: []Hash{{"SHA-256", sum}}, Licenses: licensed(known["Apache ECharts "+scriptVersion])}}
}

// ownFiles are the embedded files of infbench itself, without those of others.
func ownFiles(assets []provenance.BuildFile) []Component {
	var out []Component
	for _, f := range assets {
		if f.SHA256 != page.EChartsSHA256 {
			out = append(out, Component{Type: "file", Ref: "file:" + f.Name, Name: f.Name, Hashes: []Hash{{"SHA-256", f.SHA256}}, Licenses: licensed(ownLicence)})
		}
	}
	return out
}

// goComponent names a module by its package URL
// (https://github.com/package-url/purl-spec, type golang).
func goComponent(kind, path, version string) Component {
	parts := strings.Split(strings.ToLower(path), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	purl := "pkg:golang/" + strings.Join(parts, "/") + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
	return Component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}

func licensed(expression string) []License {
	if expression == "" {
		return nil
	}
	return []License{{expression}}
}

// settings are the build settings that identify the platform.
func settings(info *debug.BuildInfo) []Property {
	var out []Property
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED", "-tags":
			out = append(out, Property{"go:" + s.Key, s.Value})
		}
	}
	return out
}

// licences reads the list at the head of notices: "NAME VERSION: LICENCE", optionally with
// targets in parentheses.
func licences(notices string) map[string]string {
	known := map[string]string{}
	list, _, _ := strings.Cut(notices, "\n====")
	for line := range strings.Lines(list) {
		if name, licence, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			name, _, _ = strings.Cut(name, " (")
			known[name] = licence
		}
	}
	return known
}

// Write prints the bill.
func (b *Bill) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(b)
}
