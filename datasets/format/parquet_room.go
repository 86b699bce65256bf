package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	pqformat "github.com/parquet-go/parquet-go/format"

	"infbench/internal/memory"
)

// The library allocates memory by the lengths in a parquet file before it reads the data. These
// lengths are therefore checked first: a list in the footer cannot have more items than the footer
// has bytes, and memory must have room for the pages.

const (
	footerTail  = 8       // the footer's length and "PAR1"
	footerKept  = 16      // bytes in memory per byte of a footer
	pageHeader  = 1 << 10 // bytes read at first for the header of a page
	longHeader  = 1 << 20 // maximum for headers with long statistics
	valueKept   = 16      // bytes in memory per value of a page, without its content
	thriftDepth = 64      // maximum nesting of structures in a footer
)

// checkFooter rejects a footer that does not fit into memory or whose lists are longer than it. A
// file without a footer is left to the library, which reports it.
func checkFooter(f io.ReaderAt, size int64) error {
	footer, err := footerOf(f, size)
	if err != nil || footer == nil {
		return err
	}
	scan := thriftScan{r: new(thrift.CompactProtocol).NewReaderFromBytes(footer), size: len(footer)}
	return scan.value(thrift.STRUCT, 0)
}

// footerOf reads the footer of a file. It returns nil if there is none; the library reports that.
func footerOf(f io.ReaderAt, size int64) ([]byte, error) {
	var tail [footerTail]byte
	if size < footerTail {
		return nil, nil
	}
	if _, err := f.ReadAt(tail[:], size-footerTail); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != "PAR1" || length > size-footerTail {
		if length > size-footerTail {
			return nil, fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
		}
		return nil, nil
	}
	if err := memory.For(length * footerKept); err != nil {
		return nil, err
	}
	footer := make([]byte, length)
	if _, err := f.ReadAt(footer, size-footerTail-length); err != nil {
		return nil, err
	}
	return footer, nil
}

// thriftScan skips over values and keeps nothing.
type thriftScan struct {
	r    thrift.BytesReader
	size int
}

var errThrift = errors.New("damaged footer")

// value skips one value of a type.
func (s thriftScan) value(t thrift.Type, depth int) (err error) {
	if depth > thriftDepth {
		return fmt.Errorf("%w: structures within structures", errThrift)
	}
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = s.r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = s.r.ReadInt64()
	case thrift.DOUBLE:
		_, err = s.r.ReadFloat64()
	case thrift.BINARY:
		_, err = s.r.ReadBytes()
	case thrift.LIST, thrift.SET: // encoded alike
		list, failed := s.r.ReadList()
		if failed != nil {
			return failed
		}
		err = s.items(int(list.Size), list.Type, depth)
	case thrift.STRUCT:
		return s.fields(depth)
	default:
		return fmt.Errorf("%w: a value of type %v", errThrift, t)
	}
	return err
}

// items skips the items of a list; each takes at least one byte.
func (s thriftScan) items(n int, t thrift.Type, depth int) error {
	if left := s.size - s.r.BytesRead(); n > left {
		return fmt.Errorf("%w: a list of %d in the %d bytes that are left", errThrift, n, left)
	}
	for range n {
		if err := s.value(t, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fields skips the fields of a structure. A boolean's value is part of its type.
func (s thriftScan) fields(depth int) error {
	for {
		field, err := s.r.ReadField()
		if err != nil {
			return err
		}
		switch field.Type {
		case thrift.STOP:
			return nil
		case thrift.TRUE, thrift.FALSE:
			continue
		}
		if err := s.value(field.Type, depth+1); err != nil {
			return err
		}
	}
}

// chunkLayout describes where the pages of a column in a row group are.
type chunkLayout struct {
	begin        int64  // offset of the first page in the file
	dictionaries []span // pages of values that other pages refer to: one or none
	pages        []span // all other pages, in order
	need         int64  // about how many bytes a dictionary and the largest page take in memory
}

// span is a part of a file.
type span struct{ at, length int64 }

// layOut finds the pages of a column in a row group. It checks that memory has room for two of them
// at once: the dictionary and the largest page of values.
func layOut(f io.ReaderAt, column *pqformat.ColumnMetaData) (*chunkLayout, error) {
	l := &chunkLayout{begin: column.DataPageOffset}
	if column.DictionaryPageOffset != 0 {
		l.begin = column.DictionaryPageOffset
	}
	headers := pageHeaders{f, make([]byte, pageHeader)}
	var dictionary, largest int64
	for at, end := l.begin, l.begin+column.TotalCompressedSize; at < end; {
		header, length, err := headers.at(at, end)
		if err != nil {
			return nil, err
		}
		page := span{at, min(int64(length)+int64(header.CompressedPageSize), end-at)}
		if need := pageNeed(header); header.Type == pqformat.DictionaryPage {
			dictionary = max(dictionary, need)
			l.dictionaries = append(l.dictionaries, page)
		} else {
			largest = max(largest, need)
			l.pages = append(l.pages, page)
		}
		at += page.length
	}
	l.need = dictionary + largest
	if err := memory.For(l.need); err != nil {
		return nil, fmt.Errorf("a page of %s: %w", memory.Size(max(dictionary, largest)), err)
	}
	return l, nil
}

// pageHeaders reads page headers. Its first read of a header has the size that the largest header
// so far needed: the headers of a column are alike, and their statistics may contain long texts.
type pageHeaders struct {
	file io.ReaderAt
	data []byte
}

// at returns the header of the page at an offset and the header's length in bytes.
func (h *pageHeaders) at(at, end int64) (*pqformat.PageHeader, int, error) {
	for {
		most := int64(len(h.data))
		data := h.data[:min(most, end-at)]
		if n, err := h.file.ReadAt(data, at); err != nil && err != io.EOF {
			return nil, 0, err
		} else if data = data[:n]; n == 0 {
			return nil, 0, io.ErrUnexpectedEOF
		}
		r := new(thrift.CompactProtocol).NewReaderFromBytes(data)
		header := new(pqformat.PageHeader)
		err := thrift.NewDecoder(r).Decode(header)
		switch {
		case err == nil && header.CompressedPageSize >= 0:
			return header, r.BytesRead(), nil
		case err == nil:
			return nil, 0, fmt.Errorf("a page of %d bytes", header.CompressedPageSize)
		case most == longHeader || int64(len(data)) < most:
			return nil, 0, noEOF(err)
		}
		h.data = make([]byte, min(4*most, longHeader))
	}
}

// pageNeed estimates the bytes of a page in memory: the page as stored, its decompressed bytes, and
// its decoded values.
func pageNeed(h *pqformat.PageHeader) int64 {
	values := int64(0)
	switch {
	case h.DataPageHeader.Valid:
		values = int64(h.DataPageHeader.V.NumValues)
	case h.DataPageHeaderV2.Valid:
		values = int64(h.DataPageHeaderV2.V.NumValues)
	case h.DictionaryPageHeader.Valid:
		values = int64(h.DictionaryPageHeader.V.NumValues)
	}
	return int64(h.CompressedPageSize) + 2*int64(h.UncompressedPageSize) + max(0, values)*valueKept
}
