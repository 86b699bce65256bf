package strict

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
)

// Decoder decodes YAML nodes into Go values. It collects all errors.
type Decoder struct {
	File   string
	errs   Errors
	visits int // visited nodes including expanded aliases: protects against alias bombs
}

// maxVisits is the maximum number of nodes in one file after alias expansion.
const maxVisits = 200_000

// maxFormatted is the maximum number of formatted errors; further ones are only counted.
const maxFormatted = 10 * maxShown

// errBeyond stands for an error that is only counted. These sort last.
var errBeyond = Error{Line: math.MaxInt, Err: errors.New("one more error")}

// Err returns all errors as Errors, or nil.
func (d *Decoder) Err() error {
	if len(d.errs) == 0 {
		return nil
	}
	return d.errs
}

// Faults returns the number of errors so far.
func (d *Decoder) Faults() int { return len(d.errs) }

// Full reports whether further errors would only be counted.
func (d *Decoder) Full() bool { return len(d.errs) >= maxFormatted }

// At returns the position of a node, for an Error.
func (d *Decoder) At(n *yaml.Node) Error { return Error{File: d.File, Line: n.Line, Column: n.Column} }

// Fail records an error at a node.
func (d *Decoder) Fail(n *yaml.Node, format string, args ...any) {
	if d.Full() {
		d.errs = append(d.errs, errBeyond)
		return
	}
	fault := d.At(n)
	fault.Err = fmt.Errorf(format, args...)
	d.errs = append(d.errs, fault)
}

// Resolve follows aliases and counts the visit; ok is false beyond the limit.
func (d *Decoder) Resolve(n *yaml.Node) (*yaml.Node, bool) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	d.visits++
	if d.visits == maxVisits {
		d.Fail(n, "more than %d values after expanding aliases", maxVisits)
	}
	return n, d.visits < maxVisits
}

// Refuse records the errors of a check of the value at n. If an error begins with a key of n, its
// position is that key's value.
func (d *Decoder) Refuse(n *yaml.Node, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			d.Refuse(n, one)
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
	d.Fail(at, "%w", err)
}

// Fields returns the key and value nodes of a mapping in file order. Repeated keys and keys that
// are not plain strings are errors.
func (d *Decoder) Fields(n *yaml.Node, what string) []Field {
	if n.Kind != yaml.MappingNode {
		d.Fail(n, "%s: want a mapping, found %s", what, Describe(n))
		return nil
	}
	var out []Field
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			d.Fail(k, "%s: keys must be plain names, found %s", what, Describe(k))
		case seen[k.Value]:
			d.Fail(k, "%s: key %q given twice", what, k.Value)
		default:
			seen[k.Value] = true
			out = append(out, Field{Name: k.Value, Key: k, Value: v})
		}
	}
	return out
}

// Field is one entry of a mapping.
type Field struct {
	Name       string
	Key, Value *yaml.Node
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// Into decodes n into v, which must be settable; path names the value in errors. It reports whether
// there were no errors.
func (d *Decoder) Into(n *yaml.Node, v reflect.Value, path string) bool {
	before := len(d.errs)
	d.into(n, v, path)
	return len(d.errs) == before
}

func (d *Decoder) into(n *yaml.Node, v reflect.Value, path string) {
	n, ok := d.Resolve(n)
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

// text decodes through UnmarshalText; yaml.v3 would not give the line of an error.
func (d *Decoder) text(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.Fail(n, "%s: want a name, found %s", path, Describe(n))
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		d.Fail(n, "%s: %w", path, err)
	}
}

func (d *Decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	for _, f := range d.Fields(n, path) {
		i := FieldNamed(v.Type(), f.Name)
		if i < 0 {
			d.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, FieldNames(v.Type())))
			continue
		}
		d.into(f.Value, v.Field(i), Join(path, f.Name))
	}
}

func (d *Decoder) sequence(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.Fail(n, "%s: want a list, found %s", path, Describe(n))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.into(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(out)
}

// leadingZero matches integers that some YAML readers parse as octal and others as decimal.
var leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	want := kindName(v.Kind())
	if v.Kind() != reflect.String && leadingZero.MatchString(n.Value) {
		d.Fail(n, "%s: want %s, found %s: does the zero in front make it octal? write 0o for that, or none", path, want, Describe(n))
		return
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.Fail(n, "%s: want %s, found %s", path, want, Describe(n))
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
		d.Fail(n, "%s: want true or false, found %s", path, Describe(n))
	case reflect.Int, reflect.Int32, reflect.Int64:
		var i int64
		if i, err = strconv.ParseInt(n.Value, 0, v.Type().Bits()); err == nil && n.Tag == "!!int" {
			v.SetInt(i)
			return
		}
		d.Fail(n, "%s: want %s, found %s", path, want, Describe(n))
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		var u uint64
		if u, err = strconv.ParseUint(n.Value, 0, v.Type().Bits()); err == nil && n.Tag == "!!int" {
			v.SetUint(u)
			return
		}
		d.Fail(n, "%s: want %s, found %s", path, want, Describe(n))
	case reflect.Float32, reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(n.Value, v.Type().Bits())
		numeric := n.Tag == "!!int" || n.Tag == "!!float"
		if err != nil || !numeric || math.IsNaN(x) || math.IsInf(x, 0) {
			d.Fail(n, "%s: want a finite number, found %s", path, Describe(n))
			return
		}
		v.SetFloat(x)
	default:
		panic("strict: no decoding for " + v.Type().String())
	}
}

// StructField is a field of a struct that has a name in YAML.
type StructField struct {
	Name      string
	Index     int
	OmitEmpty bool // omitted when zero
}

// knownFields caches FieldsOf by type: a plan has thousands of equal structs.
var knownFields sync.Map // reflect.Type -> []StructField

// FieldsOf lists the named fields of a struct in declaration order. The list must not be changed.
func FieldsOf(t reflect.Type) []StructField {
	if known, ok := knownFields.Load(t); ok {
		return known.([]StructField)
	}
	var fields []StructField
	for i := range t.NumField() {
		if name := FieldName(t.Field(i)); name != "" {
			fields = append(fields, StructField{name, i, strings.HasSuffix(t.Field(i).Tag.Get("yaml"), ",omitempty")})
		}
	}
	knownFields.Store(t, fields)
	return fields
}

// FieldNamed returns the index of a struct field by its YAML name, negative if there is none.
func FieldNamed(t reflect.Type, name string) int {
	for _, f := range FieldsOf(t) {
		if f.Name == name {
			return f.Index
		}
	}
	return -1
}

// FieldNames lists the YAML names of a struct in declaration order.
func FieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range FieldsOf(t) {
		names = append(names, f.Name)
	}
	return names
}

// FieldName returns a field's name in YAML, "" if it has none.
func FieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if !f.IsExported() || name == "-" {
		return ""
	}
	return name
}

// Join appends a name to a dotted path, which may be empty.
func Join(path, name string) string {
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

// Describe names the kind or content of a node for errors.
func Describe(n *yaml.Node) string {
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
