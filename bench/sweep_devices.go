package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infbench/bench/engine"
)

// checkDevices settles on what trials compute: --devices gives each of several its
// own slot, and as many slots as there are devices unless --workers says more. They
// must be of one kind, or cells would differ by where they happened to run.
func (o *sweepOptions) checkDevices() error {
	if len(o.devices) == 0 {
		return nil
	}
	switch {
	case o.where.engine != "local":
		return usagef("--devices is for --engine local: on a cluster each cell gets the gpus that its resources ask for")
	case o.given("device"):
		return usagef("give either --device or --devices")
	}
	for i, device := range o.devices {
		if _, err := backendConfig(device); err != nil {
			return asUsage(err)
		}
		if slices.Contains(o.devices[:i], device) {
			return usagef("--devices: %s given twice; --workers says how many trials share a device", device)
		}
		if deviceKind(device) != deviceKind(o.devices[0]) {
			return usagef("--devices: %s and %s give other last digits; a sweep runs on one kind", o.devices[0], device)
		}
	}
	if !o.given("workers") {
		o.workers = len(o.devices)
	}
	o.machine.device = o.devices[0]
	return nil
}

// given says whether the user gave a flag.
func (o *sweepOptions) given(flag string) bool { return o.flags != nil && o.flags.Changed(flag) }

// deviceKind is what devices have in common whose numbers are the same: a card's
// name without its number.
func deviceKind(device string) string {
	if strings.HasPrefix(device, xlaCUDA+":") {
		return xlaCUDA
	}
	return device
}

// checkDevice opens the devices where trials run on this machine; of a cluster's
// nodes only the device's name can be checked from here.
func (o sweepOptions) checkDevice(ctx context.Context) error {
	if o.where.engine != "local" {
		return o.machine.check()
	}
	for _, device := range o.slots() {
		m := o.machine
		m.device = device
		if err := m.probe(ctx); err != nil {
			return err
		}
	}
	return nil
}

// slots are the devices that trials take turns on.
func (o *sweepOptions) slots() []string {
	if len(o.devices) == 0 {
		return []string{o.machine.device}
	}
	return o.devices
}

// trialProcess is the command line of a trial in one of so many slots.
func (o *sweepOptions) trialProcess(self, dir string, workers int) func(engine.Job, int) (string, []string) {
	slots := o.slots()
	return func(j engine.Job, slot int) (string, []string) {
		m := o.machine
		m.device = slots[slot%len(slots)]
		args := append([]string{"trial", dir, j.ID}, m.args(workers)...)
		return self, append(args, fmt.Sprintf("--checkpoint-every=%d", o.checkpointEvery))
	}
}
