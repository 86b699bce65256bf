package device

import (
	"testing"
)

func TestOpenDevices(t *testing.T) {
	first, others, err := OpenDevices(GoDevice, 3)
	if err != nil || first != GoDevice || len(others) != 2 || others[0] == others[1] {
		t.Errorf("%s, %v, %v; want go and two more", first, others, err)
	}
	if first, others, err = OpenDevices("xla:cuda:1", 1); err != nil || first != "xla:cuda:1" || len(others) != 0 {
		t.Errorf("%s, %v, %v; want the one card", first, others, err)
	}
	if _, _, err = OpenDevices("xla:cuda:1", 2); err == nil {
		t.Error("one card is two")
	}
}
