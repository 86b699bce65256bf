package training

import (
	"errors"
	"testing"

	"infbench/internal/memory"
)

// A batch whose values do not fit into memory is an error before the first step.
func TestTrainAsksForRoom(t *testing.T) {
	data := colours(3000)
	c := toyConfig()
	c.RowsPerGroup, c.Groups = 9000, 1
	enc := newEncoder(t, data)
	defer memory.Limit(memory.Least)()
	_, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{OnStep: func(Step) { t.Error("a step was taken") }})
	if _, full := errors.AsType[*memory.Full](err); !full {
		t.Errorf("trained on 9,000 rows in %d bytes: %v", memory.Least, err)
	}
}
