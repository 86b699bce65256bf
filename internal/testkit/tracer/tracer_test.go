package tracer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit/tracer"
)

// shell runs a script of sh in a folder that contains the file "in".
func shell(t *testing.T, script string, fault tracer.Fault) (dir string, out tracer.Outcome) {
	t.Helper()
	if err := tracer.Supported(); err != nil {
		t.Skipf("SKIP: %v", err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, fault.Under, fault.Limit = dir, []string{dir}, time.Minute
	out, err := tracer.Run(cmd, fault)
	if err != nil {
		t.Fatal(err)
	}
	return dir, out
}

// The n-th call is broken, also in a child, and the calls before it were made.
func TestRun(t *testing.T) {
	const script = "for f in one two three; do echo text >$f; done"
	changes := tracer.Fault{Kinds: tracer.Changings}
	dir, calm := shell(t, script, changes)
	var names []string
	for _, c := range calm.Calls {
		names = append(names, c.Name+" "+filepath.Base(c.Path))
	}
	want := []string{"openat one", "write one", "openat two", "write two", "openat three", "write three"}
	if len(names) != len(want) || calm.Code != 0 || calm.Broken != nil {
		t.Fatalf("%v, %+v; want %v", names, calm, want)
	}
	for i := range want {
		if names[i] != want[i] || filepath.Dir(calm.Calls[i].Path) != dir {
			t.Errorf("call %d is %s of %s, want %s", i+1, names[i], calm.Calls[i].Path, want[i])
		}
	}
	for _, c := range []struct {
		at       int
		damage   tracer.Damage
		code     int
		one, two string
		none     bool // there is no file two
	}{
		{3, tracer.Damage{Kill: true}, -1, "text\n", "", true},
		{4, tracer.Damage{Kill: true}, -1, "text\n", "", false},
		{4, tracer.Damage{Error: syscall.ENOSPC}, 0, "text\n", "", false},
		{4, tracer.Damage{Part: 0.4}, 0, "text\n", "text\n", false}, // sh writes the rest
		{7, tracer.Damage{Kill: true}, 0, "text\n", "text\n", false},
	} {
		changes.At, changes.Damage = c.at, c.damage
		dir, out := shell(t, script, changes)
		one, _ := os.ReadFile(filepath.Join(dir, "one"))
		two, err := os.ReadFile(filepath.Join(dir, "two"))
		if out.Code != c.code || string(one) != c.one || string(two) != c.two || os.IsNotExist(err) != c.none || (out.Broken != nil) != (c.at < 7) {
			t.Errorf("%+v: %+v, one %q, two %q %v", c, out, one, two, err)
		}
	}
}

// A read can end early or fail.
func TestRunReads(t *testing.T) {
	for _, c := range []struct {
		damage tracer.Damage
		code   int
		want   string
	}{
		{tracer.Damage{Error: syscall.EIO}, 1, ""},
		{tracer.Damage{Part: 0.4}, 0, "te"},
		{tracer.Damage{End: true}, 0, ""},
	} {
		dir, out := shell(t, "dd if=in of=one bs=5 count=1 2>said", tracer.Fault{Kinds: []tracer.Kind{tracer.Read}, At: 1, Damage: c.damage})
		got, err := os.ReadFile(filepath.Join(dir, "one"))
		if out.Code != c.code || string(got) != c.want || err != nil {
			t.Errorf("%+v: %+v, %q, %v", c, out, got, err)
		}
	}
}

// A signal reaches the command; a command that takes too long is killed.
func TestRunSignals(t *testing.T) {
	var out tracer.Outcome
	for after := 200 * time.Millisecond; after < 30*time.Second && out.Code != 7; after *= 2 { // until the trap is set
		_, out = shell(t, "trap 'exit 7' TERM; while :; do :; done", tracer.Fault{Signal: syscall.SIGTERM, After: after})
	}
	if out.Code != 7 || !out.Sent || out.Lasted <= 0 || out.Overdue {
		t.Errorf("%+v", out)
	}
	_, out = shell(t, "sleep 600 & sleep 600", tracer.Fault{Signal: syscall.SIGKILL, After: 100 * time.Millisecond})
	if out.Code != -1 || out.Signal != syscall.SIGKILL || out.Overdue {
		t.Errorf("%+v", out)
	}
}

// After a power loss only synced data is left. perl can sync files and folders.
func TestPowerLoss(t *testing.T) {
	const perl = `exec perl -MIO::File -MIO::Dir -MFcntl -e '
sub put { open(my $f, ">", $_[0]); syswrite($f, "text"); $f->sync if $_[1]; syswrite($f, $_[2]) if $_[2]; close $f }
sub safe { sysopen(my $d, $_[0], O_RDONLY) or die; IO::Handle::sync($d) or die }
`
	for _, c := range []struct{ do, all, content string }{
		{`put("a", 1)`, "in=text\n", "a=text in=text\n"},
		{`put("a", 1); safe(".")`, "a=text in=text\n", "a=text in=text\n"},
		{`put("a", 0); safe(".")`, "a= in=text\n", "a= in=text\n"},
		{`put("a", 1, "more"); safe(".")`, "a=text in=text\n", "a=text in=text\n"},
		{`put("in", 0)`, "in=", "in="},
		{`put("a", 1); rename("a", "in")`, "in=text\n", "in=text"},
		{`put("a", 1); rename("a", "in"); safe(".")`, "in=text", "in=text"},
		{`unlink("in")`, "in=text\n", ""},
		{`unlink("in"); safe(".")`, "", ""},
		{`truncate("in", 2)`, "in=te", "in=te"},
		{`mkdir("d"); put("d/f", 1); safe("d")`, "in=text\n", "d/ d/f=text in=text\n"},
		{`mkdir("d"); safe("."); put("d/f", 1)`, "d/ in=text\n", "d/ d/f=text in=text\n"},
		{`mkdir("d"); put("d/f", 1); safe("d"); rename("d", "e"); safe(".")`, "e/ e/f=text in=text\n", "e/ e/f=text in=text\n"},
		{`mkdir("d"); safe("."); rename("in", "d/in"); safe("d")`, "d/ d/in=text\n in=text\n", "d/ d/in=text\n"},
		{`mkdir("d"); safe("."); rename("in", "d/in"); safe(".")`, "d/", "d/ d/in=text\n"},
		{`mkdir("d"); mkdir("d/e"); safe("d"); safe("."); rename("d/e", "e"); safe(".")`, "d/ e/ in=text\n", "d/ e/ in=text\n"},
		{`link("in", "b")`, "in=text\n", "b=text\n in=text\n"},
		{`put("a", 0); link("a", "b"); unlink("a"); safe(".")`, "b= in=text\n", "b= in=text\n"},
		{`symlink("in", "l")`, "in=text\n", "in=text\n l->in"},
		{`symlink("in", "l"); safe(".")`, "in=text\n l->in", "in=text\n l->in"},
	} {
		for power, want := range map[tracer.Power]string{tracer.LoseAll: c.all, tracer.LoseContent: c.content} {
			dir, out := shell(t, perl+c.do+"'", tracer.Fault{Damage: tracer.Damage{Power: power}})
			if got := below(t, dir); out.Code != 0 || got != want {
				t.Errorf("%s, power %d: exit %d, left %q, want %q", c.do, power, out.Code, got, want)
			}
		}
	}
}

// below returns the contents of a folder: folders with a slash, files with their bytes.
func below(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
		case e.IsDir():
			all = append(all, name+"/")
		case e.Type()&os.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(path)
			all = append(all, name+"->"+target)
		default:
			var data []byte
			data, err = os.ReadFile(path)
			all = append(all, name+"="+string(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// A torn write leaves its first half, and the process is killed.
func TestTornWrite(t *testing.T) {
	dir, out := shell(t, "echo texts >one; echo text >two", tracer.Fault{Kinds: []tracer.Kind{tracer.Write}, At: 1, Damage: tracer.Damage{Kill: true, Part: 0.5}})
	if got := below(t, dir); out.Code != -1 || got != "in=text\n one=tex" {
		t.Errorf("%+v: left %q", out, got)
	}
}
