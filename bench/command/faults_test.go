package command

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/internal/testkit/tracer"
	"infbench/internal/usage"
	"infbench/runners/runs"
)

// faultLimit is the time limit of a command under a fault: the slowest machine needs less,
// and a hanging command never ends.
const faultLimit = 5 * time.Minute

// aFault is one kind of fault that a command meets.
type aFault struct {
	name   string
	kinds  []tracer.Kind // system calls to break, one in each run
	damage tracer.Damage
	signal syscall.Signal // or a signal at a random moment
	exits  []int          // exit codes allowed for a command that a signal stopped
}

var theFaults = []aFault{
	{name: "kill", signal: syscall.SIGKILL, exits: []int{-1}},
	{name: "crash at every operation", kinds: tracer.Changings, damage: tracer.Damage{Kill: true}},
	{name: "torn write", kinds: []tracer.Kind{tracer.Write}, damage: tracer.Damage{Kill: true, Part: 0.5}},
	{name: "power loss", kinds: tracer.LoseAll.Kinds(), damage: tracer.Damage{Kill: true, Power: tracer.LoseAll}},
	{name: "power loss, names kept", kinds: tracer.LoseContent.Kinds(), damage: tracer.Damage{Kill: true, Power: tracer.LoseContent}},
	{name: "read error", kinds: tracer.Readings, damage: tracer.Damage{Error: syscall.EIO}},
	{name: "not found once", kinds: []tracer.Kind{tracer.Open, tracer.Find}, damage: tracer.Damage{Error: syscall.ENOENT}},
	{name: "short read", kinds: []tracer.Kind{tracer.Read}, damage: tracer.Damage{Part: 0.5}},
	{name: "read ends early", kinds: []tracer.Kind{tracer.Read}, damage: tracer.Damage{End: true}},
	{name: "write error", kinds: tracer.Changings, damage: tracer.Damage{Error: syscall.EIO}},
	{name: "full disk", kinds: []tracer.Kind{tracer.Create, tracer.Write, tracer.Sync}, damage: tracer.Damage{Error: syscall.ENOSPC, Stays: true}},
	{name: "short write", kinds: []tracer.Kind{tracer.Write}, damage: tracer.Damage{Part: 0.5}},
	{name: "SIGTERM", signal: syscall.SIGTERM},
	{name: "SIGINT", signal: syscall.SIGINT},
}

// aWriter is a verb that writes, as the table of faults runs it.
type aWriter struct {
	verb   string // as typed
	label  string // set if the verb is in the table several times
	args   string
	inputs func(t *testing.T, dir string) // makes its inputs
	env    []string
	// journal is a file that exists while the verb replaces earlier output. Any files missing
	// meanwhile are put in place by the next process.
	journal string
	anew    string // files that the verb removes first or replaces by different ones
	once    bool   // the verb refuses existing output and leaves it unchanged
	alike   int    // how often the same operations repeat, as for many trials: a few of them suffice
	cheap   bool   // in the sample of every test run

	// holds names a file and a text that it contains at every moment, whatever else is
	// written to it.
	holds [2]string
}

// TestVerbsUnderFaults is the table of verbs and faults. After any fault, the same command
// ends with the same bytes as an undisturbed one. If the faulted command succeeds, its output
// already has those bytes. Earlier results and the user's own files are never lost.
//
// INFBENCH_FAULTS sets the amount: 1 breaks every operation, n every n-th; by default a few
// operations of a few verbs are broken.
func TestVerbsUnderFaults(t *testing.T) {
	stride := faultStride(t)
	var mu sync.Mutex
	var rows []*faultRow
	for _, w := range theWriters(t) {
		if stride == 0 && !w.cheap {
			continue
		}
		if w.label != "" {
			w.label = " (" + w.label + ")"
		}
		t.Run(strings.ReplaceAll(w.verb+w.label, " ", "-"), func(t *testing.T) {
			t.Parallel()
			got := newFaulted(t, w, stride).all()
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, got...)
		})
	}
	t.Cleanup(func() { t.Log(faultTable(rows)) })
}

