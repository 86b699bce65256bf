package results

// Accelerator describes an XLA device and its use. Provenance has the machine's cards and their
// driver.
type Accelerator struct {
	Plugin         string  `json:"plugin,omitempty"`        // path; "" if go-xla found it by itself
	PluginSum      string  `json:"plugin_sha256,omitempty"` // of the plugin file
	PJRT           string  `json:"pjrt,omitempty"`          // the plugin's version of PJRT
	Header         string  `json:"pjrt_header"`             // this program's version of PJRT
	GoXLA          string  `json:"go_xla"`                  // version of the module
	Flags          string  `json:"xla_flags,omitempty"`
	Deterministic  bool    `json:"deterministic,omitempty"`     // repeated computations give the same bytes
	Unchecked      bool    `json:"unchecked,omitempty"`         // the self-test was off, as in infbench's own tests
	Programs       int     `json:"programs,omitempty"`          // programs that XLA compiled; 0 in results of earlier builds, too
	CompileSeconds float64 `json:"compile_seconds,omitempty"`   // time that XLA spent compiling
	PeakMemory     int64   `json:"peak_memory_bytes,omitempty"` // peak use of the card's memory, by nvidia-smi; 0: unknown
	Joules         float64 `json:"energy_joules,omitempty"`     // energy used by the card, by nvidia-smi; 0: unknown
}
