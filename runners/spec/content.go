package spec

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Content is what a repository held at its commit when a plan was made. The commit pins
// what the hub gave, this what lies in the cache: whoever swaps a file there changes no
// commit. No trial ID depends on it.
type Content struct {
	Of    string     `yaml:"of"`    // "dataset ORG/NAME@COMMIT"
	Files []Revision `yaml:"files"` // with the hash of each, by name
}

// Changed names a file of a repository that is not what it was, and says so; "" where
// all are. Files that were fetched since are no change.
func (c Content) Changed(now Content) string {
	for _, was := range c.Files {
		i := slices.IndexFunc(now.Files, func(r Revision) bool { return r.Name == was.Name })
		switch {
		case i < 0:
			return was.Name + " is gone"
		case now.Files[i].Revision != was.Revision:
			return was.Name + " was changed"
		}
	}
	return ""
}

// CheckContent refuses what a repository holds now where the trial was planned with
// something else; of what no plan says nothing is refused.
func (t *Trial) CheckContent(now Content) error { return contents(t.contents).check(now) }

type contents []Content

func (all contents) check(now Content) error {
	i := slices.IndexFunc(all, func(c Content) bool { return c.Of == now.Of })
	if i < 0 {
		return nil
	}
	if how := all[i].Changed(now); how != "" {
		return fmt.Errorf("%s in the cache is not what the plan was made with: %s; fetch it again, or sweep under another name", now.Of, how)
	}
	return nil
}

// Hold gives a plan the content of the repositories that its trials read, which has to be
// what the earlier plan of the same run folder was made with (nil: there is none).
func (p *Plan) Hold(now []Content, old *Plan) error {
	if old != nil {
		for _, c := range now {
			if err := contents(old.Contents).check(c); err != nil {
				return err
			}
		}
	}
	p.Contents = now
	p.share()
	return nil
}

// join are the contents of both plans.
func (all contents) join(others []Content) contents {
	out := slices.Clone(all)
	for _, c := range others {
		if !slices.ContainsFunc(out, func(have Content) bool { return have.Of == c.Of }) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Content) int { return strings.Compare(a.Of, b.Of) })
	return out
}

// differ says which repository two plans were made with other files of; "" for none.
func (all contents) differ(others []Content) string {
	for _, c := range others {
		if i := slices.IndexFunc(all, func(have Content) bool { return have.Of == c.Of }); i >= 0 && all[i].Changed(c) != "" && c.Changed(all[i]) != "" {
			return fmt.Sprintf("it was made with other files of %s: %s", c.Of, all[i].Changed(c))
		}
	}
	return ""
}

// share lets each trial know what the plan was made with.
func (p *Plan) share() {
	for i := range p.Trials {
		p.Trials[i].contents = p.Contents
	}
}

// ContentSum hashes what a repository held when the trial was planned; "" where no plan
// says.
func (t *Trial) ContentSum(of string) string {
	for _, c := range t.contents {
		if c.Of == of {
			return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical(c)))
		}
	}
	return ""
}
