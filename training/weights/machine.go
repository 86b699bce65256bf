package weights

import (
	"errors"
	"fmt"
)

// Limits of a pickle: a state dict of 20,000 tensors takes about a million steps and 3 MB. A step
// takes at most some hundred bytes, and those that it reads.
const (
	maxSteps  = 1 << 21
	maxPickle = 1 << 26 // bytes
)

// machine is the stack machine that executes pickles (Python's pickletools describes the codes). It
// makes the values of this package and calls its functions.
type machine struct {
	in     *input
	stack  []any
	memo   map[int64]any
	stored func(id tuple) (*storage, error) // for persistent ids; nil: there are none
}

// load runs one pickle to its end and returns its value.
func load(in *input, stored func(tuple) (*storage, error)) (any, error) {
	m := &machine{in: in, memo: map[int64]any{}, stored: stored}
	for range maxSteps {
		op, err := in.byte()
		if err != nil {
			return nil, err
		}
		if op == opStop {
			return m.pop()
		}
		if err := m.step(op); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("a pickle of more than %d steps", maxSteps)
}

// step executes one operation.
func (m *machine) step(op byte) error {
	if do, ok := operations[op]; ok {
		return do(m)
	}
	return fmt.Errorf("refused: operation %#02x (%q) is not one of a state dict", op, op)
}

var errStack = errors.New("a damaged pickle: it takes more from its stack than is there")

func (m *machine) push(value any) { m.stack = append(m.stack, value) }

// pop removes and returns the topmost value, which must not be a mark.
func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	top := m.stack[len(m.stack)-1]
	if _, ok := top.(mark); ok {
		return nil, errStack
	}
	m.stack = m.stack[:len(m.stack)-1]
	return top, nil
}

// popN removes and returns the n topmost values, in the order in which they were pushed.
func (m *machine) popN(n int) (tuple, error) {
	items := make(tuple, n)
	for i := n - 1; i >= 0; i-- {
		var err error
		if items[i], err = m.pop(); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// popMark removes the topmost mark and returns the values after it.
func (m *machine) popMark() (tuple, error) {
	for at := len(m.stack) - 1; at >= 0; at-- {
		if _, ok := m.stack[at].(mark); ok {
			items := append(tuple{}, m.stack[at+1:]...)
			m.stack = m.stack[:at]
			return items, nil
		}
	}
	return nil, errStack
}

// global pushes the class of a name.
func (m *machine) global(module, name string) error {
	c, err := find(module, name)
	if err == nil {
		m.push(c)
	}
	return err
}

// reduce calls a class with arguments.
func (m *machine) reduce() error {
	both, err := m.popN(2)
	if err != nil {
		return err
	}
	c, isClass := both[0].(class)
	args, isTuple := both[1].(tuple)
	if !isClass || !isTuple {
		return fmt.Errorf("refused, nothing was executed: it calls %s with %s", kindOf(both[0]), kindOf(both[1]))
	}
	if c.call == nil {
		return fmt.Errorf("refused, nothing was executed: it calls %s", c.name)
	}
	value, err := c.call(args)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	m.push(value)
	return nil
}

// build sets the attributes of a value. Only those of a dict (_metadata) are allowed, and they are
// dropped.
func (m *machine) build() error {
	both, err := m.popN(2)
	if err != nil {
		return err
	}
	if _, ok := both[0].(*dict); !ok {
		return fmt.Errorf("refused: it sets attributes of %s", kindOf(both[0]))
	}
	m.push(both[0])
	return nil
}

// setItems adds alternating keys and values to the dict on top.
func (m *machine) setItems(items tuple, err error) error {
	if err != nil {
		return err
	}
	top, err := m.top()
	if err != nil {
		return err
	}
	d, ok := top.(*dict)
	if !ok || len(items)%2 != 0 {
		return fmt.Errorf("a damaged pickle: %d keys and values for %s", len(items), kindOf(top))
	}
	for i := 0; i < len(items); i += 2 {
		d.set(items[i], items[i+1])
	}
	return nil
}

// appendItems adds to the list on top.
func (m *machine) appendItems(items tuple, err error) error {
	if err != nil {
		return err
	}
	top, err := m.top()
	if err != nil {
		return err
	}
	l, ok := top.(*list)
	if !ok {
		return fmt.Errorf("a damaged pickle: items for %s", kindOf(top))
	}
	l.items = append(l.items, items...)
	return nil
}

// top returns the topmost value without removing it.
func (m *machine) top() (any, error) {
	value, err := m.pop()
	if err == nil {
		m.push(value)
	}
	return value, err
}

// put stores the topmost value in the memo.
func (m *machine) put(index int64, err error) error {
	if err != nil {
		return err
	}
	value, err := m.top()
	if err == nil {
		m.memo[index] = value
	}
	return err
}

// get pushes a value from the memo.
func (m *machine) get(index int64, err error) error {
	if err != nil {
		return err
	}
	value, ok := m.memo[index]
	if !ok {
		return fmt.Errorf("a damaged pickle: the memo has no value %d", index)
	}
	m.push(value)
	return nil
}

// persistent pushes the storage that an id describes.
func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	fields, ok := id.(tuple)
	if !ok || m.stored == nil {
		return fmt.Errorf("refused: it asks for the object named by %s", kindOf(id))
	}
	s, err := m.stored(fields)
	if err == nil {
		m.push(s)
	}
	return err
}
