//go:build xla

package device

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"time"

	"k8s.io/klog/v2"
)

// timeCompiling adds the time in which XLA compiles to total until it is ended. Only
// go-xla's log tells it: its buffers name their backend, so that none can stand in between.
func timeCompiling(total *time.Duration) (end func()) {
	before := klog.CaptureState()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"vmodule": "executable=1", "logtostderr": "false", "one_output": "true", "stderrthreshold": "FATAL"} {
		if flags.Set(name, value) != nil { // another klog: as if it did not tell
			before.Restore()
			return func() {}
		}
	}
	klog.SetOutput(compileLog{total})
	return before.Restore
}

// compileLog takes go-xla's log: what executable.go says is read, all else goes on to
// standard error.
type compileLog struct{ total *time.Duration }

var (
	ofExecutable = regexp.MustCompile(`^I.* executable\.go:\d+\] `)
	compiledIn   = regexp.MustCompile(`^Compiled in (\S+)`)
)

// Write takes one message; klog holds a lock.
func (l compileLog) Write(message []byte) (int, error) {
	prefix := ofExecutable.Find(message)
	if prefix == nil {
		return os.Stderr.Write(message)
	}
	if m := compiledIn.FindSubmatch(bytes.TrimPrefix(message, prefix)); m != nil {
		if d, err := time.ParseDuration(string(m[1])); err == nil {
			*l.total += d
		}
	}
	return len(message), nil
}