// faultStride returns the number in INFBENCH_FAULTS; 0 for a sample.
func faultStride(t *testing.T) int {
	t.Helper()
	text := os.Getenv("INFBENCH_FAULTS")
	if err := tracer.Supported(); err != nil && text == "" {
		t.Skipf("SKIP: system calls cannot be traced here: %v", err)
	} else if err != nil {
		t.Fatalf("system calls cannot be traced here: %v", err)
	}
	if text == "" {
		testkit.Deep(t)
		return 0
	}
	stride, err := strconv.Atoi(text)
	if err != nil || stride < 1 {
		t.Fatalf("INFBENCH_FAULTS=%s: want a number", text)
	}
	return stride
}

// faultRow counts the outcomes of a fault on a verb.
type faultRow struct {
	verb, fault               string
	operations                int           // operations that could be broken; 0 if moments are random
	runs, fired, failed, lost int           // failed: ended with an error, which is allowed
	longest                   time.Duration // longest run; after a signal, measured from the signal
}

func faultTable(rows []*faultRow) string {
	slices.SortStableFunc(rows, func(a, b *faultRow) int { return cmp.Compare(a.verb, b.verb) })
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nverb\tfault\toperations\truns\tfired\tsaid so\tlosses\tlongest")
	var sum faultRow
	for _, r := range rows {
		operations := "any moment"
		if r.operations > 0 {
			operations = strconv.Itoa(r.operations)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.2f s\n", r.verb, r.fault, operations, r.runs, r.fired, r.failed, r.lost, r.longest.Seconds())
		sum.runs, sum.fired, sum.failed, sum.lost, sum.longest = sum.runs+r.runs, sum.fired+r.fired, sum.failed+r.failed, sum.lost+r.lost, max(sum.longest, r.longest)
	}
	fmt.Fprintf(w, "all\t\t\t%d\t%d\t%d\t%d\t%.2f s\n", sum.runs, sum.fired, sum.failed, sum.lost, sum.longest.Seconds())
	w.Flush()
	return text.String()
}

// faulted is one verb to try faults on.
type faulted struct {
	t      *testing.T
	w      aWriter
	stride int
	rng    *rand.Rand
	work   string // where it runs, the same path in every run
	states []faultState
}

// faultState is the folder that a verb starts from: empty, or with its earlier output and the
// user's files.
type faultState struct {
	name string
	dir  string // a copy of the folder
	want map[string]string
	took time.Duration
	own  map[string]string // files in the folder
}

// userNote is a file that no verb should touch.
const userNote = "note.txt"

// newFaulted makes the verb's inputs and runs it undisturbed, twice from the same state:
// files that differ contain times.
func newFaulted(t *testing.T, w aWriter, stride int) *faulted {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &faulted{t: t, w: w, stride: stride, rng: rand.New(rand.NewPCG(17, uint64(len(w.verb)))), work: filepath.Join(root, "work")}
	fresh := filepath.Join(root, "fresh")
	if err := os.MkdirAll(filepath.Join(fresh, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(fresh, userNote), "mine")
	if w.inputs != nil {
		w.inputs(t, fresh)
	}
	f.addState("nothing there", fresh)
	if w.once {
		return f
	}
	f.calm() // the second run starts from the first one's output
	again := filepath.Join(root, "again")
	f.annotate()
	f.copy(f.work, again)
	f.addState("done before", again)
	return f
}

// annotate puts notes of the user into the folders that the verb made.
func (f *faulted) annotate() {
	for dir := range f.made() {
		writeFile(f.t, filepath.Join(f.work, dir, userNote), "mine")
	}
}

// made returns the folders below the first one that the verb made.
func (f *faulted) made() map[string]bool {
	made := map[string]bool{}
	for name := range f.states[0].want {
		if parts := strings.Split(name, "/"); len(parts) > 1 && parts[0] != "home" && parts[0] != "tmp" && f.states[0].own[name] == "" {
			made[parts[0]] = true
		}
	}
	return made
}

// addState runs the verb undisturbed from the content of a folder.
func (f *faulted) addState(name, dir string) {
	f.t.Helper()
	s := faultState{name: name, dir: dir, own: bytesBelow(f.t, dir)}
	f.states = append(f.states, s)
	began := time.Now()
	f.restore(&s)
	f.calm()
	s.took = time.Since(began)
	s.want = bytesBelow(f.t, f.work)
	f.restore(&s)
	f.calm()
	for name, sum := range bytesBelow(f.t, f.work) {
		if was, ok := s.want[name]; !ok {
			f.t.Errorf("%s is made only the second time", name)
		} else if was != sum || filepath.Base(name) == runs.ChangesFile { // whose times, in seconds, may be equal by chance
			if !timed(name) {
				f.t.Errorf("%s differs from run to run", name)
			}
			s.want[name] = ""
		}
	}
	for name := range s.own {
		// For files that the verb makes again, the old and the new version are the same.
		// Files that it must remove may be gone. For a file that is rewritten, holds is the
		// part that must stay.
		if _, stays := s.want[name]; !stays || slices.Contains(strings.Fields(f.w.anew), name) || name == f.w.holds[0] {
			delete(s.own, name)
		} else {
			s.own[name] = s.want[name]
		}
	}
	f.states[len(f.states)-1] = s
}

// timed reports whether a file may contain times, and so may differ between runs.
func timed(name string) bool {
	return slices.Contains([]string{"provenance.json", "done.json", "speed.jsonl", "changes.jsonl", "import.json", "infbench.lock", "report.html"}, filepath.Base(name)) || strings.Contains(name, "/progress/")
}

// isOfOneRun reports whether a file or its name is specific to one run of a command: logs of
// trials, and files of vectors, which cache verify reads.
func isOfOneRun(name string) bool {
	return strings.Contains(name, "/logs/") || strings.HasPrefix(name, "vectors/") && !strings.HasSuffix(name, ".json")
}

// bytesBelow hashes the files below a folder, by slash-separated name. Links are hashed by
// their target; temporary and lock files are left out.
func bytesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if disk.IsTemporary(name) || name == "tmp" || d.Name() == ".locks" {
				return fs.SkipDir
			}
			return nil
		}
		if disk.IsTemporary(name) || strings.HasSuffix(name, ".lock") && d.Name() != "infbench.lock" || isOfOneRun(filepath.ToSlash(name)) {
			return nil
		}
		if d.Type() == fs.ModeSymlink {
			to, err := os.Readlink(path)
			sums[filepath.ToSlash(name)] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sums[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// restore copies a state to the verb's folder.
func (f *faulted) restore(s *faultState) {
	f.t.Helper()
	if err := os.RemoveAll(f.work); err != nil {
		f.t.Fatal(err)
	}
	f.copy(s.dir, f.work)
}

func (f *faulted) copy(from, to string) {
	f.t.Helper()
	tracer.Apart(func() {
		if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
			f.t.Errorf("%v: %s", err, out)
		}
	})
}

// command is the verb as a separate process; its output goes to a file.
func (f *faulted) command() (cmd *exec.Cmd, said *os.File) {
	f.t.Helper()
	cmd = infbench(f.t, append(strings.Fields(f.w.verb), strings.Fields(f.w.args)...)...)
	cmd.Dir = f.work
	home := filepath.Join(f.work, "home")
	cmd.Env = append(os.Environ(), "HF_HOME="+home, "HF_HUB_CACHE=", "HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+filepath.Join(f.work, "tmp"),
		"GOMAXPROCS=1")
	cmd.Env = append(cmd.Env, f.w.env...)
	said, err := os.CreateTemp(filepath.Dir(f.work), "said-")
	if err != nil {
		f.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// saidAll reads the output of a command and removes the file.
func saidAll(said *os.File) string {
	data, _ := os.ReadFile(said.Name())
	said.Close()
	os.Remove(said.Name())
	return string(data)
}

// calm runs the verb without a fault; it must succeed.
func (f *faulted) calm() {
	f.t.Helper()
	cmd, said := f.command()
	err := runApart(cmd)
	if text := saidAll(said); err != nil {
		f.t.Fatalf("in peace: %v: %s", err, text)
	}
}

// runApart is cmd.Run, serialised with the start of traced commands.
func runApart(cmd *exec.Cmd) (err error) {
	tracer.Apart(func() { err = cmd.Run() })
	return err
}

// trace runs the verb under a fault.
func (f *faulted) trace(fault tracer.Fault) (tracer.Outcome, string) {
	f.t.Helper()
	fault.Under, fault.Limit = []string{f.work}, faultLimit
	cmd, said := f.command()
	out, err := tracer.Run(cmd, fault)
	text := saidAll(said)
	if err != nil {
		f.t.Fatal(err)
	}
	return out, text
}

// all tries every fault in every state.
func (f *faulted) all() (rows []*faultRow) {
	for _, fault := range theFaults {
		r := &faultRow{verb: f.w.verb + f.w.label, fault: fault.name}
		for i := range f.states {
			f.try(fault, &f.states[i], r)
		}
		rows = append(rows, r)
	}
	r := &faultRow{verb: f.w.verb + f.w.label, fault: "concurrent twin"}
	for i := range f.states {
		f.twins(&f.states[i], r)
	}
	return append(rows, r)
}

// try breaks one operation after another, or sends signals at random moments.
func (f *faulted) try(fault aFault, s *faultState, r *faultRow) {
	if fault.signal != 0 {
		runs := 1
		if f.stride > 0 {
			runs = max(3, 30/f.stride)
		}
		for range runs {
			f.breakOne(fault, s, r, tracer.Fault{Signal: fault.signal, After: time.Duration(f.rng.Int64N(int64(s.took)))})
		}
		return
	}
	f.restore(s)
	calm, said := f.trace(tracer.Fault{Kinds: fault.kinds})
	if calm.Code != 0 {
		f.t.Fatalf("traced: exit %d: %s", calm.Code, said)
	}
	r.operations += len(calm.Calls)
	stride := cmp.Or(f.stride, len(calm.Calls))
	if stride > 1 {
		stride *= max(f.w.alike, 1)
	}
	stride = max(1, min(stride, len(calm.Calls))) // at least one is broken
	for at := 1 + f.rng.IntN(stride); at <= len(calm.Calls); at += stride {
		f.breakOne(fault, s, r, tracer.Fault{Kinds: fault.kinds, At: at, Damage: fault.damage})
	}
	if fault.damage.Power != 0 { // after the end
		f.breakOne(fault, s, r, tracer.Fault{Kinds: fault.kinds, Damage: fault.damage})
	}
}

// breakOne runs the verb under one fault, and once more without.
func (f *faulted) breakOne(fault aFault, s *faultState, r *faultRow, one tracer.Fault) {
	f.restore(s)
	out, said := f.trace(one)
	r.runs++
	if out.Broken != nil || out.Sent || one.Damage.Power != 0 {
		r.fired++
	}
	if out.Code != 0 {
		r.failed++
	}
	what := fmt.Sprintf("infbench %s, %s, %s", f.w.verb, s.name, fault.name)
	if out.Broken != nil {
		what += fmt.Sprintf(" (operation %d, %s %s)", one.At, out.Broken.Name, strings.TrimPrefix(out.Broken.Path, f.work))
	} else if one.Signal != 0 {
		what += fmt.Sprintf(" (after %v)", one.After)
	}
	if one.Signal == 0 {
		r.longest = max(r.longest, out.Took)
	} else {
		r.longest = max(r.longest, out.Lasted)
	}
	lose := func(format string, args ...any) {
		r.lost++
		f.t.Errorf("%s: %s\nit had said: %s", what, fmt.Sprintf(format, args...), said)
	}
	switch {
	case out.Overdue:
		lose("it did not end in %v", faultLimit)
	case one.Signal != 0 && out.Sent && !f.endsRightly(fault, out):
		lose("exit code %d, signal %d", out.Code, out.Signal)
	case one.Signal != 0 && out.Lasted > endsWithin+slack:
		lose("it ended %v later", out.Lasted)
	case out.Code == 0:
		if missing := differences(s.want, bytesBelow(f.t, f.work)); missing != "" {
			lose("it ended well, but %s", missing)
		}
	}
	if missing := differences(s.own, f.standing()); missing != "" {
		lose("of what was there before, %s", missing)
	}
	if name, text := f.w.holds[0], f.w.holds[1]; name != "" {
		if data, err := os.ReadFile(filepath.Join(f.work, name)); !strings.Contains(string(data), text) {
			lose("%s does not contain %s: %v", name, text, err)
		}
	}
	if !f.w.once || differences(s.want, bytesBelow(f.t, f.work)) != "" {
		f.again(s, lose)
	}
}

// standing returns the existing files and, if there is a journal, also the files listed in
// it.
func (f *faulted) standing() map[string]string {
	there := bytesBelow(f.t, f.work)
	if f.w.journal == "" || there[f.w.journal] == "" {
		return there
	}
	for name, sum := range f.states[len(f.states)-1].want {
		if _, ok := there[name]; !ok && filepath.Base(name) != userNote {
			there[name] = sum
		}
	}
	return there
}

// endsRightly reports whether a command that a signal stopped has the right exit code.
func (f *faulted) endsRightly(fault aFault, out tracer.Outcome) bool {
	if out.Code == 0 || out.Code == -1 && out.Signal == fault.signal { // it was done, or had hardly begun
		return true
	}
	return out.Code == stoppedCode(newRoot(), strings.Fields(f.w.verb))
}

// again runs the same command without a fault: it must succeed, with the same bytes.
func (f *faulted) again(s *faultState, lose func(string, ...any)) {
	cmd, said := f.command()
	err := runApart(cmd)
	if text := saidAll(said); err != nil {
		lose("the same command again: %v: %s", err, text)
	} else if got := bytesBelow(f.t, f.work); differences(s.want, got) != "" {
		lose("after the same command again, %s", differences(s.want, got))
	} else if left := leftBehind(s.want, got); left != "" {
		lose("after the same command again, %s is left", left)
	}
}

// leftBehind names a file that a fault left and that an undisturbed run does not make; "" if
// there is none. Leases and progress files may stay, since processes may have been killed.
func leftBehind(want, got map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok && !strings.Contains("/"+name, "/.lease/") && !strings.Contains(name, "/leases/") && !strings.Contains(name, "/progress/") {
			return name
		}
	}
	return ""
}

// differences describes how files differ from the wanted ones; those with an empty sum need
// only exist. Other files may exist, too.
func differences(want, got map[string]string) string {
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if sum, ok := got[name]; !ok {
			differ = append(differ, name+" is missing")
		} else if want[name] != "" && sum != want[name] {
			differ = append(differ, name+" differs")
		}
	}
	return strings.Join(differ, ", ")
}

// twins starts the command twice at about the same time.
func (f *faulted) twins(s *faultState, r *faultRow) {
	rounds := 1
	if f.stride > 0 {
		rounds = max(2, 20/f.stride)
	}
	for range rounds {
		f.restore(s)
		var codes [2]int
		var texts [2]string
		var both sync.WaitGroup
		began := time.Now()
		for i := range codes {
			cmd, said := f.command()
			wait := time.Duration(f.rng.Int64N(int64(s.took))) * time.Duration(i) / 2
			both.Go(func() {
				time.Sleep(wait)
				runApart(cmd)
				codes[i], texts[i] = cmd.ProcessState.ExitCode(), saidAll(said)
			})
		}
		both.Wait()
		r.runs, r.fired, r.longest = r.runs+1, r.fired+1, max(r.longest, time.Since(began))
		lose := func(format string, args ...any) {
			r.lost++
			f.t.Errorf("infbench %s, %s, twice at once: %s\nthey had said: %s\n%s", f.w.verb, s.name, fmt.Sprintf(format, args...), texts[0], texts[1])
		}
		ok := 0
		for i, code := range codes {
			switch {
			case code == exitOK:
				ok++
			case strings.Contains(texts[i], "another process"), f.w.once && code == usage.ExitUsage:
				r.failed++
			default:
				lose("exit code %d", code)
			}
		}
		if ok == 0 {
			lose("none ended well")
		}
		if missing := differences(s.want, bytesBelow(f.t, f.work)); ok > 0 && missing != "" {
			lose("%s", missing)
		}
		if !f.w.once {
			f.again(s, lose)
		}
	}
}
