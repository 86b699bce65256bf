package device

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// relaunched names the variable that records what a process was restarted with. It prevents a
// second restart for a setting that has no effect.
const relaunched = "INFBENCH_RELAUNCHED"

// Relaunch replaces this process with a new one of the same program and arguments if a device
// needs variables that only count from the start of a process. It returns if there is nothing
// to do. It also returns for devices that cannot be found: opening them gives the reason. On a
// card, XLA keeps its autotuning results in the folder autotuned and finds them there; "" turns
// this off.
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
			return fmt.Errorf("restart this program with %s: %w", given, err)
		}
	}
	return nil
}

// environWith returns this process's environment with add in place of variables of the same
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
