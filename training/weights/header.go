package weights

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// header returns the JSON header of tensors, padded with blanks so that the values start at a
// multiple of eight bytes.
func header(list []Source) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"__metadata__":{"format":"pt"}`)
	seen := map[string]bool{"__metadata__": true}
	offset := 0
	for _, t := range list {
		size := sizeOf(t.Shape) * int(Width(t.dtype()))
		if seen[t.Name] {
			return nil, fmt.Errorf("two tensors have the name %q", t.Name)
		}
		seen[t.Name] = true
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		shape, err := json.Marshal(append([]int{}, t.Shape...))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,%s:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, t.dtype(), shape, offset, offset+size)
		offset += size
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	return b.Bytes(), nil
}
