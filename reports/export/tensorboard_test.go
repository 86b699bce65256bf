package export

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestEvents compares the bytes of an event file with those of tensorboard 2.21.0 for the
// messages Event(wall_time=1.5, file_version="brain.Event:2") and Event(wall_time=1.5, step=3,
// summary=Summary(value=[Summary.Value(tag="a/b", simple_value=0.25)])), written by its RecordWriter.
func TestEvents(t *testing.T) {
	got := hex.EncodeToString(events(time.UnixMilli(1500), []point{{"a/b", 3, .25}}))
	if got != eventsOfTensorBoard {
		t.Errorf("wrote\n%s\nwant\n%s", got, eventsOfTensorBoard)
	}
}

const eventsOfTensorBoard = "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c" +
	"19000000000000008bf1082809000000000000f83f10032a0c0a0a0a03612f62150000803e1440548c"

// fields reads the fields of a message.
func fields(t *testing.T, data []byte) map[protowire.Number][]byte {
	t.Helper()
	out := map[protowire.Number][]byte{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		size := protowire.ConsumeFieldValue(number, kind, data[max(n, 0):])
		if n < 0 || size < 0 {
			t.Fatalf("damaged message %x", data)
		}
		value := data[n : n+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		out[number], data = value, data[n+size:]
	}
	return out
}

// scalars reads the numbers of an event file.
func scalars(t *testing.T, data []byte) (out []point) {
	t.Helper()
	for first := true; len(data) > 0; first = false {
		size := binary.LittleEndian.Uint64(data)
		event := fields(t, data[12:12+size])
		data = data[16+size:]
		if first {
			if string(event[3]) != "brain.Event:2" {
				t.Fatalf("the first event is of version %q", event[3])
			}
			continue
		}
		step := uint64(0)
		if len(event[2]) > 0 {
			step, _ = protowire.ConsumeVarint(event[2])
		}
		value := fields(t, fields(t, event[5])[1])
		out = append(out, point{string(value[1]), int(step), float64(math.Float32frombits(binary.LittleEndian.Uint32(value[2])))})
	}
	return out
}

// TestExportTensorBoard checks the curve and the final scores of a trained system, and the scores of
// a baseline, which has no steps. Trials with the same seed get folders of their own.
func TestExportTensorBoard(t *testing.T) {
	e := reportstest.Fixture(2)
	for i := range e.Trials {
		if e.Trials[i].Config.Kind() != results.TrainedKind {
			continue
		}
		e.Trials[i].Curve = []results.Step{
			{Step: 1, Loss: 2, Terms: map[string]float64{"P": 2}, GradNorm: 3, LearningRate: .5, Accuracy: .25, MRR: .5},
			{Step: 2, Loss: 1, GradNorm: 1},
		}
		e.Trials[i].Evaluations = []results.Evaluation{{Step: 1, Value: .125}}
		e.Trials[i].Config["validate.measure"] = "mean p-MRR"
	}
	files := exportedFiles(t, "tensorboard", e)
	if len(files) != len(e.Trials) {
		t.Fatalf("%d files of %d trials", len(files), len(e.Trials))
	}
	trained, others := 0, 0
	for _, f := range files {
		all := scalars(t, f.Data)
		curve := []point{{"train/loss", 1, 2}, {"train/terms/P", 1, 2}, {"train/grad_norm", 1, 3}, {"train/lr", 1, .5}, {"train/accuracy", 1, .25},
			{"train/mrr", 1, .5}, {"validation/mean p-MRR", 1, .125}, {"train/loss", 2, 1}, {"train/grad_norm", 2, 1}, {"train/lr", 2, 0}}
		last := 0
		if strings.HasPrefix(all[0].tag, "train/") {
			if trained++; !slices.Equal(all[:len(curve)], curve) {
				t.Errorf("%s: %v", f.Name, all)
			}
			all, last = all[len(curve):], 2
		} else {
			others++
		}
		if len(all) == 0 {
			t.Errorf("%s has no scores", f.Name)
		}
		for _, p := range all {
			if p.step != last || strings.Count(p.tag, "/") < 2 {
				t.Errorf("%s: %+v", f.Name, p)
			}
		}
	}
	if trained == 0 || others == 0 {
		t.Errorf("%d trained systems, %d others", trained, others)
	}
	e = followIR("followir")
	if got := scalars(t, exportedFiles(t, "tensorboard", e)[0].Data); !slices.Contains(got, point{"followir/robust04/p-MRR", 0, float64(float32(.1))}) {
		t.Errorf("%v", got)
	}
}
