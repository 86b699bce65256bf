package spec

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/metrics/nearest"
)

// decoder fills Go values from YAML nodes more strictly than yaml.v3 does:
// unknown keys, fractions where integers belong, NaN and Inf are errors, every
// error carries its line and column, and all of them are collected.
type decoder struct {
	file   string
	errs   *Errors
	visits int // nodes seen, aliases expanded: the guard against alias bombs

	structs map[reflect.Type]map[string]int // fieldIndex of what was met
}

// maxVisits bounds the nodes of one file after alias expansion.
const maxVisits = 200_000

// maxFormatted is how many errors are worded; those beyond are counted.
const maxFormatted = 10 * maxErrors

// errBeyond stands for errors that are not worded. They sort last.
var errBeyond = Error{Line: math.MaxInt, Err: errors.New("one more error")}

// fail records an error at a node.
func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	if len(*d.errs) >= maxFormatted {
		d.errs.add(errBeyond)
		return
	}
	d.errs.add(Error{File: d.file, Line: n.Line, Column: n.Column, Err: fmt.Errorf(format, args...)})
}

// resolve follows aliases and counts the visit; ok is false past the bound.
func (d *decoder) resolve(n *yaml.Node) (*yaml.Node, bool) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	d.visits++
	if d.visits == maxVisits {
		d.fail(n, "more than %d values after expanding aliases", maxVisits)
	}
	return n, d.visits < maxVisits
}

// refuse records the errors that a check of the value at n found, each at the key
// that it begins with where n has that.
func (d *decoder) refuse(n *yaml.Node, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			d.refuse(n, one)
		}
		return
	}
	at := n
	if n.Kind == yaml.MappingNode {
		name, _, _ := strings.Cut(err.Error(), " ")
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == strings.TrimSuffix(name, ":") {
				at = n.Content[i+1]
			}
		}
	}
	d.fail(at, "%w", err)
}

// fields returns key and value nodes of a mapping in file order, refusing
// duplicates, merge keys and keys that are no plain strings.
func (d *decoder) fields(n *yaml.Node, what string) []field {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "%s: want a mapping, found %s", what, describe(n))
		return nil
	}
	var out []field
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			d.fail(k, "%s: keys must be plain names, found %s", what, describe(k))
		case seen[k.Value]:
			d.fail(k, "%s: key %q given twice", what, k.Value)
		default:
			seen[k.Value] = true
			out = append(out, field{name: k.Value, key: k, value: v})
		}
	}
	return out
}

// field is one entry of a mapping.
type field struct {
	name       string
	key, value *yaml.Node
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// into fills v, which must be settable, from n; path names the value in errors.
func (d *decoder) into(n *yaml.Node, v reflect.Value, path string) {
	n, ok := d.resolve(n)
	if !ok {
		return
	}
	if v.Kind() != reflect.Pointer && v.CanAddr() && v.Addr().Type().Implements(textUnmarshaler) {
		d.text(n, v, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.into(n, v.Elem(), path)
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Slice:
		d.sequence(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

// text decodes through UnmarshalText, whose errors yaml.v3 would leave without
// a line.
func (d *decoder) text(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fail(n, "%s: want a name, found %s", path, describe(n))
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		d.fail(n, "%s: %w", path, err)
	}
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	known := d.fieldIndex(v.Type())
	for _, f := range d.fields(n, path) {
		i, ok := known[f.name]
		if !ok {
			d.fail(f.key, "%w", nearest.Unknown("key", f.name, fieldNames(v.Type())))
			continue
		}
		d.into(f.value, v.Field(i), join(path, f.name))
	}
}

func (d *decoder) sequence(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, "%s: want a list, found %s", path, describe(n))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.into(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(out)
}

// leadingZero fits integers that some readers of YAML take as octal and others as
// decimal.
var leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	want := kindName(v.Kind())
	if v.Kind() != reflect.String && leadingZero.MatchString(n.Value) {
		d.fail(n, "%s: want %s, found %s: does the zero in front make it octal? write 0o for that, or none", path, want, describe(n))
		return
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fail(n, "%s: want %s, found %s", path, want, describe(n))
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(n.Value); err == nil && n.Tag == "!!bool" {
			v.SetBool(b)
			return
		}
		d.fail(n, "%s: want true or false, found %s", path, describe(n))
	case reflect.Int, reflect.Int32, reflect.Int64:
		var i int64
		if i, err = strconv.ParseInt(n.Value, 0, v.Type().Bits()); err == nil && n.Tag == "!!int" {
			v.SetInt(i)
			return
		}
		d.fail(n, "%s: want %s, found %s", path, want, describe(n))
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		var u uint64
		if u, err = strconv.ParseUint(n.Value, 0, v.Type().Bits()); err == nil && n.Tag == "!!int" {
			v.SetUint(u)
			return
		}
		d.fail(n, "%s: want %s, found %s", path, want, describe(n))
	case reflect.Float32, reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(n.Value, v.Type().Bits())
		numeric := n.Tag == "!!int" || n.Tag == "!!float"
		if err != nil || !numeric || math.IsNaN(x) || math.IsInf(x, 0) {
			d.fail(n, "%s: want a finite number, found %s", path, describe(n))
			return
		}
		v.SetFloat(x)
	default:
		panic("spec: no decoding for " + v.Type().String())
	}
}

// fieldIndex is fieldIndex, remembered: a plan has thousands of equal structs.
func (d *decoder) fieldIndex(t reflect.Type) map[string]int {
	if d.structs == nil {
		d.structs = map[reflect.Type]map[string]int{}
	}
	if d.structs[t] == nil {
		d.structs[t] = fieldIndex(t)
	}
	return d.structs[t]
}

// fieldIndex maps the YAML names of a struct to field indices.
func fieldIndex(t reflect.Type) map[string]int {
	index := map[string]int{}
	for i := range t.NumField() {
		if name := fieldName(t.Field(i)); name != "" {
			index[name] = i
		}
	}
	return index
}

// fieldNamed is the index of one field of a struct by its YAML name, below 0
// where there is none.
func fieldNamed(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if fieldName(t.Field(i)) == name && name != "" {
			return i
		}
	}
	return -1
}

// fieldNames lists the YAML names of a struct in declaration order.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := fieldName(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// fieldName is a field's name in YAML, empty where it has none.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if !f.IsExported() || name == "-" {
		return ""
	}
	return name
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return "a whole number of at least 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "a name"
}

// describe words what a node holds.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		return "the text " + strconv.Quote(n.Value)
	}
	return strconv.Quote(n.Value)
}
