package command

import (
	"context"
	"fmt"
	"slices"

	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/runners/engine"
)

// checkDevices sets the devices of trials: --devices gives each of several devices its own
// slot. A card has one trial at a time unless --workers says otherwise, however many
// processors there are: each trial would ask for the card's memory. Devices must be of one
// kind, or cells would differ by the device they happened to run on.
func (o *sweepOptions) checkDevices() error {
	if len(o.devices) == 0 {
		if o.where.engine == "local" && !device.OnHost(o.machine.Device) && !o.given("workers") {
			o.workers = 1
		}
		return nil
	}
	switch {
	case o.where.engine != "local":
		return usage.Errorf("--devices is for --engine local: on a cluster each cell gets the gpus that its resources ask for")
	case o.given("device"):
		return usage.Errorf("give either --device or --devices")
	}
	o.devices = device.Join(o.devices)
	for i, dev := range o.devices {
		if _, err := device.BackendConfig(dev); err != nil {
			return usage.AsError(err)
		}
		if slices.Contains(o.devices[:i], dev) {
			return usage.Errorf("--devices: %s given twice; to run several trials on a device, use --workers", dev)
		}
		if device.Kind(dev) != device.Kind(o.devices[0]) {
			return usage.Errorf("--devices: %s and %s give different last digits; a sweep runs on one kind of device", o.devices[0], dev)
		}
	}
	if !o.given("workers") {
		o.workers = len(o.devices)
	}
	o.machine.Device = o.devices[0]
	return nil
}

// given reports whether the user gave a flag.
func (o *sweepOptions) given(flag string) bool { return o.flags != nil && o.flags.Changed(flag) }

// checkDevice opens the devices if trials run on this machine; for a cluster's nodes only the
// device's name can be checked from here.
func (o sweepOptions) checkDevice(ctx context.Context) error {
	if o.where.engine != "local" {
		return o.machine.Check()
	}
	for _, device := range o.slots() {
		m := o.machine
		m.Device = device
		if err := m.Probe(ctx); err != nil {
			return err
		}
	}
	return nil
}

// slots are the devices that trials use in turn.
func (o *sweepOptions) slots() []string {
	if len(o.devices) == 0 {
		return []string{o.machine.Device}
	}
	return o.devices
}

// checkpointArgs are the arguments that tell a trial when to save.
func (o *sweepOptions) checkpointArgs() []string {
	return []string{fmt.Sprintf("--checkpoint-every=%d", o.checkpointEvery), fmt.Sprintf("--checkpoint-within=%v", o.within)}
}

// stay reports whether trials share processes: on a card, because its programs take long to compile.
func (o *sweepOptions) stay() bool { return !device.OnHost(o.machine.Device) }

// trialProcess returns the command line of a trial in one of several slots.
func (o *sweepOptions) trialProcess(self, dir string, workers int) func(engine.Job, int) (string, []string) {
	slots := o.slots()
	return func(j engine.Job, slot int) (string, []string) {
		m := o.machine
		m.Device = slots[slot%len(slots)]
		which := j.ID
		if o.stay() {
			which = "--stay"
		}
		args := slices.Concat([]string{"trial", dir, which}, m.Args(workers), o.remote.Args())
		return self, slices.Concat(args, o.checkpointArgs(), o.split.CountArgs())
	}
}
