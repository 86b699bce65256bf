package scores

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// Build is what computed a cell: numbers of two builds can differ where the systems do
// not. Texts are empty where nothing is recorded.
type Build struct {
	Infbench string `json:"infbench"`
	Source   string `json:"source,omitempty"` // hash of what it was built from
	Go       string `json:"go,omitempty"`
	Backend  string `json:"backend,omitempty"`
	Kernels  string `json:"kernels,omitempty"`
}

// deviceNumber is which of a machine's devices of one kind a backend was opened on.
var deviceNumber = regexp.MustCompile(`\bcuda:[0-9]+`)

// goKernels is the Go backend with the kernels that it computed with.
var goKernels = regexp.MustCompile(`^go\+(\w+)(.*)$`)

// BuildOf is what a provenance says of it; of what was imported nothing was run.
func BuildOf(p *results.Provenance) Build {
	if p.Imported != "" || p.Infbench == "" {
		return Build{}
	}
	b := Build{Infbench: words.Clean(p.Infbench), Source: words.Clean(p.Source), Go: words.Clean(p.Go), Backend: words.Clean(deviceNumber.ReplaceAllString(p.Backend, "cuda"))}
	if set := goKernels.FindStringSubmatch(b.Backend); set != nil {
		b.Backend, b.Kernels = "go"+set[2], set[1]
	}
	return b
}

// Into writes a build into a provenance, for BuildOf to find.
func (b Build) Into(p *results.Provenance) {
	p.Infbench, p.Source, p.Go, p.Backend = b.Infbench, b.Source, b.Go, b.Backend
	if options, ok := strings.CutPrefix(b.Backend, "go"); ok && b.Kernels != "" {
		p.Backend = "go+" + b.Kernels + options
	}
}

// aspects are what cells of one board should share, and how a note begins where they do
// not; of those of networks nothing is said of systems that have none.
var aspects = []struct {
	said     string
	of       func(Build) string
	networks bool
}{
	{"Made by different builds of infbench", Build.program, false},
	{"Built by different versions of Go", func(b Build) string { return b.Go }, false},
	{"Computed by different backends", func(b Build) string { return b.Backend }, true},
	{"Computed by different kernels", func(b Build) string { return b.Kernels }, true},
}

// program tells a build of infbench from others: by its sources, since a version changes
// with what is no source, too.
func (b Build) program() string {
	return cmp.Or(b.Source, b.Infbench)
}

// name is what a reader knows a program by.
func (b Build) name() string {
	if kind, digits, found := strings.Cut(b.Source, ":"); found {
		return fmt.Sprintf("%s (%s:%s)", b.Infbench, kind, words.Shorten(digits))
	}
	return b.Infbench
}

// namedOfBuild is how many systems a note lists of one build.
const namedOfBuild = 5

// BuildNotes says which cells were made by which build where that is not one for all.
// Where nothing is recorded of any, nothing is said.
func BuildNotes(v *Set) []string {
	var out []string
	for i, a := range aspects {
		names := map[string][]string{}
		for _, s := range v.Systems {
			if a.networks && !results.Config(s.Config()).Network() {
				continue
			}
			for of, label := range madeBy(s, a.of) {
				if of != "" || i == 0 { // what records no build records nothing else either
					names[of] = append(names[of], label)
				}
			}
		}
		if len(names) > 1 {
			out = append(out, a.said+": "+v.byBuild(names)+".")
		}
	}
	return out
}

// byBuild lists systems by what they were made with, what is not recorded last.
func (v *Set) byBuild(names map[string][]string) string {
	var parts []string
	for _, of := range words.SortedKeys(names) {
		if of != "" {
			parts = append(parts, v.buildName(of)+": "+words.First(namedOfBuild, names[of]))
		}
	}
	if unknown := names[""]; unknown != nil {
		parts = append(parts, words.Unrecorded+": "+words.First(namedOfBuild, unknown))
	}
	return strings.Join(parts, "; ")
}

// buildName is the name of a program, and anything else as it is.
func (v *Set) buildName(of string) string {
	for _, b := range v.Builds() {
		if b.program() == of {
			return b.name()
		}
	}
	return of
}

// madeBy names a system under each build of its finished trials, with how many are of it
// where that is not one for all.
func madeBy(s *System, of func(Build) string) map[string]string {
	count, all := map[string]int{}, 0
	for _, t := range s.Trials {
		if t.Finished() && t.Provenance.Imported == "" && t.Config[results.Imported] == "" { // a page carries the configuration only
			count[of(BuildOf(&t.Provenance))]++
			all++
		}
	}
	labels := map[string]string{}
	for build, n := range count {
		if labels[build] = s.Label; n < all {
			labels[build] = fmt.Sprintf("%s (%d of %d trials)", s.Label, n, all)
		}
	}
	return labels
}

// Builds lists the builds of finished trials, in order.
func (v *Set) Builds() []Build {
	var all []Build
	for _, t := range v.Trials {
		if b := BuildOf(&t.Provenance); t.Finished() && b != (Build{}) && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}
