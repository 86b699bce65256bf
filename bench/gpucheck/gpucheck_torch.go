package gpucheck

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"infbench/bench/device"
	"infbench/reports/words"
	"infbench/training/encoder"
)

// torchScript trains and encodes with a shape in PyTorch.
//
//go:embed gpucheck.py
var torchScript string

// torchTask is what the script reads.
type torchTask struct {
	Kind          string `json:"kind"` // bert or llama
	Vocabulary    int    `json:"vocabulary"`
	Width         int    `json:"width"`
	Layers        int    `json:"layers"`
	Heads         int    `json:"heads"`
	KeyHeads      int    `json:"key_heads"`
	Inner         int    `json:"inner"`
	Length        int    `json:"length"`
	Sequences     int    `json:"sequences"`
	Rows          int    `json:"rows"` // anchors, as many passages
	Steps         int    `json:"steps"`
	BFloat16      bool   `json:"bf16"`
	Checkpointing bool   `json:"checkpointing"`
	CUDA          bool   `json:"cuda"`
}

// torchAnswer is what it prints.
type torchAnswer struct {
	Version       string  `json:"version"`
	StepSeconds   float64 `json:"step_seconds"`
	TrainMemory   int64   `json:"train_memory"`
	EncodeSeconds float64 `json:"encode_seconds"` // of one step's sequences
	EncodeMemory  int64   `json:"encode_memory"`
}

// torchRows measures PyTorch on the same shape; note says why it could not.
func torchRows(ctx context.Context, s modelShape, o gpuCheckOptions, sequences int) (rows []shapeRow, note string) {
	if exec.CommandContext(ctx, "python3", "-c", "import torch").Run() != nil {
		return nil, "PyTorch: not measured, python3 has no torch"
	}
	c := s.config
	task, err := json.Marshal(torchTask{
		Kind: c.ModelType, Vocabulary: c.VocabSize, Width: c.HiddenSize, Layers: c.NumHiddenLayers, Heads: c.NumAttentionHeads,
		KeyHeads: max(c.NumKeyValueHeads, 1), Inner: c.IntermediateSize, Length: o.length, Sequences: sequences,
		Rows: 3 * o.records * o.groups, Steps: o.steps, BFloat16: o.precision == string(encoder.BFloat16),
		Checkpointing: o.checkpointing(s), CUDA: !device.OnHost(o.machine.Device),
	})
	if err != nil {
		return nil, "PyTorch: " + err.Error()
	}
	var stderr bytes.Buffer
	run := exec.CommandContext(ctx, "python3", "-c", torchScript, string(task))
	run.Stderr = &stderr
	out, err := run.Output()
	var a torchAnswer
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		return nil, words.Clean(fmt.Sprintf("PyTorch: not measured, %v: %s", err, text[strings.LastIndexByte(text, '\n')+1:]))
	}
	program, tokens := "PyTorch "+words.Clean(a.Version), float64(sequences*o.length)
	return []shapeRow{
		{program: program, work: "train " + o.precision, seconds: a.StepSeconds, tokens: tokens, memory: a.TrainMemory},
		{program: program, work: "encode float32", seconds: a.EncodeSeconds, tokens: tokens, memory: a.EncodeMemory},
	}, ""
}
