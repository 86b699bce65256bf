package training

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// registered holds the losses of this program, set once by Register.
var registered []Loss

// Register makes losses of this program known to ParseLoss as "NAME@VERSION" and "NAME". A
// program calls it once, before anything else; command.Main does so. A second call, two losses of
// one name, and a loss without a name or a version are errors.
func Register(losses ...Loss) error {
	if registered != nil {
		return errors.New("losses are registered twice: register all of them in one call")
	}
	for i, l := range losses {
		if err := checkLoss(l); err != nil {
			return err
		}
		if slices.ContainsFunc(losses[:i], func(other Loss) bool { return other.Name() == l.Name() }) {
			return fmt.Errorf("two losses have the name %s", l.Name())
		}
	}
	registered = slices.Clone(losses)
	return nil
}

// KnownLosses returns AllLosses, then the losses of this program.
func KnownLosses() []Loss {
	var all []Loss
	for _, l := range AllLosses() {
		all = append(all, l)
	}
	return append(all, registered...)
}

// NameOf is the name of a loss in files and leaderboards, which ParseLoss accepts: "uni(P,I)", or
// "margin@2" with the version.
func NameOf(l Loss) string {
	if l.Version() == "" {
		return l.Name()
	}
	return l.Name() + "@" + l.Version()
}

// PlainName is NameOf in a form that needs no quotes in YAML or in a shell.
func PlainName(l Loss) string {
	if c, ok := l.(Contrastive); ok {
		return c.Plain()
	}
	return NameOf(l)
}

var (
	ownName    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
	ownVersion = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

// checkLoss returns an error for combinations without a formula, and for losses of another
// program without a name or a version.
func checkLoss(l Loss) error {
	switch c, ok := l.(Contrastive); {
	case l == nil:
		return errors.New("no loss to train with")
	case ok:
		return c.check()
	case !ownName.MatchString(l.Name()) || Form(l.Name()).known():
		return fmt.Errorf("loss %q: its name must be a letter followed by letters, digits, dots, underscores or hyphens, and not the name of a form", l.Name())
	case !ownVersion.MatchString(l.Version()):
		return fmt.Errorf("loss %s: its version %q may have only letters, digits, dots, underscores and hyphens", l.Name(), l.Version())
	case l.Needs()&^allTerms != 0:
		return fmt.Errorf("loss %s: it needs terms that do not exist (%#b)", l.Name(), l.Needs())
	}
	return nil
}
