package table

import "io"

// Printer writes lines and keeps the first error.
type Printer struct {
	W   io.Writer
	Err error
}

func (p *Printer) Line(s string) {
	if p.Err == nil {
		_, p.Err = io.WriteString(p.W, s+"\n")
	}
}

func (p *Printer) Keep(err error) {
	if p.Err == nil {
		p.Err = err
	}
}
