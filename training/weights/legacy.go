package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// magic is the number at the start of a file in the form before PyTorch 1.6,
// 0x1950a86a20f9469cfc6c, and version is that of the form.
const (
	magic   = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
	digits  = "119547037146038801333356" // the same in protocols 0 and 1
	version = 1001
)

var errForeign = errors.New("not a file of torch.save")

// legacy reads the older form: a sequence of pickles (the magic number, the version, the machine,
// the state dict, the keys of the storages), then the storages.
type legacy struct {
	r        io.ReaderAt
	at, size int64
	roots    map[string]*storage
	views    map[string]*storage
}

func loadLegacy(r io.ReaderAt, size int64) (any, error) {
	l := &legacy{r: r, size: size, roots: map[string]*storage{}, views: map[string]*storage{}}
	if err := l.begin(); err != nil {
		return nil, err
	}
	root, err := l.next(l.stored)
	if err != nil {
		return nil, err
	}
	keys, err := l.next(nil)
	if err != nil {
		return nil, fmt.Errorf("keys of storages: %w", err)
	}
	return root, l.place(keys)
}

// next loads the next pickle.
func (l *legacy) next(stored func(tuple) (*storage, error)) (any, error) {
	in := newInput(l.r, l.at, l.size)
	value, err := load(in, stored)
	l.at += in.read
	return value, err
}

// begin reads everything before the state dict.
func (l *legacy) begin() error {
	number, err := l.next(nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errForeign, err)
	}
	if number != any(long(magic)) && number != any(long(digits)) {
		return fmt.Errorf("%w: a pickle of %s", errForeign, kindOf(number))
	}
	form, err := l.next(nil)
	if err != nil {
		return err
	}
	if form != any(int64(version)) {
		return fmt.Errorf("a form of torch.save's files other than %d", version)
	}
	made, err := l.next(nil)
	if err != nil {
		return err
	}
	if d, ok := made.(*dict); !ok || d.get("little_endian") != any(true) {
		return errors.New("values in a byte order other than little endian are not supported")
	}
	return nil
}

// stored returns the storage of a description. Its sixth value describes the part that tensors view
// (key, first value, number of values); for a complete storage it equals None.
func (l *legacy) stored(id tuple) (*storage, error) {
	s, key, err := parseStorage(id)
	if err != nil {
		return nil, err
	}
	if len(id) != 6 {
		return nil, fmt.Errorf("a storage described by %d values, not 6", len(id))
	}
	if old, ok := l.roots[key]; !ok {
		l.roots[key] = s
	} else if err := sameStorage(key, old, s); err != nil {
		return nil, err
	}
	root := l.roots[key]
	if id[5] == nil {
		return root, nil
	}
	return l.view(root, id[5])
}

// view returns a part of a storage.
func (l *legacy) view(root *storage, of any) (*storage, error) {
	fields, _ := of.(tuple)
	if list, ok := of.(*list); ok {
		fields = list.items
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("a view of a storage described by %s", kindOf(of))
	}
	key, isKey := fields[0].(string)
	from, isFrom := fields[1].(int64)
	count, isCount := fields[2].(int64)
	if !isKey || !isFrom || !isCount || from < 0 || count < 0 || from > root.count || count > root.count-from {
		return nil, errors.New("a view of a storage that is not part of it")
	}
	if old, ok := l.views[key]; ok {
		if old.of != root || old.from != from {
			return nil, fmt.Errorf("view %q of a storage is described twice", clip(key))
		}
		return old, sameStorage(key, old, &storage{kind: root.kind, count: count})
	}
	l.views[key] = &storage{kind: root.kind, count: count, of: root, from: from}
	return l.views[key], nil
}

// place finds the storages, which follow each other in the order of the keys, each after the number
// of its values.
func (l *legacy) place(keys any) error {
	order, ok := keys.(*list)
	if !ok {
		return fmt.Errorf("keys of storages: %s, not a list", kindOf(keys))
	}
	for _, item := range order.items {
		key, _ := item.(string)
		s, ok := l.roots[key]
		if !ok || s.found {
			return fmt.Errorf("keys of storages: %q is not a storage of the tensors, or is a duplicate", clip(key))
		}
		var count [8]byte
		if l.size-l.at < 8 {
			return fmt.Errorf("truncated: storage %q is missing", clip(key))
		}
		if _, err := l.r.ReadAt(count[:], l.at); err != nil {
			return err
		}
		l.at += 8
		if n := binary.LittleEndian.Uint64(count[:]); n != uint64(s.count) {
			return fmt.Errorf("storage %q has %d values, but %d by its tensors", clip(key), n, s.count)
		}
		bytes := times(s.count, s.width())
		if bytes > l.size-l.at {
			return fmt.Errorf("truncated: storage %q takes %d bytes, %d are left", clip(key), bytes, l.size-l.at)
		}
		s.at, s.found = l.at, true
		l.at += bytes
	}
	return nil
}
