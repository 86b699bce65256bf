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

// partFolder is the variable that tells a process that it is to run a part of a test, and
// in which folder.
const partFolder = "INFBENCH_TRACED_PART"

// Part runs a part of a test under a fault: in a process of its own, which is the test
// program again, in a folder. It returns what the part printed to os.Stdout. The test calls
// Part before it does anything that the process must not repeat; a test that calls Part
// several times passes the same part. The exit code is not 0 where the part failed the test
// or was killed.
func Part(t *testing.T, dir string, fault Fault, do func(dir string)) (out Outcome, said string) {
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

// EachFault runs a part of a test under one fault after the other, each in a new folder
// that before, if given, fills; after each, check gets what was broken and what the part
// had printed. The last run of each kind ends before anything is broken. Operations are
// broken at every one if INFBENCH_FAULTS is 1, else at some.
func EachFault(t *testing.T, before, do func(dir string), check func(what, dir, said string)) {
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
			out, said := Part(t, dir, fault.Fault, do)
			what := fault.what + " at the end"
			if out.Broken != nil {
				what = fault.what + " at operation " + strconv.Itoa(fault.At) + ", " + out.Broken.Name + " " + out.Broken.Path
			}
			if out.Code > 0 || out.Code != 0 && out.Broken == nil {
				t.Fatalf("%s: exit code %d: %s", what, out.Code, said)
			}
			if check(what, dir, said); out.Broken == nil {
				break
			}
		}
	}
}
