package gate

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/words"
)

// Accepted is a change for the worse that somebody has agreed to: from one value of a number to
// another, or to none. Until it expires, the gate does not fail the number for that change. A drop
// below To is tested like any drop.
type Accepted struct {
	Line     int       // line of the file
	System   string    // name in reports
	Number   string    // name as the gate prints it, "nDCG@10 on mini-mair/entity-lookup"; "" for all numbers of a missing system
	From, To *float64  // native range; To is nil if the number is gone
	Until    time.Time // its last day
	Who, Why string
	Commit   string // commit that brought the change; "" if not recorded
	file     string
}

// Gone is the text of To for a number that is no longer measured.
const Gone = "gone"

// Position returns file and line of the acceptance: "accepted.yaml:4".
func (a *Accepted) Position() string { return fmt.Sprintf("%s:%d", a.file, a.Line) }

// Over reports whether the last day of an acceptance has passed, in UTC.
func (a *Accepted) Over(now time.Time) bool {
	return !now.UTC().Before(a.Until.AddDate(0, 0, 1))
}

// By names who accepted the change, until when, and why: "accepted by Ann until 2027-01-31:
// faster".
func (a *Accepted) By() string {
	return fmt.Sprintf("accepted by %s until %s: %s", a.Who, a.Until.Format(time.DateOnly), a.Why)
}

// ParseAccepted reads accepted changes:
//
//	accepted:
//	  - system: multi(P,I)                     # required, name in reports
//	    number: nDCG@10 on mini-mair (mean of 6 tasks)    # as the gate prints it; left out if all numbers of a system are gone
//	    from: 50.30                            # times 100, as in tables
//	    to: 38.10                              # or gone
//	    until: 2027-01-31                      # its last day, in UTC; required
//	    who: Ann <ann@example.org>             # required
//	    why: half the training time            # required
//	    commit: 4f2a91c                        # the commit that brought it
//
// It reports all mistakes at once, each with file:line:column.
func ParseAccepted(file string, data []byte) ([]*Accepted, error) {
	d, root, err := strict.Parse(file, data)
	if err != nil {
		return nil, err
	}
	d.Rejoin(root, nil)
	var out []*Accepted
	for _, f := range d.Fields(root, "accepted changes") {
		switch {
		case f.Name != "accepted":
			d.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, []string{"accepted"}))
		case f.Value.Kind != yaml.SequenceNode:
			d.Fail(f.Value, "accepted: want a list, found %s", strict.Describe(f.Value))
		default:
			for _, item := range f.Value.Content {
				out = append(out, readAcceptance(d, item))
			}
		}
	}
	return out, d.Err()
}

// acceptedText is an acceptance in the form of the file.
type acceptedText struct {
	System ruleName `yaml:"system"`
	Number ruleName `yaml:"number"`
	From   *float64 `yaml:"from"`
	To     level    `yaml:"to"`
	Until  day      `yaml:"until"`
	Who    ruleName `yaml:"who"`
	Why    ruleName `yaml:"why"`
	Commit ruleName `yaml:"commit"`
}

// level is the accepted value in the form of the file: times 100, or gone.
type level struct {
	given bool
	value *float64 // native range
}

func (l *level) UnmarshalText(text []byte) error {
	l.given = true
	if string(text) == Gone {
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !words.Finite(v) {
		return fmt.Errorf("want a number times 100, or %s, found %q", Gone, text)
	}
	v /= 100
	l.value = &v
	return nil
}

// day is a date.
type day struct{ time.Time }

func (t *day) UnmarshalText(text []byte) (err error) {
	if t.Time, err = time.Parse(time.DateOnly, string(text)); err != nil {
		return fmt.Errorf("want a day such as 2027-01-31, found %q", text)
	}
	return nil
}

// readAcceptance reads one acceptance.
func readAcceptance(d *strict.Decoder, n *yaml.Node) *Accepted {
	var t acceptedText
	if !d.Into(n, reflect.ValueOf(&t).Elem(), "accepted") {
		return nil
	}
	a := &Accepted{Line: n.Line, file: d.File, System: string(t.System), Number: string(t.Number), To: t.To.value, Until: t.Until.Time,
		Who: string(t.Who), Why: string(t.Why), Commit: string(t.Commit)}
	if t.From != nil {
		native := *t.From / 100
		a.From = &native
	}
	if err := t.check(); err != nil {
		n, _ = d.Resolve(n)
		d.Refuse(n, err)
	}
	return a
}

// check returns an error if required keys are missing.
func (t *acceptedText) check() error {
	var lacks []string
	for _, want := range []struct {
		key   string
		given bool
	}{{"system", t.System != ""}, {"to", t.To.given}, {"until", !t.Until.IsZero()}, {"who", t.Who != ""}, {"why", t.Why != ""}} {
		if !want.given {
			lacks = append(lacks, want.key)
		}
	}
	switch {
	case len(lacks) > 0:
		return fmt.Errorf("an accepted change needs %s", strings.Join(lacks, ", "))
	case t.Number == "" && t.To.value != nil:
		return errors.New("an accepted change to a value needs the number; it may be left out only with to: gone")
	}
	return nil
}

// FormatAccepted writes acceptances in the form that ParseAccepted reads.
func FormatAccepted(all []*Accepted) ([]byte, error) {
	type entry struct {
		System string   `yaml:"system"`
		Number string   `yaml:"number,omitempty"`
		From   *float64 `yaml:"from,omitempty"`
		To     any      `yaml:"to"`
		Until  string   `yaml:"until"`
		Who    string   `yaml:"who"`
		Why    string   `yaml:"why"`
		Commit string   `yaml:"commit,omitempty"`
	}
	file := struct {
		Accepted []entry `yaml:"accepted"`
	}{Accepted: []entry{}}
	for _, a := range all {
		e := entry{System: a.System, Number: a.Number, To: Gone, Until: a.Until.Format(time.DateOnly), Who: a.Who, Why: a.Why, Commit: a.Commit}
		if a.From != nil {
			from := words.Scaled(*a.From)
			e.From = &from
		}
		if a.To != nil {
			e.To = words.Scaled(*a.To)
		}
		file.Accepted = append(file.Accepted, e)
	}
	return yaml.Marshal(file)
}
