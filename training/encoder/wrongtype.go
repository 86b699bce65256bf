package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// wrongType returns the error for a setting of config.json with another type than Config's field;
// keys maps names in the file to those of Config.
func wrongType(err error, keys map[string]string) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || e.Field == "" {
		return err
	}
	name := e.Field
	for theirs, ours := range keys {
		if ours == e.Field {
			name = theirs
		}
	}
	want := map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Int32: "a whole number", reflect.Float64: "a number",
		reflect.String: "a text", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	}[e.Type.Kind()]
	return fmt.Errorf("%s: %s where %s is wanted", name, e.Value, want)
}
