//go:build xla

package trial

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/gomlx/compute"

	"infbench/internal/testkit/pjrttest"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training"
)

// On a card, too, each execution may run out of memory. The networks of the next attempt then
// read at most the chunks of smallerChunk.
func TestExhaustedCardIsGivenSmallerPrograms(t *testing.T) {
	// The program of a network takes ids and masks, then a key for dropout.
	network := regexp.MustCompile(`@main\((.*) tensor<3xui64>`)
	rows := regexp.MustCompile(`tensor<(\d+)x\d+xi1>`)
	t.Setenv("GOPJRT_CUDA_CHECKS", "0") // go-xla does not look for CUDA's folders
	for _, way := range exhausting[:4] {
		a := newAttempts(t, way.interaction, way.chunk)
		var plugin *pjrttest.Plugin
		a.open = func() compute.Backend {
			plugin = pjrttest.New(t)
			b, err := device.OpenBackend(plugin.Path + ",self_test=false")
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		most := func() (n int) {
			for _, call := range plugin.Log(t, "compile") {
				arguments := network.FindString(plugin.Program(t, call.Program))
				for _, found := range rows.FindAllStringSubmatch(arguments, -1) {
					if k, err := strconv.Atoi(found[1]); err == nil {
						n = max(n, k)
					}
				}
			}
			return n
		}
		_, calm := a.train(t, way.chunk, 0)
		before := most()
		if got := len(plugin.Log(t, "execute")); int64(got) != calm {
			t.Errorf("%+v: %d executions reach the card of %d", way, got, calm)
		}
		for execution := int64(1); execution <= calm; execution++ {
			t.Setenv(pjrttest.OOM, fmt.Sprint(execution))
			if _, _, err := a.try(t, way.chunk, 0); err == nil || classify(err) != results.OutOfMemory {
				t.Errorf("%+v, execution %d: %v", way, execution, err)
			}
			if n := len(plugin.Log(t, "out of memory")); n != 1 {
				t.Errorf("%+v, execution %d: %d times out of memory", way, execution, n)
			}
		}
		t.Setenv(pjrttest.OOM, "")
		chunk, err := smallerChunk(&a.cell, 1) // the chunk does not depend on the execution
		if err != nil {
			t.Fatal(err)
		}
		a.train(t, chunk, 0)
		if after := most(); after > chunk || after >= before || after == 0 {
			t.Errorf("%+v: programs of %d rows in chunks of %d, %d before", way, after, chunk, before)
		}
		t.Logf("%+v: out of memory at each of %d executions, then chunks of %d", way, calm, chunk)
	}
}

// train calls try, which must succeed.
func (a *attempts) train(t *testing.T, chunk int, execution int64) (curve []training.Step, executions int64) {
	t.Helper()
	curve, executions, err := a.try(t, chunk, execution)
	if err != nil {
		t.Fatal(err)
	}
	return curve, executions
}

// try trains in chunks on a new backend that runs out of memory at an execution; 0: never.
func (a *attempts) try(t *testing.T, chunk int, execution int64) (curve []training.Step, executions int64, err error) {
	t.Helper()
	loss, err := training.ParseLoss(a.cell.Loss)
	if err != nil {
		t.Fatal(err)
	}
	backend := &exhaustible{Backend: a.open()}
	defer backend.Finalize()
	backend.left.Store(execution)
	enc, err := a.enc.Replica(backend)
	if err != nil {
		t.Fatal(err)
	}
	config := a.cell.Train
	config.Chunk, config.Seed = chunk, a.cell.Seed
	summary, err := training.Train(t.Context(), config, loss, enc, a.data, training.Options{})
	return summary.Curve, execution - backend.left.Load(), err
}
