package provenance

import (
	"time"

	"infbench/runners/device"
	"infbench/runners/results"
)

// Clock measures the wall-clock and processor time of a phase of this process.
type Clock struct {
	wall time.Time
	cpu  float64
}

// StartClock begins a phase now.
func StartClock() Clock { return Clock{time.Now(), device.CPUSeconds()} }

// Started returns when the phase began.
func (c Clock) Started() time.Time { return c.wall }

// Stop records how long the phase took. It records only wall-clock time if the system does not
// report processor time.
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
