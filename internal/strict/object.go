package strict

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// Object decodes a file with a single JSON value of ours. Unknown keys, repeated keys and data
// after the value are errors. All are reported at once with file:line and the nearest known key. A
// byte order mark is dropped.
func Object(file string, data []byte, into any) error {
	data, err := disk.Text(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	k := keys{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	if err := k.value(reflect.TypeOf(into), ""); err != nil {
		return k.at(k.offsetOf(err), err)
	}
	end := k.dec.InputOffset()
	if _, err := k.dec.Token(); !errors.Is(err, io.EOF) {
		k.errs = append(k.errs, k.at(end, errors.New("data after the JSON value")))
	}
	if len(k.errs) > 0 {
		return errors.Join(k.errs...)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return k.at(k.offsetOf(err), err)
	}
	return nil
}

// keys walks a JSON value together with the type that it is decoded into.
type keys struct {
	file string
	data []byte
	dec  *json.Decoder
	errs []error
}

// at adds the position to an error; the file may have no name.
func (k *keys) at(offset int64, err error) error {
	if k.file == "" {
		return err
	}
	line := 1 + bytes.Count(k.data[:min(offset, int64(len(k.data)))], []byte{'\n'})
	return fmt.Errorf("%s:%d: %w", k.file, line, err)
}

// offsetOf returns the position of an error from package json.
func (k *keys) offsetOf(err error) int64 {
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return wrong.Offset
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrong.Offset
	}
	return k.dec.InputOffset()
}

// token returns the next token; the end of the text within a value is an error.
func (k *keys) token() (json.Token, error) {
	t, err := k.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

// value reads one value that is decoded into type t; nil means any type. Its error is a syntax
// error; unknown and repeated keys are collected.
func (k *keys) value(t reflect.Type, path string) error {
	tok, err := k.token()
	if err != nil {
		return err
	}
	t = walked(t)
	switch tok {
	case json.Delim('{'):
		seen := map[string]bool{}
		for k.dec.More() {
			tok, err := k.token()
			if err != nil {
				return err
			}
			key, _ := tok.(string)
			of, err := member(t, key)
			if err == nil && seen[key] {
				err = fmt.Errorf("key %q comes twice", key)
			}
			if err != nil {
				if path != "" {
					err = fmt.Errorf("%s: %w", path, err)
				}
				k.errs = append(k.errs, k.at(k.dec.InputOffset(), err))
			}
			seen[key] = true
			if err := k.value(of, Join(path, key)); err != nil {
				return err
			}
		}
		_, err = k.token()
	case json.Delim('['):
		var of reflect.Type
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			of = t.Elem()
		}
		for n := 0; k.dec.More(); n++ {
			if err := k.value(of, fmt.Sprintf("%s[%d]", path, n)); err != nil {
				return err
			}
		}
		_, err = k.token()
	}
	return err
}

var jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()

// walked returns the type below pointers; nil for a type that decodes itself.
func walked(t reflect.Type) reflect.Type {
	for t != nil {
		if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
	return nil
}

// member returns the type of a key's value; it is an error if t is a struct without that key.
func member(t reflect.Type, key string) (reflect.Type, error) {
	if t == nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return nil, nil
	}
	if t.Kind() == reflect.Map {
		return t.Elem(), nil
	}
	var known []string
	for name, of := range members(t) {
		if name == key {
			return of, nil
		}
		known = append(known, name)
	}
	return nil, nearest.Unknown("key", key, known)
}

// members yields the keys of a struct with their types, including those of embedded structs. A
// field without a tag has its Go name, also in lower case.
func members(t reflect.Type) iter.Seq2[string, reflect.Type] {
	return func(yield func(string, reflect.Type) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
				for name, of := range members(f.Type) {
					if !yield(name, of) {
						return
					}
				}
			case !f.IsExported() || name == "-":
			case !yield(cmp.Or(name, strings.ToLower(f.Name)), f.Type), name == "" && !yield(f.Name, f.Type):
				return
			}
		}
	}
}
