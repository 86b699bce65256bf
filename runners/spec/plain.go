package spec

import (
	"encoding"
	"fmt"
	"reflect"

	"infbench/internal/strict"
)

// plain turns a value into maps, slices and scalars with YAML names, the form in which plans
// are stored and trial IDs are hashed. It leaves out zero fields marked omitempty.
func plain(v reflect.Value) any {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("spec: %v", err)) // a parsed value prints
		}
		return string(text)
	}
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for _, f := range strict.FieldsOf(v.Type()) {
			if value := v.Field(f.Index); !f.OmitEmpty || !value.IsZero() {
				out[f.Name] = plain(value)
			}
		}
		return out
	case reflect.String:
		return v.String() // also for named types
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	}
	return v.Interface()
}
