package datasets

import (
	"regexp"
	"slices"
	"strings"
)

// Origin is what the registry knows about a benchmark or a training corpus.
type Origin struct {
	Citation string
	Paper    string   // address of the paper; "" if the citation has no arXiv number
	Data     []string // addresses of the repositories of its files, at their commits if known
}

// OriginOf returns the origin of a benchmark or a training corpus that the registry has under a
// name. ok is false for other names.
func OriginOf(name string) (o Origin, ok bool) {
	for _, s := range Sources() {
		if s.Name == name {
			return originOf(s.Citation, s.Repos...), true
		}
	}
	for _, s := range TrainingSources() {
		if s.Name == name {
			return originOf(s.Citation, s.Repo), true
		}
	}
	return Origin{}, false
}

func originOf(citation string, repos ...Repo) Origin {
	o := Origin{Citation: citation}
	if m := arXiv.FindStringSubmatch(citation); m != nil {
		o.Paper = "https://arxiv.org/abs/" + m[1]
	}
	for _, r := range repos {
		if a := r.Address(); !slices.Contains(o.Data, a) {
			o.Data = append(o.Data, a)
		}
	}
	return o
}

// arXiv matches the number of a paper in a citation.
var arXiv = regexp.MustCompile(`\barXiv:(\d{4}\.\d{4,5})\b`)

// Address returns the address of a dataset repository on the hub, at its commit if that is known.
func (r Repo) Address() string {
	address := "https://huggingface.co/datasets/" + r.ID
	if strings.Trim(r.Revision, "0123456789abcdef") == "" && r.Revision != "" {
		address += "/tree/" + r.Revision
	}
	return address
}
