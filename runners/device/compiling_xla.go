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

// timeCompiling adds the programs that XLA compiles, and their time, to total until end is called.
// Only go-xla's log reports them: a wrapper around the backend cannot, because go-xla's buffers name
// their backend.
func timeCompiling(total *Compiled) (end func()) {
	before := klog.CaptureState()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"vmodule": "executable=1", "logtostderr": "false", "one_output": "true", "stderrthreshold": "FATAL"} {
		if flags.Set(name, value) != nil { // another klog: the counts stay 0
			before.Restore()
			return func() {}
		}
	}
	klog.SetOutput(compileLog{total})
	return before.Restore
}

// compileLog receives go-xla's log. It reads the lines from executable.go and passes all others
// to standard error.
type compileLog struct{ total *Compiled }

var (
	ofExecutable = regexp.MustCompile(`^I.* executable\.go:\d+\] `)
	compiledIn   = regexp.MustCompile(`^Compiled in (\S+)`)
)

// Write takes one message. klog holds a lock during the call.
func (l compileLog) Write(message []byte) (int, error) {
	prefix := ofExecutable.Find(message)
	if prefix == nil {
		return os.Stderr.Write(message)
	}
	if m := compiledIn.FindSubmatch(bytes.TrimPrefix(message, prefix)); m != nil {
		if d, err := time.ParseDuration(string(m[1])); err == nil {
			l.total.Programs, l.total.Time = l.total.Programs+1, l.total.Time+d
		}
	}
	return len(message), nil
}
