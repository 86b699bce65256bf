package datasets

import (
	"regexp"
	"slices"
	"strings"
)

// Origin is what the registry knows about a benchmark or a training corpus.
type Origin struct {
	Citation string
	Paper    string // address of the paper; "" if the citation has no arXiv number
	Repos    []Repo // of its files
}

// OriginOf returns the origin of a benchmark or a training corpus that the registry has under a
// name. ok is false for other names.
func OriginOf(name string) (o Origin, ok bool) {
	if s, err := FindSource(name); err == nil {
		return originAt(s.Citation, s.Repos...), true
	}
	if s, err := FindTraining(name); err == nil {
		return originAt(s.Citation, s.Repo), true
	}
	return Origin{}, false
}

func originAt(citation string, repos ...Repo) Origin {
	o := Origin{Citation: citation}
	if m := arXiv.FindStringSubmatch(citation); m != nil {
		o.Paper = "https://arxiv.org/abs/" + m[1]
	}
	for _, r := range repos {
		if !slices.Contains(o.Repos, r) {
			o.Repos = append(o.Repos, r)
		}
	}
	return o
}

// arXiv matches the number of a paper in a citation.
var arXiv = regexp.MustCompile(`\barXiv:(\d{4}\.\d{4,5})\b`)

// Address returns the address of a dataset repository on the hub, without a commit.
func (r Repo) Address() string { return "https://huggingface.co/datasets/" + r.ID }

// AddressAt returns the address of the repository at its commit if recorded, a list of revisions,
// has that commit. Otherwise it is that of the repository.
func (r Repo) AddressAt(recorded string) string {
	if len(r.Revision) < 40 || !strings.Contains(recorded, r.Revision) {
		return r.Address()
	}
	return r.Address() + "/tree/" + r.Revision
}
