package device

import (
	"context"
	"os"

	"github.com/gomlx/compute"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// deviceNumber is GoMLX's type for the devices of a client.
func deviceNumber(i int) compute.DeviceNum { return compute.DeviceNum(i) }

// Account records in provenance which device XLA used and how much memory and energy it took.
// Call it after the device has computed. It adds nothing for the Go backend or for a device
// that was never opened.
func (o *Options) Account(p *results.Provenance) error {
	if o.Meter == nil || !o.Meter.opened || o.Meter.target.kind == GoDevice {
		return nil
	}
	o.Meter.Stop()
	t := o.Meter.target
	plugin, err := t.locate()
	if err != nil {
		return err
	}
	p.Accelerator = &results.Accelerator{
		GoXLA: goXLAVersion(), Header: headerVersion, Flags: os.Getenv(flagsVariable),
		Programs: o.Meter.compiled.Programs, CompileSeconds: o.Meter.compiled.Time.Seconds(),
		PeakMemory: o.Meter.memory, Joules: o.Meter.joules, Deterministic: t.tuning.deterministic, Unchecked: t.tuning.unchecked,
	}
	if t.cuda() && p.Driver == "" { // containers may have no /proc/driver/nvidia
		if card, err := findCard(context.Background(), t); err == nil {
			p.Devices, p.Driver = []string{card.Name}, card.Driver
		}
	}
	if plugin == "" {
		return nil
	}
	p.Accelerator.Plugin, p.Accelerator.PJRT = plugin, pluginVersion(plugin)
	p.Accelerator.PluginSum, _, err = disk.SHA256(plugin)
	return err
}
