package sentencepiece

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// value is the value of a field: a number or bytes.
type value struct {
	kind   protowire.Type
	number uint64
	bytes  []byte
}

// eachField calls the function in read for each field of a message; other fields are skipped.
func eachField(data []byte, read map[protowire.Number]func(value) error) error {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("damaged protobuf: %w", protowire.ParseError(n))
		}
		data = data[n:]
		v, n := consume(field, kind, data)
		if n < 0 {
			return fmt.Errorf("damaged protobuf: field %d: %w", field, protowire.ParseError(n))
		}
		data = data[n:]
		if read := read[field]; read != nil {
			if err := read(v); err != nil {
				return fmt.Errorf("field %d: %w", field, err)
			}
		}
	}
	return nil
}

// consume reads a value of a kind and returns its length, which is below 0 if it is damaged.
func consume(field protowire.Number, kind protowire.Type, data []byte) (v value, n int) {
	v.kind = kind
	switch kind {
	case protowire.VarintType:
		v.number, n = protowire.ConsumeVarint(data)
	case protowire.Fixed32Type:
		var number uint32
		number, n = protowire.ConsumeFixed32(data)
		v.number = uint64(number)
	case protowire.BytesType:
		v.bytes, n = protowire.ConsumeBytes(data)
	default:
		n = protowire.ConsumeFieldValue(field, kind, data)
	}
	return v, n
}

// want returns an error if a value is not of the kind of its field.
func (v value) want(kind protowire.Type) error {
	if v.kind != kind {
		return fmt.Errorf("damaged protobuf: wire type %d, not %d", v.kind, kind)
	}
	return nil
}

// message reads a value that is a message.
func (v value) message(read map[protowire.Number]func(value) error) error {
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	return eachField(v.bytes, read)
}

// flag reads a boolean.
func flag(into *bool) func(value) error {
	return func(v value) error { *into = v.number != 0; return v.want(protowire.VarintType) }
}
