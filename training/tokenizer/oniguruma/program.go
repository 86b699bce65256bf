package oniguruma

import "slices"

// operation is the effect of an instruction.
type operation uint8

const (
	takeOne   operation = iota // takes a character of the table, goes to next
	takeRun                    // takes all that follow, or fewer, goes to next
	split                      // goes to next, or else to other
	peek                       // goes to next if a character of the table follows (negative: if none does)
	lookAt                     // goes to next if other leads to a match (negative: to none)
	takeBlock                  // goes to the end of the first match of other
	assertion                  // goes to next if the assertion is true
	matched
)

// instruction is a step of a program. memo is the place where its outcomes are recorded, -1 if they
// are not.
type instruction struct {
	op          operation
	next, other int32
	memo        int32
	min         int32 // of takeRun: 0 or 1
	table       *table
	asserts     kind // of an assertion
	negative    bool
	back        bool // takes the character before
}

// program is a compiled expression.
type program struct {
	code   []instruction
	start  int32
	memos  int
	blocks bool // there is a takeBlock
	word   *table
}

// maxInstructions limits a program, and so the time and memory for a character of a text.
const maxInstructions = 2000

// programOf compiles an expression.
func programOf(n *node) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = s.error
		}
	}()
	c := &compiler{program: &program{word: newTable(word())}}
	end := c.add(instruction{op: matched})
	c.start = c.compile(n, end)
	c.remember()
	return c.program, nil
}

// compiler writes a program from the end to the start.
type compiler struct {
	*program
	back bool // within a look behind
}

// add appends an instruction and returns its place.
func (c *compiler) add(i instruction) int32 {
	if len(c.code) >= maxInstructions {
		fail("more than %d steps", maxInstructions)
	}
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

// compile writes a part that continues at next, and returns its start.
func (c *compiler) compile(n *node, next int32) int32 {
	switch n.kind {
	case one:
		return c.add(instruction{op: takeOne, next: next, table: newTable(n.set), back: c.back})
	case sequence:
		parts := n.parts
		if !c.back {
			parts = slices.Clone(parts)
			slices.Reverse(parts)
		}
		for _, p := range parts {
			next = c.compile(p, next)
		}
		return next
	case choice:
		start := c.compile(n.parts[len(n.parts)-1], next)
		for _, p := range slices.Backward(n.parts[:len(n.parts)-1]) {
			first := c.compile(p, next)
			start = c.add(instruction{op: split, next: first, other: start})
		}
		return start
	case repeat:
		return c.repeat(n, next)
	case atomic:
		c.blocks = true
		return c.add(instruction{op: takeBlock, next: next, other: c.apart(n.parts[0], false)})
	case look:
		if p := n.parts[0]; p.kind == one && !n.back {
			return c.add(instruction{op: peek, next: next, table: newTable(p.set), negative: n.negative})
		}
		return c.add(instruction{op: lookAt, next: next, other: c.apart(n.parts[0], n.back), negative: n.negative})
	}
	return c.add(instruction{op: assertion, next: next, asserts: n.kind})
}

// apart writes a part as a separate program.
func (c *compiler) apart(n *node, back bool) int32 {
	outer := c.back
	c.back = back
	start := c.compile(n, c.add(instruction{op: matched}))
	c.back = outer
	return start
}

// repeat writes a repetition: min times, then as often as allowed.
func (c *compiler) repeat(n *node, next int32) int32 {
	part, copies := n.parts[0], n.min
	start := next
	fork := func(in, out int32) instruction {
		if n.lazy {
			in, out = out, in
		}
		return instruction{op: split, next: in, other: out}
	}
	switch {
	case n.max == unbounded && part.kind == one && !n.lazy && !c.back:
		start = c.add(instruction{op: takeRun, next: next, min: int32(min(copies, 1)), table: newTable(part.set)})
		copies = max(0, copies-1)
	case n.max == unbounded:
		loop := c.add(instruction{op: split})
		body := c.compile(part, loop)
		c.code[loop] = fork(body, next)
		if start = loop; copies > 0 {
			start, copies = body, copies-1
		}
	default:
		for range n.max - n.min {
			start = c.add(fork(c.compile(part, start), next))
		}
	}
	for range copies {
		start = c.compile(part, start)
	}
	return start
}

// remember assigns a memo to the instructions that can be reached in several ways.
func (c *compiler) remember() {
	ways := make([]int, len(c.code))
	ways[c.start]++
	for _, i := range c.code {
		if i.op == matched {
			continue
		}
		ways[i.next]++
		if i.op == split || i.op == lookAt || i.op == takeBlock {
			ways[i.other]++
		}
	}
	for at := range c.code {
		i := &c.code[at]
		i.memo = -1
		if i.op == takeRun || i.op != matched && ways[at] > 1 {
			i.memo = int32(c.memos)
			c.memos++
		}
	}
}
