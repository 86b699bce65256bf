package encoder

// SetPrecision changes the data type in which evaluation multiplies matrices; it is
// float32 at first. What Open reads, Save writes and training computes stays as it
// is: training has a precision of its own. It must not be called while the encoder
// encodes.
func (e *Encoder) SetPrecision(p Precision) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p == Float32 {
		p = ""
	}
	e.precision = p
	e.passes.reset()
	return nil
}

// Precision is what SetPrecision set.
func (e *Encoder) Precision() Precision {
	if e.precision == "" {
		return Float32
	}
	return e.precision
}

// LeaveUnnormalized makes evaluation give vectors as they are pooled and projected, before any
// Normalize module: what inner products are to be of. What Open reads, Save writes and
// training computes stays as it is. It reports whether that changes vectors, and must not
// be called while the encoder encodes.
func (e *Encoder) LeaveUnnormalized() (changes bool) {
	if e.config.Text.Normalize && !e.pooled {
		e.pooled = true
		e.passes.reset()
	}
	return e.pooled
}

// IsPooled reports whether evaluation leaves out a Normalize module.
func (e *Encoder) IsPooled() bool { return e.pooled }

// SetPrecision is Encoder's.
func (c *CrossEncoder) SetPrecision(p Precision) error {
	c.logits.reset()
	return c.model.SetPrecision(p)
}

// evaluation is the mode in which texts are encoded and pairs are scored.
func (e *Encoder) evaluation() Mode { return Mode{Precision: e.precision, Pooled: e.pooled} }
