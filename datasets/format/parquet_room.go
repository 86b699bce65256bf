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

// The library allocates what the lengths in a parquet file say before it reads a byte of
// it. So the lengths are looked at first: those of lists in the footer, which cannot hold
// more items than it has bytes, and those of pages, for which there must be room.

const (
	footerTail  = 8       // the footer's length and "PAR1"
	footerKept  = 16      // bytes in memory for a byte of a footer
	pageHeader  = 1 << 10 // what is read for the header of a page at first
	longHeader  = 1 << 20 // and at most, where it holds long statistics
	valueKept   = 16      // bytes in memory for a value of a page, beside its bytes
	thriftDepth = 64      // of structures in a footer
)

// checkFooter refuses a footer that does not fit into memory or whose lists are longer
// than it. What is no footer at all is left to the library, which says so.
func checkFooter(f io.ReaderAt, size int64) error {
	footer, err := footerOf(f, size)
	if err != nil || footer == nil {
		return err
	}
	scan := thriftScan{r: new(thrift.CompactProtocol).NewReaderFromBytes(footer), size: len(footer)}
	return scan.value(thrift.STRUCT, 0)
}

// footerOf reads the footer of a file. It returns nil if there is none, which the library
// reports.
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

// thriftScan reads over values and keeps nothing.
type thriftScan struct {
	r    thrift.BytesReader
	size int
}

var errThrift = errors.New("damaged footer")

// value reads over one value of a type.
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
	case thrift.LIST, thrift.SET: // written alike
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

// items reads over the items of a list, each of which has at least one byte.
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

// fields reads over the fields of a structure. The truth of a field is in its type.
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

// chunkLayout says where the pages of a column in a row group are.
type chunkLayout struct {
	begin        int64  // the place in the file of the first page
	dictionaries []span // pages of values that others refer to: one or none
	pages        []span // all others, in their order
	need         int64  // about how many bytes a dictionary and the largest page take in memory
}

// span is a part of a file.
type span struct{ at, length int64 }

// layOut finds the pages of a column in a row group and says whether there is room for
// them, of which two are in memory at least: the dictionary and one of values.
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

// pageHeaders reads headers of pages, as many bytes at a time as it has taken so far:
// those of a column are alike, and texts stand in their statistics.
type pageHeaders struct {
	file io.ReaderAt
	data []byte
}

// at reads the header of the page at a place, and how many bytes it has.
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

// pageNeed is about how many bytes a page takes in memory: as it is in the file, its
// decompressed bytes, and what is made of its values.
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
