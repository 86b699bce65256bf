package device

import (
	"os"
	"strings"
	"syscall"
)

// safeSIMD is the runtime setting that a SIMD build needs: asynchronous
// preemption leaves the upper halves of vector registers dirty, which makes
// every later math.Exp some 150 times slower.
const safeSIMD = "asyncpreemptoff=1"

// RestartForSIMD replaces this process by itself with safeSIMD set, if it was
// built with SIMD and is not running so already. Go reads the setting only at
// start. It returns where nothing has to be, or can be, done.
func RestartForSIMD() {
	if !BuiltWithSIMD || strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=") {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return // slower, but right
	}
	env := append(os.Environ(), "GODEBUG="+strings.TrimPrefix(os.Getenv("GODEBUG")+","+safeSIMD, ","))
	_ = syscall.Exec(self, os.Args, env) // returns only on failure: slower, but right
}
