package gpucheck

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"infbench/internal/words"
	"infbench/runners/device"
)

// gpuCard is the first NVIDIA card of this machine.
type gpuCard struct {
	name string  // "": no card
	peak float64 // bfloat16 operations per second without sparsity; 0: unknown
}

// cardPeaks are bfloat16 peaks in TFLOP/s by a part of the card's name, from NVIDIA's data
// sheets (dense). The first match counts.
func cardPeaks() []struct {
	part string
	peak float64
} {
	return []struct {
		part string
		peak float64
	}{
		{"H200", 989}, {"H100 PCIe", 756}, {"H100 NVL", 835}, {"H100", 989}, {"H800", 989}, {"B200", 2250}, {"GH200", 989},
		{"A100", 312}, {"A800", 312}, {"L40S", 362}, {"L40", 181}, {"L4", 121}, {"A40", 150}, {"A30", 165}, {"A10", 125},
		{"RTX 4090", 165}, {"RTX 3090", 71},
	}
}

// findCard finds the card with nvidia-smi.
func findCard(ctx context.Context) gpuCard {
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name", "--format=csv,noheader").Output()
	if err != nil {
		return gpuCard{}
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return cardNamed(strings.TrimSpace(name))
}

// cardNamed returns a card with the peak for its name.
func cardNamed(name string) gpuCard {
	for _, c := range cardPeaks() {
		if strings.Contains(name, c.part) {
			return gpuCard{name, c.peak * 1e12}
		}
	}
	return gpuCard{name: name}
}

// String formats the name and peak, to follow the device's name.
func (c gpuCard) String() string {
	switch {
	case c.peak > 0 && c.name != "":
		return fmt.Sprintf(", %s, peak %.0f TFLOP/s in bf16", words.Clean(c.name), c.peak/1e12)
	case c.name != "":
		return fmt.Sprintf(", %s, peak unknown (--peak-tflops)", words.Clean(c.name))
	}
	return ""
}

// memoryWatch records the peak memory in use: the card's, which it reads from nvidia-smi four
// times a second, or this process's if there is no card.
type memoryWatch struct {
	card bool
	done chan struct{}
	wait sync.WaitGroup
	most int64
}

func (c gpuCard) watch(ctx context.Context) *memoryWatch {
	w := &memoryWatch{card: c.name != "", done: make(chan struct{})}
	if !w.card {
		return w
	}
	w.wait.Go(func() {
		for {
			w.most = max(w.most, cardMemory(ctx))
			select {
			case <-w.done:
				return
			case <-time.After(250 * time.Millisecond):
			}
		}
	})
	return w
}

// stop returns the peak in bytes.
func (w *memoryWatch) stop() int64 {
	close(w.done)
	w.wait.Wait()
	if !w.card {
		return device.PeakRSS()
	}
	return w.most
}

// cardMemory is the memory that this process uses on cards. If nvidia-smi does not list
// processes, as in a container, it is all memory in use on the first card.
func cardMemory(ctx context.Context) int64 {
	query := func(what string) string {
		out, _ := exec.CommandContext(ctx, "nvidia-smi", "--query-"+what, "--format=csv,noheader,nounits").Output()
		return string(out)
	}
	var own int64
	for line := range strings.Lines(query("compute-apps=pid,used_memory")) {
		pid, used, _ := strings.Cut(line, ",")
		if n, err := strconv.ParseInt(strings.TrimSpace(used), 10, 64); err == nil && strings.TrimSpace(pid) == strconv.Itoa(os.Getpid()) {
			own += n << 20
		}
	}
	if own > 0 {
		return own
	}
	first, _, _ := strings.Cut(query("gpu=memory.used"), "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	if err != nil {
		return 0
	}
	return n << 20
}
