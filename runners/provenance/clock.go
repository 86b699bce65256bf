package provenance

import (
	"time"

	"infbench/runners/device"
	"infbench/runners/results"
)

// Clock times a phase of what this process does: on the wall, and on its processors.
type Clock struct {
	wall time.Time
	cpu  float64
}

// StartClock begins a phase now.
func StartClock() Clock { return Clock{time.Now(), device.CPUSeconds()} }

// Started is when the phase began.
func (c Clock) Started() time.Time { return c.wall }

// Stop writes down how long the phase took. Where the system does not tell
// processor time, only wall-clock time is written.
func (c Clock) Stop(p *results.Provenance, phase string) {
	p.Seconds[phase] = time.Since(c.wall).Seconds()
	spent := device.CPUSeconds() - c.cpu
	if spent <= 0 {
		return
	}
	if p.CPUSeconds == nil {
		p.CPUSeconds = map[string]float64{}
	}
	p.CPUSeconds[phase] = spent
}
