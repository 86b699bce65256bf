package runs

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// lossOf returns the values of a curve's loss.
func lossOf(c *Curve) (out []float64) {
	for _, p := range c.Series(Loss) {
		out = append(out, p.Value)
	}
	return out
}

// Killed after step 3 and resumed from the checkpoint after step 1: repeated steps count once,
// and a truncated line does not count.
func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	line := func(step int, loss float64) string {
		return fmt.Sprintf(`{"phase":"train","done":%d,"total":9,"loss":%v}`+"\n", step, loss)
	}
	var grown tail
	for _, c := range []struct {
		text string
		want []float64
	}{
		{`{"phase":"start"}` + "\n" + line(1, 4) + line(2, 3), []float64{4, 3}},
		{line(3, 2)[:20], []float64{4, 3}},
		{line(3, 2)[20:] + `{"phase":"start"}` + "\n", []float64{4, 3, 2}},
		{line(2, 3), []float64{4, 3}},
		{"nonsense\n" + line(3, 2.5), []float64{4, 3, 2.5}},
		{strings.Repeat("x", 3*lineAtMost) + "\n" + line(4, 2), []float64{4, 3, 2.5, 2}},
		{`{"phase":"evaluate","done":1,"total":2}` + "\n", []float64{4, 3, 2.5, 2}},
	} {
		if _, err := file.WriteString(c.text); err != nil {
			t.Fatal(err)
		}
		if err := grown.follow(path); err != nil {
			t.Fatal(err)
		}
		var whole tail
		if err := whole.follow(path); err != nil {
			t.Fatal(err)
		}
		if got := lossOf(&grown.curve); !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(lossOf(&whole.curve), c.want) {
			t.Errorf("after %.40q: %v, want %v", c.text, got, c.want)
		}
	}
	if grown.last.Phase != "evaluate" || grown.loss != 2 {
		t.Errorf("last report %+v, loss %v", grown.last, grown.loss)
	}
	for _, shorter := range []string{line(1, 7), ""} {
		if err := os.WriteFile(path, []byte(shorter), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := grown.follow(path); err != nil || len(lossOf(&grown.curve)) != len(shorter)/len(line(1, 7)) {
			t.Errorf("a file that begins anew: %v, %v", lossOf(&grown.curve), err)
		}
	}
	os.Remove(path)
	if err := grown.follow(path); err == nil || grown.file != nil {
		t.Error("a file that is gone is remembered")
	}
}

// However long a training is, its curve stays within the limit, and the mean of its points is
// that of the steps.
func TestCurveIsBounded(t *testing.T) {
	for _, steps := range []int{1, 119, 120, 121, 1000, 54321} {
		var c Curve
		for s := 1; s <= steps; s++ {
			c.Add(s, map[string]float64{Loss: float64(s), Term + "P": math.NaN()})
		}
		points := c.Series(Loss)
		if len(points) > pointsAtMost || len(points) < min(steps, pointsAtMost/2) {
			t.Errorf("%d steps: %d points", steps, len(points))
		}
		if last := points[len(points)-1]; last.Step != float64(steps) || last.Value > float64(steps) || last.Value < float64(steps-c.Every) {
			t.Errorf("%d steps end at %+v, %d a point", steps, last, c.Every)
		}
		if first, want := points[0].Value, float64(1+min(c.Every, steps))/2; first != want {
			t.Errorf("%d steps begin at %v, want %v", steps, first, want)
		}
		if names := c.Names(); !reflect.DeepEqual(names, []string{Loss}) {
			t.Errorf("series %v", names)
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1}, "▁"}, {[]float64{2, 2, 2}, "▁▁▁"}, {[]float64{0, 7, 3}, "▁█▄"},
		{[]float64{8, 8, 0, 0, 8, 8, 0, 0}, "█▁█▁"},
	} {
		if got := sparkline(c.values, 4); got != c.want {
			t.Errorf("sparkline(%v) = %s, want %s", c.values, got, c.want)
		}
	}
}
