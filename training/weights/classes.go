package weights

import (
	"errors"
	"fmt"
	"strings"
)

// class is a name that a pickle asks for, with the function that replaces it.
type class struct {
	name  string // "torch.FloatStorage"
	dtype string // of storages and types; untyped for bytes
	kind  kind
	call  func(args tuple) (any, error) // nil: it cannot be called
}

type kind int

const (
	callable    kind = iota
	storageType      // names the values of a storage
	valueType        // names the values of a tensor of bytes
	wrapper          // a class whose tensors are plain tensors
)

// classes are the names that a state dict needs. All others are errors.
var classes = buildClasses()

func buildClasses() map[string]class {
	all := map[string]class{
		"collections.OrderedDict":                    {call: newDict},
		"torch.Size":                                 {call: only},
		"torch._utils._rebuild_tensor":               {call: rebuildTensor},
		"torch._utils._rebuild_tensor_v2":            {call: rebuildTensor},
		"torch._utils._rebuild_tensor_v3":            {call: rebuildTyped},
		"torch._utils._rebuild_parameter":            {call: rebuildParameter},
		"torch._utils._rebuild_parameter_with_state": {call: rebuildParameter},
		"torch._tensor._rebuild_from_type_v2":        {call: rebuildFromType},
	}
	for name, dtype := range map[string]string{
		"Float": "F32", "Double": "F64", "Half": "F16", "BFloat16": "BF16", "Bool": "BOOL",
		"Byte": "U8", "Char": "I8", "Short": "I16", "Int": "I32", "Long": "I64",
	} {
		all["torch."+name+"Storage"] = class{dtype: dtype, kind: storageType}
	}
	for _, name := range []string{"torch.UntypedStorage", "torch.storage.UntypedStorage", "torch.storage._UntypedStorage"} {
		all[name] = class{dtype: untyped, kind: storageType}
	}
	for name, dtype := range map[string]string{
		"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "bool": "BOOL",
		"uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
		"uint16": "U16", "uint32": "U32", "uint64": "U64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
	} {
		all["torch."+name] = class{dtype: dtype, kind: valueType}
	}
	for _, name := range []string{"torch.Tensor", "torch.nn.parameter.Parameter"} {
		all[name] = class{kind: wrapper}
	}
	for name, c := range all {
		c.name = name
		all[name] = c
	}
	return all
}

// find returns the class of a name, or an error with the reason why it is not allowed.
func find(module, name string) (class, error) {
	full := clip(module + "." + name)
	c, ok := classes[full]
	switch {
	case ok:
		return c, nil
	case strings.HasPrefix(full, "torch.nn.") || strings.HasPrefix(full, "__torch__"):
		return class{}, fmt.Errorf("refused, nothing was executed: it asks for %s: a complete module was saved, not its state_dict()", full)
	case strings.Contains(full, "sparse"):
		return class{}, fmt.Errorf("refused, nothing was executed: it asks for %s: only dense tensors are read", full)
	}
	return class{}, fmt.Errorf("refused, nothing was executed: it asks for %s, which a state dict does not need", full)
}

// clip shortens a name from a file for a message.
func clip(name string) string {
	const most = 200
	if len(name) > most {
		name = name[:most] + "..."
	}
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name), "?")
}

func newDict(args tuple) (any, error) {
	if len(args) != 0 {
		return nil, errors.New("an OrderedDict made of values")
	}
	return &dict{}, nil
}

// only returns the single argument, for a class that adds nothing to it.
func only(args tuple) (any, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("%d arguments, not one", len(args))
	}
	return args[0], nil
}

// rebuildTensor takes storage, offset, size and stride; further arguments (gradients, hooks) have
// no effect on values.
func rebuildTensor(args tuple) (any, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("%d arguments", len(args))
	}
	in, ok := args[0].(*storage)
	if !ok || in.kind == untyped {
		return nil, fmt.Errorf("%s, not a storage with a type", kindOf(args[0]))
	}
	return newTensor(in, in.kind, args[1], args[2], args[3])
}

// rebuildTyped takes storage, offset, size, stride, gradient, hooks and dtype; the storage has
// bytes.
func rebuildTyped(args tuple) (any, error) {
	if len(args) < 7 {
		return nil, fmt.Errorf("%d arguments", len(args))
	}
	in, ok := args[0].(*storage)
	dtype, isType := args[6].(class)
	if !ok || !isType || dtype.kind != valueType {
		return nil, fmt.Errorf("%s and %s, not a storage and a type", kindOf(args[0]), kindOf(args[6]))
	}
	if in.kind != untyped && in.width() != Width(dtype.dtype) {
		return nil, fmt.Errorf("values of type %s in a storage of %s", dtype.dtype, in.kind)
	}
	return newTensor(in, dtype.dtype, args[1], args[2], args[3])
}

// rebuildParameter takes a tensor as its first argument.
func rebuildParameter(args tuple) (any, error) {
	if len(args) < 1 {
		return nil, errors.New("no arguments")
	}
	if t, ok := args[0].(*pickledTensor); ok {
		return t, nil
	}
	return nil, fmt.Errorf("%s, not a tensor", kindOf(args[0]))
}

// rebuildFromType takes the function, the tensor's class, the function's arguments and attributes.
func rebuildFromType(args tuple) (any, error) {
	if len(args) < 3 {
		return nil, fmt.Errorf("%d arguments", len(args))
	}
	function, isFunction := args[0].(class)
	of, isClass := args[1].(class)
	inner, isTuple := args[2].(tuple)
	if !isFunction || !isClass || !isTuple || of.kind != wrapper || !strings.HasPrefix(function.name, "torch._utils._rebuild_") {
		return nil, errors.New("a tensor of another class than Tensor and Parameter")
	}
	return function.call(inner)
}
