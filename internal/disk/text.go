package disk

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// byteOrderMark is the mark that some programs write before text in UTF-8.
const byteOrderMark = "\ufeff"

// errWide reports text that is not UTF-8 but has two or four bytes per character.
var errWide = errors.New("the text is in UTF-16 or UTF-32: save it as UTF-8")

// TextStart returns the length in bytes of the byte order mark of a text, given its first bytes
// (four are enough). Text in UTF-16 or UTF-32 is an error.
func TextStart(head []byte) (int, error) {
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		return len(byteOrderMark), nil
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\x00\x00\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return 0, errWide
		}
	}
	if len(head) > 3 { // without a mark, ASCII in UTF-16 has a zero in every second byte
		zero := func(i int) bool { return head[i] == 0 }
		if zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1) {
			return 0, errWide
		}
	}
	return 0, nil
}

// SkipTextStart reads past a byte order mark, as found by TextStart. An error of r itself is left
// to the next read.
func SkipTextStart(r *bufio.Reader) error {
	head, _ := r.Peek(4)
	n, err := TextStart(head)
	if err == nil {
		_, err = r.Discard(n)
	}
	return err
}

// Text returns the contents of a text file without the byte order mark. Text in UTF-16 or
// UTF-32 is an error.
func Text(data []byte) ([]byte, error) {
	n, err := TextStart(data)
	return data[n:], err
}

// ReadText reads a complete text file like ReadFile and converts it like Text.
func ReadText(path string) ([]byte, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := Text(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
