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

// Build is the program and backend that computed a cell. Numbers of two builds can differ
// even if the systems do not. Texts are empty if not recorded.
type Build struct {
	Infbench string `json:"infbench"`
	Source   string `json:"source,omitempty"`  // hash of the sources
	Address  string `json:"address,omitempty"` // of the sources on the web
	Go       string `json:"go,omitempty"`
	Backend  string `json:"backend,omitempty"`
	Kernels  string `json:"kernels,omitempty"`
}

// deviceNumber matches the number of a machine's device.
var deviceNumber = regexp.MustCompile(`\bcuda:[0-9]+`)

// goKernels matches the Go backend with its kernels.
var goKernels = regexp.MustCompile(`^go\+(\w+)(.*)$`)

// BuildOf returns the build in a provenance; empty for imports, which were not run here.
func BuildOf(p *results.Provenance) Build {
	if p.Imported != "" || p.Infbench == "" {
		return Build{}
	}
	b := Build{Infbench: words.Clean(p.Infbench), Source: words.Clean(p.Source), Address: words.Clean(p.Address), Go: words.Clean(p.Go), Backend: words.Clean(deviceNumber.ReplaceAllString(p.Backend, "cuda"))}
	if set := goKernels.FindStringSubmatch(b.Backend); set != nil {
		b.Backend, b.Kernels = "go"+set[2], set[1]
	}
	return b
}

// Into writes a build into a provenance; BuildOf reads it.
func (b Build) Into(p *results.Provenance) {
	p.Infbench, p.Source, p.Address, p.Go, p.Backend = b.Infbench, b.Source, b.Address, b.Go, b.Backend
	if options, ok := strings.CutPrefix(b.Backend, "go"); ok && b.Kernels != "" {
		p.Backend = "go+" + b.Kernels + options
	}
}

// aspects lists the properties that all cells of a board should share, with the beginning
// of the note if they do not. Aspects of networks are ignored for systems without one.
var aspects = []struct {
	note     string
	of       func(Build) string
	networks bool
}{
	{"Made by different builds of infbench", Build.program, false},
	{"Built by different versions of Go", func(b Build) string { return b.Go }, false},
	{"Computed by different backends", func(b Build) string { return b.Backend }, true},
	{"Computed by different kernels", func(b Build) string { return b.Kernels }, true},
}

// program identifies a build of infbench: by its sources if known, because a version also
// changes with other files.
func (b Build) program() string {
	return cmp.Or(b.Source, b.Infbench)
}

// name returns the name of a program for readers.
func (b Build) name() string {
	if kind, digits, found := strings.Cut(b.Source, ":"); found {
		return fmt.Sprintf("%s (%s:%s)", b.Infbench, kind, words.Shorten(digits))
	}
	return b.Infbench
}

// Version returns the version of the program.
func (b Build) Version() string { return b.Infbench }

// Cited identifies the program for citations: its version, the hash of its sources and their
// address, as far as the build states them.
func (b Build) Cited() string {
	if b.Address == "" {
		return b.name()
	}
	return b.name() + ", " + b.Address
}

// namedOfBuild is the number of systems that a note lists per build.
const namedOfBuild = 5

// BuildNotes lists the systems of each build if there is more than one. If no build is
// recorded there is no note.
func BuildNotes(v *Set) []string {
	var out []string
	for i, a := range aspects {
		names := map[string][]string{}
		for _, s := range v.Systems {
			if a.networks && !results.Config(s.Config()).Network() {
				continue
			}
			for of, label := range madeBy(s, a.of) {
				if of != "" || i == 0 { // systems without a recorded build also lack all other aspects
					names[of] = append(names[of], label)
				}
			}
		}
		if len(names) > 1 {
			out = append(out, a.note+": "+v.byBuild(names)+".")
		}
	}
	return out
}

// byBuild lists systems by build, those without a record last.
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

// buildName returns the name of a program; other aspects are returned unchanged.
func (v *Set) buildName(of string) string {
	for _, b := range v.Builds() {
		if b.program() == of {
			return b.name()
		}
	}
	return of
}

// madeBy maps each build of a system's finished trials to the system's label. The label
// includes the number of trials if there are several builds.
func madeBy(s *System, of func(Build) string) map[string]string {
	count, all := map[string]int{}, 0
	for _, t := range s.Trials {
		if t.Finished() && t.Provenance.Imported == "" && t.Config[results.Imported] == "" { // a page carries only the configuration
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
