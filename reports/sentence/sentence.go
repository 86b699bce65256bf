// Package sentence writes the sentences of reports: how much of a plan finished, who leads,
// what the tests leave undecided, which controls fail. Each sentence is a type with the facts
// as fields, and one template in sentences.txt with the name of the type. Nothing is computed
// or tested here: numbers arrive formatted.
package sentence

import (
	_ "embed"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template"

	"infbench/internal/words"
)

//go:embed sentences.txt
var texts string

var templates = template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
	"count": words.Plural,
	"first": words.First,
	"list":  func(names []string) string { return strings.Join(names, ", ") },
	"and_":  and,
	"some":  some,
	"quote": strconv.Quote,
	"sub":   func(a, b int) int { return a - b },
}).Parse(texts))

// Difference is a difference between two systems, ×100, with its interval and "p = 0.0100".
type Difference struct{ By, Interval, P string }

// say executes the template of a type. An error is a fault of the template, which the golden
// file of examples would show.
func say(facts any) string {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, reflect.TypeOf(facts).Name(), facts); err != nil {
		panic(err)
	}
	return out.String()
}

// and joins names: "a, b and c".
func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// some is a number of systems, with their names if there are at most three.
func some(systems []string) string {
	if len(systems) > 3 {
		return fmt.Sprint(len(systems))
	}
	return fmt.Sprintf("%d (%s)", len(systems), strings.Join(systems, ", "))
}
