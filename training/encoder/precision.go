package encoder

// SetPrecision changes the data type in which evaluation multiplies matrices; the default is
// float32. It does not affect Open, Save or training, which has its own precision. It must not be
// called while the encoder encodes.
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

// Precision is the precision set by SetPrecision.
func (e *Encoder) Precision() Precision {
	if e.precision == "" {
		return Float32
	}
	return e.precision
}

// LeaveUnnormalized makes evaluation return vectors as pooled and projected, before any Normalize
// module, for inner products. It does not affect Open, Save or training. It reports whether this
// changes vectors, and must not be called while the encoder encodes.
func (e *Encoder) LeaveUnnormalized() (changes bool) {
	if e.config.Text.Normalize && !e.pooled {
		e.pooled = true
		e.passes.reset()
	}
	return e.pooled
}

// IsPooled reports whether evaluation leaves out a Normalize module.
func (e *Encoder) IsPooled() bool { return e.pooled }

// SetPrecision is like Encoder.SetPrecision.
func (c *CrossEncoder) SetPrecision(p Precision) error {
	c.logits.reset()
	return c.model.SetPrecision(p)
}

// evaluation is the mode in which texts are encoded and pairs are scored.
func (e *Encoder) evaluation() Mode { return Mode{Precision: e.precision, Pooled: e.pooled} }
