package spec

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Content is the content of a repository's files when a plan was made. The commit pins the
// files on the hub; Content pins those in the cache, because replacing a file there does not
// change the commit. No trial ID depends on it.
type Content struct {
	Of    string     `yaml:"of"`    // "dataset ORG/NAME@COMMIT"
	Files []Revision `yaml:"files"` // with the hash of each, by name
}

// Changed describes a file of a repository that has changed or is missing, or returns "". New
// files do not count.
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

// CheckContent returns an error if a repository's content differs from the content when the
// trial was planned. Inputs that the plan does not mention are accepted.
func (t *Trial) CheckContent(now Content) error { return contents(t.contents).check(now) }

type contents []Content

func (all contents) check(now Content) error {
	i := slices.IndexFunc(all, func(c Content) bool { return c.Of == now.Of })
	if i < 0 {
		return nil
	}
	if how := all[i].Changed(now); how != "" {
		return fmt.Errorf("%s in the cache has changed since the plan was made: %s; fetch it again, or sweep under another name", now.Of, how)
	}
	return nil
}

// Hold records in a plan the content of the repositories that its trials read. It returns an
// error if that differs from the content in the earlier plan of the same run folder (nil: there
// is none).
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

// join returns the contents of both plans.
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

// differ names a repository with different files in two plans, or returns "".
func (all contents) differ(others []Content) string {
	for _, c := range others {
		if i := slices.IndexFunc(all, func(have Content) bool { return have.Of == c.Of }); i >= 0 && all[i].Changed(c) != "" && c.Changed(all[i]) != "" {
			return fmt.Sprintf("it was made with other files of %s: %s", c.Of, all[i].Changed(c))
		}
	}
	return ""
}

// share gives each trial the contents of the plan.
func (p *Plan) share() {
	for i := range p.Trials {
		p.Trials[i].contents = p.Contents
	}
}

// ContentSum hashes a repository's content when the trial was planned; "" if the plan does not
// have it.
func (t *Trial) ContentSum(of string) string {
	for _, c := range t.contents {
		if c.Of == of {
			return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical(c)))
		}
	}
	return ""
}
