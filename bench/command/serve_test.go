package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/usage"
	pages "infbench/reports/serve"
	"infbench/runners/catalog"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// plannedCells makes a run folder with a number of cells.
func plannedCells(t testing.TB, dir string, cells int) *spec.Plan {
	t.Helper()
	seeds := make([]string, cells)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i + 1)
	}
	x, err := catalog.Parse("x.yaml", []byte("name: live\nmatrix: {seed: ["+strings.Join(seeds, ", ")+"]}\nevaluate: [mini-bright]\n"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := x.Expand(func(name string, world uint64) (string, error) { return fmt.Sprint(name, "@", world), nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
		t.Fatal(err)
	}
	return plan
}

// look returns the state of a readable run.
func look(t testing.TB, r pages.Run) *pages.State {
	t.Helper()
	s, err := r.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mixed is a run with a finished, a running and a failed cell.
func mixed(t *testing.T) (r *servedRun, dir string, plan *spec.Plan) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "live")
	plan = plannedCells(t, dir, 4)
	folder := runs.At(dir)
	at := func(i int) results.Folder { return folder.Trial(plan.Trials[i].ID) }
	one := 1.0
	if err := at(0).Writer().Trial(plan.Trials[0].WriteYAML); err != nil {
		t.Fatal(err)
	}
	if err := at(0).Writer().Curve([]results.Step{{Step: 1, Loss: 4, Terms: map[string]float64{"P": 4}, MRR: 1}, {Step: 2, Loss: 3}}); err != nil {
		t.Fatal(err)
	}
	if err := at(0).Writer().Speed([]results.Speed{{Step: 1, TokensPerSecond: 100}, {Step: 7, TokensPerSecond: 100}}); err != nil {
		t.Fatal(err)
	}
	if err := at(0).Writer().Complete(runs.Config(&plan.Trials[0]), []results.Result{{Benchmark: "mini-bright", Task: "biology", Query: "q", Measure: "nDCG@10", Value: &one}}, results.Provenance{Infbench: "made up"}); err != nil {
		t.Fatal(err)
	}
	lease, err := folder.Leases().Take(t.Context(), plan.Trials[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lease.Release() })
	reporter := folder.Progress(plan.Trials[1].ID).Record(func(engine.Progress) {})
	defer reporter.Close()
	for step, loss := range []float64{4, 3, 2} {
		reporter.Step(engine.Progress{Phase: "train", Done: step + 1, Total: 6, Loss: loss, Rate: 50}, results.Step{Step: step + 1, Loss: loss, GradNorm: 1, Terms: map[string]float64{"P": loss}})
	}
	if err := at(2).Failures().Add(results.Fault, errors.New("loss NaN\nand <b>more</b>")); err != nil {
		t.Fatal(err)
	}
	return newServedRun(dir), dir, plan
}

// Pages show the content of a run folder.
func TestRun(t *testing.T) {
	r, dir, plan := mixed(t)
	s := look(t, r)
	if want := "live: 1 done, 1 running, 1 failed, 1 waiting"; !strings.HasPrefix(s.Summary, want) || !s.Live || s.Title != "live" {
		t.Errorf("state %+v", s)
	}
	for i, want := range []string{"done ", "running train 50% █▅▁ loss 2.000", "failed loss NaN", "waiting "} {
		if got := s.Cells[i].State + " " + s.Cells[i].Note; got != want {
			t.Errorf("cell %d: %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"accuracy: 0; gradient norm: 0 0; loss: 4 3; term P: 4; tokens/s: 100", "gradient norm: 1 1 1; loss: 4 3 2; term P: 4 3 2; tokens/s: 50 50 50", "", ""} {
		curves, err := r.Curves(plan.Trials[i].ID)
		if got := curvesText(curves); got != want || err != nil {
			t.Errorf("curves of cell %d: %q, %v, want %q", i, got, err, want)
		}
	}
	d, err := r.Detail(plan.Trials[2].ID)
	if err != nil || d.Error != "loss NaN\nand <b>more</b>" || len(d.Attempts) != 1 || d.Repeat != "infbench repeat "+usage.Quote(dir)+" "+plan.Trials[2].ID {
		t.Errorf("detail %+v, %v", d, err)
	}
	exps, _, err := r.Load(t.Context(), true)
	if err != nil || len(exps) != 1 || exps[0].Trials[0].State != results.Done {
		t.Errorf("loaded %v, %v", exps, err)
	}
}

// curvesText formats curves as text.
func curvesText(curves []pages.Curve) string {
	var all []string
	for _, c := range curves {
		text := c.Name + ":"
		for _, p := range c.Points {
			text += fmt.Sprint(" ", p.Value)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// A log is read from its end; links out of the folder, and pipes, are not read.
func TestLog(t *testing.T) {
	r, dir, plan := mixed(t)
	look(t, r)
	outside := filepath.Join(t.TempDir(), "secret")
	log := func(i int) string { return runs.At(dir).Log(plan.Trials[i].ID) }
	if err := errors.Join(os.MkdirAll(runs.At(dir).Logs(), 0o755), os.WriteFile(outside, []byte("secret"), 0o644), os.WriteFile(log(0), []byte("begin and end"), 0o644),
		os.Symlink(outside, log(1)), syscall.Mkfifo(log(2), 0o644)); err != nil {
		t.Fatal(err)
	}
	if end, size, err := r.Log(plan.Trials[0].ID, 3); string(end) != "end" || size != 13 || err != nil {
		t.Errorf("log %q of %d bytes, %v", end, size, err)
	}
	if end, size, err := r.Log(plan.Trials[3].ID, 3); len(end) != 0 || size != 0 || err != nil {
		t.Errorf("no log: %q, %v", end, err)
	}
	for _, id := range []string{plan.Trials[1].ID, plan.Trials[2].ID, "../../" + filepath.Base(outside), "../../../../../../etc/passwd"} {
		ended := make(chan bool, 1)
		go func() {
			end, _, err := r.Log(id, 100)
			ended <- len(end) == 0 && (err != nil || strings.HasPrefix(id, ".."))
		}()
		select {
		case ok := <-ended:
			if !ok {
				t.Errorf("log %q was read", id)
			}
		case <-time.After(time.Minute):
			t.Fatalf("log %q is waited for", id)
		}
	}
}

// A folder that is moved, replaced or broken is reported, and is read again once that is
// possible.
func TestRunThatIsMoved(t *testing.T) {
	r, dir, plan := mixed(t)
	look(t, r)
	away := dir + "-away"
	fails := func(what string) {
		t.Helper()
		if s, err := r.Look(t.Context()); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("state %+v, %v, want an error with %q", s, err, what)
		}
	}
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	fails("is not there")
	plannedCells(t, dir, 2) // another run in its place
	if s := look(t, r); len(s.Cells) != 2 || s.Cells[0].State != "waiting" {
		t.Errorf("the other run: %+v", s)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(away, dir)); err != nil {
		t.Fatal(err)
	}
	if s := look(t, r); len(s.Cells) != 4 || s.Cells[0].State != "done" {
		t.Errorf("it is back: %+v", s)
	}
	path := runs.At(dir).PlanPath()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"", "{", string(whole[:len(whole)/2])} {
		if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		fails("plan")
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	at := runs.At(dir).Trial(plan.Trials[3].ID).Dir // a file in place of a cell: the other cells are unaffected
	if err := os.WriteFile(at, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if s := look(t, r); s.Cells[3].State != "waiting" || s.Cells[3].Note == "" || s.Cells[0].State != "done" {
		t.Errorf("with a cell that cannot be read: %+v", s.Cells)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if s := look(t, r); s.Cells[3].Note != "" {
		t.Errorf("the cell can be read again: %+v", s.Cells[3])
	}
	if err := os.RemoveAll(runs.At(dir).Trial(plan.Trials[0].ID).Dir); err != nil {
		t.Fatal(err)
	}
	if s := look(t, r); s.Cells[0].State != "waiting" {
		t.Errorf("a finished cell whose folder is gone: %+v", s.Cells[0])
	}
}

// Runs are named by their folders, each with a unique name.
func TestNames(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	for _, dir := range []string{"runs/demo", "runs/kind/x", "other/demo"} {
		plannedCells(t, dir, 1)
	}
	for _, c := range []struct {
		named []string
		want  string
	}{{nil, "demo kind/x"}, {[]string{"runs/demo", "other/demo"}, "demo demo-2"}, {[]string{"absent/"}, "absent"}, {[]string{"."}, filepath.Base(top)}} {
		s := newRunSource(c.named)
		names, err := s.Names()
		if got := strings.Join(names, " "); got != c.want || err != nil {
			t.Errorf("%q: %q, %v, want %q", c.named, got, err, c.want)
		}
		for _, name := range names {
			if s.Open(name) == nil {
				t.Errorf("%q cannot be opened", name)
			}
		}
		for _, none := range []string{"", "..", "../other/demo", "/etc", "runs/demo/trials"} {
			if s.Open(none) != nil {
				t.Errorf("%q can be opened", none)
			}
		}
	}
	plannedCells(t, "runs/later", 1)
	if newRunSource(nil).Open("later") == nil {
		t.Error("a run that came later is not found")
	}
}

// A taken port is a usage error that names the next free one.
func TestListen(t *testing.T) {
	first, err := listenAt("localhost", "0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	_, port, _ := net.SplitHostPort(first.Addr().String())
	var second net.Listener
	for range 20 { // another program may take the free port in the next moment
		_, err = listenAt("localhost", port)
		if err == nil || !strings.Contains(err.Error(), "port "+port+" of localhost is taken") || !strings.Contains(err.Error(), "--listen localhost:") {
			t.Fatalf("a port that is taken: %v", err)
		}
		if coder := usage.ExitCoder(nil); !errors.As(err, &coder) || coder.ExitCode() != usage.ExitUsage {
			t.Errorf("not a usage error: %v", err)
		}
		_, free, _ := strings.Cut(err.Error(), "--listen localhost:")
		if second, err = listenAt("localhost", free); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("the suggested port is never free: %v", err)
	}
	second.Close()
	for _, bad := range []string{"localhost:99999", "no such host.:1", "localhost:none", "8080", ""} {
		o := serveOptions{listen: bad}
		if err := o.serve(t.Context(), &bytes.Buffer{}, &bytes.Buffer{}, nil); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("--listen %s: %v", bad, err)
		}
	}
}

// A folder that does not exist, or holds no run, is an error that names those that are known; a folder
// of run folders stands for them.
func TestServedFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	plannedCells(t, "runs/demo", 1)
	plannedCells(t, "runs/kind/x", 1)
	if err := os.MkdirAll("bare", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"runs/nosuch": "known: runs/demo", "runs/demp": `did you mean "runs/demo"?`, "bare": "is not a run folder and contains none"} {
		verbFails(t, usage.ExitUsage, want, "serve", name, "--listen", "localhost:0")
	}
	if dirs, err := servedFolders([]string{"runs", "runs/demo"}); err != nil || strings.Join(dirs, " ") != "runs/demo runs/kind/x runs/demo" {
		t.Errorf("%q, %v", dirs, err)
	}
}

// serve prints its address, warns if it serves more than this machine, and ends.
func TestServe(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "live")
	plannedCells(t, dir, 1)
	for listen, warns := range map[string]bool{"localhost:0": false, "127.0.0.1:0": false, "0.0.0.0:0": true} {
		ctx, cancel := context.WithCancel(t.Context())
		var stdout, stderr bytes.Buffer
		time.AfterFunc(200*time.Millisecond, cancel)
		o := serveOptions{listen: listen}
		began := time.Now()
		if err := o.serve(ctx, &stdout, &stderr, []string{dir}); err != nil || time.Since(began) > time.Minute {
			t.Errorf("%s: %v after %v", listen, err, time.Since(began))
		}
		if !strings.Contains(stdout.String(), "at http://") || strings.Contains(stderr.String(), "there is no password") != warns {
			t.Errorf("%s says %q and %q", listen, stdout.String(), stderr.String())
		}
	}
}
