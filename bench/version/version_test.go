package version

import (
	"bytes"
	"encoding/json"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"infbench/reports/page"
	"infbench/runners/provenance"
)

// built is Go's record of a binary.
func built() *debug.BuildInfo {
	return &debug.BuildInfo{
		GoVersion: "go1.26.8-X:simd",
		Main:      debug.Module{Path: "infbench", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "git.sr.ht/~sbinet/gg", Version: "v0.7.0", Sum: "h1:YmNf7YKd7diDMTPm86hZa1EM3pbkOyD/zzjl0LZUdNM="},
			{Path: "github.com/BurntSushi/toml", Version: "v1.4.1"},
			{Path: "example.org/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/new", Version: "v2.0.0", Sum: "h1:AA="}},
			{Path: "github.com/gomlx/compute", Version: "v0.1.2", Replace: &debug.Module{Path: "../compute", Version: "(devel)"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "-X secret"}},
	}
}

var stamped = provenance.BuildStamp{Version: "v1.0.0+changes", Source: "sha256:00", Assets: []provenance.BuildFile{
	{Name: "datasets/topics.txt", SHA256: strings.Repeat("0a", 32)}, {Name: "reports/page/assets/echarts.min.js", SHA256: page.EChartsSHA256}}}

func written(t *testing.T, b *Bill) string {
	t.Helper()
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestBill: a bill lists Go, modules with their licences and go.sum's hashes, and embedded
// files. Names are escaped package URLs. The bill has no other facts of the build.
func TestBill(t *testing.T) {
	text := written(t, NewBill(built(), stamped))
	for _, want := range []string{
		`"bomFormat": "CycloneDX"`, `"specVersion": "1.6"`, `"purl": "pkg:golang/infbench@v1.0.0%2Bchanges"`, `"value": "sha256:00"`,
		`"purl": "pkg:golang/std@1.26.8"`, `"value": "X:simd"`,
		`"purl": "pkg:golang/git.sr.ht/~sbinet/gg@v0.7.0"`, `"value": "h1:YmNf7YKd7diDMTPm86hZa1EM3pbkOyD/zzjl0LZUdNM="`, `"expression": "MIT"`,
		`"purl": "pkg:golang/github.com/burntsushi/toml@v1.4.1"`, `"name": "github.com/BurntSushi/toml"`, `"purl": "pkg:golang/example.org/new@v2.0.0"`,
		`"purl": "pkg:golang/github.com/gomlx/compute@v0.1.2"`, `"name": "infbench:changed"`,
		`"name": "datasets/topics.txt"`, `"aggregate": "complete"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, not := range []string{"secret", "example.org/old", "../compute", "echarts.min.js"} {
		if strings.Contains(text, not) {
			t.Errorf("%s in\n%s", not, text)
		}
	}
	if again := written(t, NewBill(built(), stamped)); again != text {
		t.Error("the same binary has two bills")
	}
	if text := written(t, NewBill(built(), provenance.BuildStamp{Version: "(devel)", Source: "binary-sha256:00"})); !strings.Contains(text, `"aggregate": "incomplete"`) {
		t.Errorf("the bill of a build that does not know its files is\n%s", text)
	}
}

// TestBillHasTheSchemasShape: the fields that the schema of CycloneDX 1.6 requires are present
// in valid forms.
func TestBillHasTheSchemasShape(t *testing.T) {
	var b struct {
		BomFormat, SpecVersion string
		Version                int
		Metadata               struct{ Component map[string]any }
		Components             []map[string]any
		Compositions           []struct {
			Aggregate  string
			Assemblies []string
		}
	}
	if err := json.Unmarshal([]byte(written(t, NewBill(built(), stamped))), &b); err != nil {
		t.Fatal(err)
	}
	if b.BomFormat != "CycloneDX" || b.SpecVersion != "1.6" || b.Version < 1 {
		t.Errorf("%s %s %d", b.BomFormat, b.SpecVersion, b.Version)
	}
	refs := map[string]bool{}
	purl := regexp.MustCompile(`^pkg:(golang|npm)(/[a-z0-9.~_-]+)+@[A-Za-z0-9.%_~-]+$`)
	digits := regexp.MustCompile(`^[a-f0-9]{64}$`)
	for _, c := range append(b.Components, b.Metadata.Component) {
		ref, _ := c["bom-ref"].(string)
		name, _ := c["name"].(string)
		kind, _ := c["type"].(string)
		if refs[ref] || ref == "" || name == "" || kind != "application" && kind != "library" && kind != "file" {
			t.Errorf("component %v", c)
		}
		refs[ref] = true
		if p, ok := c["purl"].(string); ok != (kind != "file") || ok && !purl.MatchString(p) {
			t.Errorf("%s: purl %q", name, p)
		}
		hashes, _ := c["hashes"].([]any)
		for _, h := range hashes {
			if h, _ := h.(map[string]any); h["alg"] != "SHA-256" || !digits.MatchString(h["content"].(string)) {
				t.Errorf("%s: hash %v", name, h)
			}
		}
	}
	for _, c := range b.Compositions {
		if c.Aggregate != "complete" || len(c.Assemblies) != 1 || !refs[c.Assemblies[0]] {
			t.Errorf("composition %v", c)
		}
	}
}

// TestLicences: the list at the head of the notices is read with and without targets.
func TestLicences(t *testing.T) {
	known := licences("Title\n\nwords: of prose\n\na v1: MIT\nb v2 (linux-arm64): MIT AND 0BSD\nGo standard library: BSD-3-Clause\n\n=====\n\nc v3: no\n")
	if known["a v1"] != "MIT" || known["b v2"] != "MIT AND 0BSD" || known["Go standard library"] != "BSD-3-Clause" || known["c v3"] != "" {
		t.Errorf("%v", known)
	}
	if known := licences(Notices); known["gopkg.in/yaml.v3 v3.0.1"] != "Apache-2.0 AND MIT" || known["Go standard library"] == "" || known["Apache ECharts "+scriptVersion] == "" {
		t.Errorf("of the notices: %v", known)
	}
}

// TestCommand: the verb prints version, sources, Go and platform, or the output of its flag.
func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"":          "infbench " + provenance.BuildVersion() + "\nsources  " + provenance.BuildSource() + "\nbuilt by go",
		"--notices": "Third-party notices of infbench\n",
		"--sbom":    "{\n  \"$schema\": \"http://cyclonedx.org/schema/bom-1.6.schema.json\",",
	} {
		cmd, out := Command(func() string { return "go+avx2" }), &bytes.Buffer{}
		cmd.SetArgs(strings.Fields(args))
		cmd.SetOut(out)
		if err := cmd.Execute(); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("version %s: %v\n%.200s", args, err, out)
		}
	}
}
