package tracer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// partFolder is the variable that makes a process run a part of a test, and names the folder.
const partFolder = "INFBENCH_TRACED_PART"

// Part runs a part of a test under a fault, in a folder and in a separate process, which is
// another run of the test program. It returns the part's output to os.Stdout. The test must
// call Part before anything that the process must not repeat; a test that calls Part several
// times passes the same part. The exit code is not 0 if the part failed the test or was
// killed.
func Part(t *testing.T, dir string, fault Fault, do func(dir string)) (out Outcome, output string) {
	t.Helper()
	if dir := os.Getenv(partFolder); dir != "" {
		do(dir)
		if t.Failed() {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if err := Supported(); err != nil {
		t.Skipf("SKIP: %v", err)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), partFolder+"="+dir, "TMPDIR="+t.TempDir(), "GOMAXPROCS=1")
	cmd.Stdout, cmd.Stderr = printed, os.Stderr
	fault.Under, fault.Limit = []string{dir}, time.Minute
	if out, err = Run(cmd, fault); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(printed.Name())
	if err != nil || out.Overdue {
		t.Fatalf("overdue: %v, %v", out.Overdue, err)
	}
	return out, string(text)
}

// bad are the ways in which a disk and its power fail.
var bad = []struct {
	what string
	Fault
}{
	{"full disk once", Fault{Kinds: Changings, Damage: Damage{Error: syscall.ENOSPC}}},
	{"killed", Fault{Kinds: Changings, Damage: Damage{Kill: true}}},
	{"torn write", Fault{Kinds: []Kind{Write}, Damage: Damage{Kill: true, Part: 0.5}}},
	{"power loss", Fault{Kinds: LoseAll.Kinds(), Damage: Damage{Kill: true, Power: LoseAll}}},
	{"power loss, names kept", Fault{Kinds: LoseContent.Kinds(), Damage: Damage{Kill: true, Power: LoseContent}}},
}

// EachFault runs a part of a test under one fault after the other, each in a new folder,
// which before fills if it is given. After each run it calls check with the fault's
// description, the folder and the part's output. The last run of each kind ends before the
// fault occurs. If INFBENCH_FAULTS is 1, every operation is broken in turn, else some of
// them.
func EachFault(t *testing.T, before, do func(dir string), check func(what, dir, output string)) {
	t.Helper()
	stride := 5
	if os.Getenv("INFBENCH_FAULTS") == "1" {
		stride = 1
	}
	for i, fault := range bad {
		for fault.At = 1 + i%stride; ; fault.At += stride {
			dir := t.TempDir()
			if before != nil && os.Getenv(partFolder) == "" {
				before(dir)
			}
			out, output := Part(t, dir, fault.Fault, do)
			what := fault.what + " at the end"
			if out.Broken != nil {
				what = fault.what + " at operation " + strconv.Itoa(fault.At) + ", " + out.Broken.Name + " " + out.Broken.Path
			}
			if out.Code > 0 || out.Code != 0 && out.Broken == nil {
				t.Fatalf("%s: exit code %d: %s", what, out.Code, output)
			}
			if check(what, dir, output); out.Broken == nil {
				break
			}
		}
	}
}
