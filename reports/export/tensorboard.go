package export

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"path"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// eventsFile is the name of an event file; programs look for "tfevents" in it.
const eventsFile = "events.out.tfevents.0.infbench"

// exportTensorBoard writes an event file for each trial, in a folder of its own, with its training
// curve by the names of train.jsonl, its values on held-out queries during training, and its means by task at the last step.
// Undefined values are left out. The format has 32-bit numbers.
func exportTensorBoard(v *scores.Set) ([]File, []string, error) {
	var files []File
	used := map[string]bool{}
	for _, t := range v.Trials {
		points := append(curvePointsOf(t), scorePoints(v, t)...)
		if len(points) == 0 {
			continue
		}
		dir := path.Join(SafeSegment(t.Experiment), SafeSegment(systemOf(v, t).Label))
		if seed := t.Config[results.Seed]; seed != "" {
			dir += "-seed-" + SafeSegment(seed)
		}
		if used[dir] {
			dir += "-" + SafeSegment(t.ID)
		}
		used[dir] = true
		files = append(files, File{path.Join(dir, eventsFile), events(t.Provenance.Started, points)})
	}
	return files, nil, nil
}

// point is a number of a trial after a step of its training.
type point struct {
	tag   string
	step  int
	value float64
}

// curvePointsOf lists the points of a trial's training.
func curvePointsOf(t *scores.Trial) []point {
	var out []point
	for _, s := range t.Curve {
		add := func(name string, value float64) { out = append(out, point{"train/" + name, s.Step, value}) }
		add("loss", s.Loss)
		for _, term := range words.SortedKeys(s.Terms) {
			add("terms/"+term, s.Terms[term])
		}
		add("grad_norm", s.GradNorm)
		add("lr", s.LearningRate)
		if s.Accuracy != 0 || s.MRR != 0 { // else it was not measured
			add("accuracy", s.Accuracy)
			add("mrr", s.MRR)
		}
	}
	for _, e := range t.Evaluations {
		out = append(out, point{"validation/" + cmp.Or(t.Config[results.ValidateMeasure], "value"), e.Step, e.Value})
	}
	return out
}

// scorePoints lists the means of a trial, at its last step.
func scorePoints(v *scores.Set, t *scores.Trial) []point {
	last := 0
	if n := len(t.Curve); n > 0 {
		last = t.Curve[n-1].Step
	}
	var out []point
	for _, at := range v.Slots {
		if mean, defined := t.Scores[at].Mean(); defined > 0 {
			out = append(out, point{path.Join(at.Benchmark, at.Task, at.Side, at.Measure), last, mean})
		}
	}
	return out
}

// events returns an event file: records of TensorFlow's TFRecord format, each a message Event of
// tensorboard/compat/proto/event.proto. Nothing but the start of a trial is recorded on its clock,
// so all events have that time.
func events(started time.Time, points []point) []byte {
	seconds := 0.
	if !started.IsZero() {
		seconds = float64(started.UnixMilli()) / 1000
	}
	head := func(step int) []byte {
		b := protowire.AppendTag(nil, 1, protowire.Fixed64Type) // wall_time
		b = protowire.AppendFixed64(b, math.Float64bits(seconds))
		if step == 0 { // the default
			return b
		}
		b = protowire.AppendTag(b, 2, protowire.VarintType) // step
		return protowire.AppendVarint(b, uint64(step))
	}
	version := protowire.AppendTag(head(0), 3, protowire.BytesType) // file_version
	out := record(nil, protowire.AppendString(version, "brain.Event:2"))
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.step, b.step) })
	for _, p := range points {
		value := protowire.AppendTag(nil, 1, protowire.BytesType) // tag
		value = protowire.AppendString(value, words.Clean(p.tag))
		value = protowire.AppendTag(value, 2, protowire.Fixed32Type) // simple_value
		value = protowire.AppendFixed32(value, math.Float32bits(float32(p.value)))
		summary := protowire.AppendTag(nil, 1, protowire.BytesType) // value
		summary = protowire.AppendBytes(summary, value)
		event := protowire.AppendTag(head(p.step), 5, protowire.BytesType) // summary
		out = record(out, protowire.AppendBytes(event, summary))
	}
	return out
}

// record appends a TFRecord: the length, its checksum, the data, their checksum.
func record(to, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	to = binary.LittleEndian.AppendUint32(append(to, length...), masked(length))
	return binary.LittleEndian.AppendUint32(append(to, data...), masked(data))
}

// masked returns the checksum of a TFRecord (tensorflow/core/lib/hash/crc32c.h).
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}
