package results

// Accelerator is what a device of XLA's was and took; the machine's cards and their driver
// are Provenance's.
type Accelerator struct {
	Plugin         string  `json:"plugin,omitempty"`        // path; "" where go-xla found it by itself
	PluginSum      string  `json:"plugin_sha256,omitempty"` // of that file
	PJRT           string  `json:"pjrt,omitempty"`          // version that the plugin speaks
	Header         string  `json:"pjrt_header"`             // version that this program speaks
	GoXLA          string  `json:"go_xla"`                  // version of the module
	Flags          string  `json:"xla_flags,omitempty"`
	Deterministic  bool    `json:"deterministic,omitempty"`     // it was asked to give the same bytes again
	Unchecked      bool    `json:"unchecked,omitempty"`         // the self-test was off: a test of infbench's own
	CompileSeconds float64 `json:"compile_seconds,omitempty"`   // in which XLA compiled
	PeakMemory     int64   `json:"peak_memory_bytes,omitempty"` // most in use on the card, as nvidia-smi saw it; 0: unknown
	Joules         float64 `json:"energy_joules,omitempty"`     // that the card took, by nvidia-smi; 0: unknown
}
