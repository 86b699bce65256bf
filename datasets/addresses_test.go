package datasets

import (
	"regexp"
	"strings"
	"testing"
)

// TestOrigins: every source of the registry has a citation with the address of the paper, if it has
// a number, and addresses of repositories on the hub.
func TestOrigins(t *testing.T) {
	form := regexp.MustCompile(`^https://huggingface\.co/datasets/[\w.-]+/[\w.-]+(/tree/[0-9a-f]+)?$`)
	var names []string
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	for _, s := range TrainingSources() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		o, ok := OriginOf(name)
		if !ok {
			t.Errorf("%s has no origin", name)
		}
		if strings.Contains(o.Citation, "arXiv") != (o.Paper != "") {
			t.Errorf("%s: paper %q of %q", name, o.Paper, o.Citation)
		}
		for _, r := range o.Repos {
			if a := r.AddressAt(r.Revision + ", other"); !form.MatchString(a) || !form.MatchString(r.Address()) {
				t.Errorf("%s: data at %q", name, a)
			}
		}
	}
	if o, ok := OriginOf("mini-followir"); ok {
		t.Errorf("generated data has an origin: %+v", o)
	}
	if o, _ := OriginOf("followir"); o.Paper != "https://arxiv.org/abs/2403.15246" || len(o.Repos) != 3 {
		t.Errorf("followir: %+v", o)
	}
}
