package weights

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// isZip reports whether a file begins like a zip archive.
func isZip(r io.ReaderAt) bool {
	var start [4]byte
	_, err := r.ReadAt(start[:], 0)
	return err == nil && string(start[:]) == "PK\x03\x04"
}

// archive is the records of a zip file from torch.save: all in one folder, none compressed.
type archive struct {
	folder  string
	records map[string]record
}

// record is the place of a record in the file.
type record struct{ at, size int64 }

// loadZip reads the state dict of a zip archive.
func loadZip(r io.ReaderAt, size int64) (any, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	if err := a.checkOrder(r); err != nil {
		return nil, err
	}
	program := a.records[a.folder+"data.pkl"]
	if program.size > maxPickle {
		return nil, fmt.Errorf("a pickle of %d bytes, more than %d", program.size, maxPickle)
	}
	known := map[string]*storage{}
	return load(newInput(r, program.at, program.at+program.size), func(id tuple) (*storage, error) {
		s, key, err := parseStorage(id)
		if err != nil {
			return nil, err
		}
		if len(id) != 5 {
			return nil, fmt.Errorf("a storage described by %d values, not 5", len(id))
		}
		if old, ok := known[key]; ok {
			return old, sameStorage(key, old, s)
		}
		place, ok := a.records[a.folder+"data/"+key]
		if !ok {
			return nil, fmt.Errorf("the archive has no storage %q", clip(key))
		}
		if bytes := times(s.count, s.width()); bytes != place.size {
			return nil, fmt.Errorf("storage %q takes %d bytes, the archive has %d", clip(key), bytes, place.size)
		}
		s.at, s.found, known[key] = place.at, true, s
		return s, nil
	})
}

// openArchive reads the directory of the archive.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	reader, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) {
		return nil, errors.New("truncated or damaged: a zip archive without the directory at its end")
	}
	if err != nil {
		return nil, fmt.Errorf("zip archive: %w", err)
	}
	a := &archive{records: make(map[string]record, len(reader.File))}
	for _, f := range reader.File {
		at, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("zip archive: %s: %w", clip(f.Name), err)
		}
		length := f.UncompressedSize64
		if f.Method != zip.Store || f.CompressedSize64 != length {
			return nil, fmt.Errorf("zip archive: %s is compressed, which torch.save never does", clip(f.Name))
		}
		if at < 0 || at > size || length > uint64(size-at) {
			return nil, fmt.Errorf("zip archive: %s ends after the file: truncated or damaged", clip(f.Name))
		}
		if _, ok := a.records[f.Name]; ok {
			return nil, fmt.Errorf("zip archive: %s is there twice", clip(f.Name))
		}
		a.records[f.Name] = record{at, int64(length)}
		if path.Base(f.Name) != "data.pkl" || strings.Count(f.Name, "/") > 1 {
			continue
		}
		if a.folder != "" {
			return nil, errors.New("zip archive: more than one data.pkl")
		}
		a.folder = strings.TrimSuffix(f.Name, "data.pkl")
	}
	if _, ok := a.records[a.folder+"data.pkl"]; !ok {
		return nil, errors.New("a zip archive without data.pkl: not written by torch.save")
	}
	return a, nil
}

// checkOrder rejects archives from machines with another byte order.
func (a *archive) checkOrder(r io.ReaderAt) error {
	place, ok := a.records[a.folder+"byteorder"]
	if !ok {
		return nil
	}
	text := make([]byte, min(place.size, 16))
	if _, err := r.ReadAt(text, place.at); err != nil {
		return err
	}
	if string(text) != "little" {
		return fmt.Errorf("byte order %q is not supported, only little", text)
	}
	return nil
}

// parseStorage reads the first five values of a storage's description: the word storage, its class,
// key, device and number of values.
func parseStorage(id tuple) (s *storage, key string, err error) {
	if len(id) < 5 || id[0] != any("storage") {
		return nil, "", errors.New("refused: it asks for an object that is not a storage of the file")
	}
	c, isClass := id[1].(class)
	key, isKey := id[2].(string)
	count, isCount := id[4].(int64)
	if !isClass || c.kind != storageType || !isKey || !isCount || count < 0 {
		return nil, "", fmt.Errorf("a damaged description of a storage: %s, %s, %s", kindOf(id[1]), kindOf(id[2]), kindOf(id[4]))
	}
	return &storage{kind: c.dtype, count: count}, key, nil
}

// sameStorage rejects a second, different description of a storage.
func sameStorage(key string, a, b *storage) error {
	if a.kind != b.kind || a.count != b.count {
		return fmt.Errorf("storage %q is described twice, as %d values of %q and %d of %q", clip(key), a.count, a.kind, b.count, b.kind)
	}
	return nil
}
