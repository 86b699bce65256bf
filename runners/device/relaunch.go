package device

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// relaunched keeps what a process was started anew with, so that it is not a second time
// for what does not take.
const relaunched = "INFBENCH_RELAUNCHED"

// Relaunch starts this program anew in place of itself, with the same arguments, if one
// of the devices needs variables that only count from a process's first moment. It
// returns where there is nothing to do, also for devices that cannot be found: opening
// them says why. What XLA finds to be fast on a card is kept in the folder autotuned, and
// found there; "" is none.
func Relaunch(devices []string, autotuned string) error {
	if !BuiltWithXLA {
		return nil
	}
	for _, name := range devices {
		t, err := ParseTarget(name)
		if err != nil {
			continue
		}
		add, err := t.lacking(autotuned)
		given := strings.Join(add, " ")
		if err != nil || len(add) == 0 || os.Getenv(relaunched) == given {
			continue
		}
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		if err := syscall.Exec(self, os.Args, environWith(append(add, relaunched+"="+given))); err != nil {
			return fmt.Errorf("start this program anew with %s: %w", given, err)
		}
	}
	return nil
}

// environWith is this process's environment with variables in place of those of their
// names.
func environWith(add []string) []string {
	set := map[string]bool{}
	for _, v := range add {
		name, _, _ := strings.Cut(v, "=")
		set[name] = true
	}
	var list []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !set[name] {
			list = append(list, v)
		}
	}
	return append(list, add...)
}
