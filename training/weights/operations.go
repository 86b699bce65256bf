package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const opStop = '.'

// operations are the codes of protocols 0 to 5 that files with tensors use. They do not include
// sets, out-of-band buffers, and the codes that make objects without a call (INST, OBJ, EXT).
var operations = buildOperations()

func buildOperations() map[byte]func(*machine) error {
	constant := func(value any) func(*machine) error {
		return func(m *machine) error { m.push(value); return nil }
	}
	tupleOf := func(n int) func(*machine) error {
		return func(m *machine) error { return m.pushed(m.popN(n)) }
	}
	text := func(width int) func(*machine) error {
		return func(m *machine) error {
			raw, err := m.in.sized(width)
			return m.pushed(string(raw), err)
		}
	}
	raw := func(width int) func(*machine) error {
		return func(m *machine) error { return m.pushed(m.in.sized(width)) }
	}
	unsigned := func(width int) func(*machine) error {
		return func(m *machine) error { return m.pushed(m.in.unsigned(width)) }
	}
	return map[byte]func(*machine) error{
		0x80: (*machine).protocol,
		0x95: func(m *machine) error { _, err := m.in.bytes(8); return err }, // FRAME
		'(':  constant(mark{}),
		'N':  constant(nil),
		0x88: constant(true),
		0x89: constant(false),
		')':  constant(tuple{}),
		']':  func(m *machine) error { m.push(&list{}); return nil },
		'}':  func(m *machine) error { m.push(&dict{}); return nil },
		'0':  (*machine).drop,
		'1':  func(m *machine) error { _, err := m.popMark(); return err },
		'2':  func(m *machine) error { return m.pushed(m.top()) },

		'K':  unsigned(1),
		'M':  unsigned(2),
		'J':  func(m *machine) error { n, err := m.in.unsigned(4); return m.pushed(int64(int32(n)), err) },
		'I':  func(m *machine) error { return m.pushed(m.in.decimal()) },
		'L':  func(m *machine) error { return m.pushed(m.in.decimal()) },
		0x8a: func(m *machine) error { return m.long(1) },
		0x8b: func(m *machine) error { return m.long(4) },
		'G':  (*machine).float,
		'F':  (*machine).decimalFloat,

		'X':  text(4),
		0x8c: text(1),
		0x8d: text(8),
		'U':  text(1),
		'T':  text(4),
		'V':  func(m *machine) error { return m.pushed(m.in.line()) },
		'S':  (*machine).quoted,
		'B':  raw(4),
		'C':  raw(1),
		0x8e: raw(8),
		0x96: raw(8),

		't':  func(m *machine) error { return m.pushed(m.popMark()) },
		0x85: tupleOf(1),
		0x86: tupleOf(2),
		0x87: tupleOf(3),
		'l':  func(m *machine) error { items, err := m.popMark(); m.push(&list{items}); return err },
		'd':  func(m *machine) error { items, err := m.popMark(); m.push(&dict{}); return m.setItems(items, err) },
		'a':  func(m *machine) error { return m.appendItems(m.popN(1)) },
		'e':  func(m *machine) error { return m.appendItems(m.popMark()) },
		's':  func(m *machine) error { return m.setItems(m.popN(2)) },
		'u':  func(m *machine) error { return m.setItems(m.popMark()) },

		'q':  func(m *machine) error { return m.put(m.in.unsigned(1)) },
		'r':  func(m *machine) error { return m.put(m.in.unsigned(4)) },
		'p':  func(m *machine) error { return m.put(m.in.index()) },
		0x94: func(m *machine) error { return m.put(int64(len(m.memo)), nil) },
		'h':  func(m *machine) error { return m.get(m.in.unsigned(1)) },
		'j':  func(m *machine) error { return m.get(m.in.unsigned(4)) },
		'g':  func(m *machine) error { return m.get(m.in.index()) },

		'c':  (*machine).named,
		0x93: (*machine).stackNamed,
		'R':  (*machine).reduce,
		0x81: (*machine).reduce,
		'b':  (*machine).build,
		'Q':  (*machine).persistent,
	}
}

// pushed pushes a value unless there was an error.
func (m *machine) pushed(value any, err error) error {
	if err == nil {
		m.push(value)
	}
	return err
}

// protocol reads the version at the start of a pickle.
func (m *machine) protocol() error {
	version, err := m.in.byte()
	if err == nil && version > 5 {
		err = fmt.Errorf("pickle protocol %d is not known (0 to 5 are)", version)
	}
	return err
}

// drop removes the topmost value or mark.
func (m *machine) drop() error {
	if len(m.stack) == 0 {
		return errStack
	}
	m.stack = m.stack[:len(m.stack)-1]
	return nil
}

// long reads an integer in two's complement, preceded by its length in width bytes.
func (m *machine) long(width int) error {
	raw, err := m.in.sized(width)
	if err != nil {
		return err
	}
	if len(raw) > 8 {
		m.push(long(raw))
		return nil
	}
	var wide [8]byte
	if len(raw) > 0 && raw[len(raw)-1] >= 0x80 {
		wide = [8]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	}
	copy(wide[:], raw)
	m.push(int64(binary.LittleEndian.Uint64(wide[:])))
	return nil
}

func (m *machine) float() error {
	raw, err := m.in.bytes(8)
	if err == nil {
		m.push(math.Float64frombits(binary.BigEndian.Uint64(raw)))
	}
	return err
}

func (m *machine) decimalFloat() error {
	line, err := m.in.line()
	if err != nil {
		return err
	}
	return m.pushed(strconv.ParseFloat(line, 64))
}

// quoted reads a text in Python's notation; escapes are not needed and are errors.
func (m *machine) quoted() error {
	line, err := m.in.line()
	if err != nil {
		return err
	}
	if len(line) < 2 || line[0] != line[len(line)-1] || strings.Contains(line, `\`) {
		return errors.New("a damaged pickle: a text without quotes or with escapes")
	}
	m.push(line[1 : len(line)-1])
	return nil
}

// named reads a class's name from two lines.
func (m *machine) named() error {
	module, err := m.in.line()
	if err != nil {
		return err
	}
	name, err := m.in.line()
	if err != nil {
		return err
	}
	return m.global(module, name)
}

// stackNamed takes a class's name from the stack.
func (m *machine) stackNamed() error {
	both, err := m.popN(2)
	if err != nil {
		return err
	}
	module, isModule := both[0].(string)
	name, isName := both[1].(string)
	if !isModule || !isName {
		return fmt.Errorf("a damaged pickle: a class named by %s and %s", kindOf(both[0]), kindOf(both[1]))
	}
	return m.global(module, name)
}
