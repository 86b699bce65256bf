package training

import (
	"strings"
	"testing"
)

// The reference code's trainer takes 1,212 steps an epoch for InF-IR's 38,759 records (spec:
// 38,759 / 32 = 1,211.2). Dropping the records that do not fill a batch leaves one less.
func TestStepsOfAnEpoch(t *testing.T) {
	c := DefaultConfig()
	c.Epochs, c.Groups = 1, 8
	for last, want := range map[LastBatch]int{"": 1211, DropBatch: 1211, FillBatch: 1212} {
		c.LastBatch = last
		if got := c.StepsOn(3 * 38_759); got != want {
			t.Errorf("last_batch %q: %d steps, want %d", last, got, want)
		}
	}
	c.LastBatch = FillBatch
	if got := c.ForSteps(700).StepsOn(3 * 38_759); got != 700 {
		t.Errorf("%d steps, 700 were asked for", got)
	}
	c.Steps = 700
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "epochs 1 and steps 700: both set the length of training, give one") {
		t.Errorf("Validate() = %v", err)
	}
	c.Steps = 0
	c.LastBatch = "fil"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), `did you mean "fill"?`) {
		t.Errorf("Validate() = %v", err)
	}
}
