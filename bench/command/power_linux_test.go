package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// Ways in which a file system is shut down (FS_IOC_SHUTDOWN, include/uapi/linux/fs.h):
// everything is written first, only the journal is, or nothing is.
var powerEnds = []struct {
	name string
	flag uint32
}{{"as it is", 2}, {"with its journal", 1}, {"with all data", 0}}

// shutdownRequest is FS_IOC_SHUTDOWN, _IOR('X', 125, __u32).
const shutdownRequest = 0x8004587d

// TestPowerLoss shuts the file system down under a sweep at random moments. It is a separate
// ext4 image; mounting it again replays its journal, and the same command goes on. Every
// time, all work that the sweep had reported as finished still exists, and the files of
// finished trials have the same bytes; in the end rankings, scores, report and page are those
// of an undisturbed sweep.
//
// INFBENCH_POWER is the number of losses (2 if not set). The test needs root, loop mounts and
// mkfs.ext4.
func TestPowerLoss(t *testing.T) {
	testkit.Deep(t)
	losses := 2
	if text := os.Getenv("INFBENCH_POWER"); text != "" {
		var err error
		if losses, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	image := newImage(t)
	file, calm := survivalSweep(t), t.TempDir()
	began := time.Now()
	if out, err := infbench(t, survivalArgs(file, calm, 2)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f := powerless{t: t, image: image, whole: time.Since(began), rng: rand.New(rand.NewPCG(2, uint64(losses))),
		want: outcome(t, filepath.Join(calm, "survival")), files: finishedFiles(t, filepath.Join(calm, "survival")), ends: map[string]int{}}
	for f.losses < losses {
		f.life(file, losses)
	}
	t.Logf("%d power losses of %d sweeps on ext4 (%v), %.1f s uninterrupted: of %d cells that were reported as finished before a loss %d are gone, of %d files of finished trials %d have other bytes, %d sweeps end in other bytes",
		f.losses, f.lives, f.ends, f.whole.Seconds(), f.reported, f.gone, f.compared, f.other, f.differences)
}

// powerless counts the effects of the losses.
type powerless struct {
	t     *testing.T
	image ext4Image
	whole time.Duration       // of an uninterrupted sweep
	want  map[string][32]byte // result of an undisturbed sweep
	files map[string][32]byte // of its finished trials
	rng   *rand.Rand

	losses, lives, reported, gone, compared, other, differences int

	ends map[string]int // losses by the name of powerEnds
}

// life restarts a sweep after each loss until it finishes or power was lost often enough;
// then it lets the sweep finish.
func (f *powerless) life(file string, most int) {
	f.t.Helper()
	f.lives++
	at := filepath.Join(f.image.at, fmt.Sprint("life-", f.lives))
	dir, finished := filepath.Join(at, "survival"), map[string]bool{}
	for {
		delay := time.Duration(f.rng.Int64N(int64(f.whole / 2))) // several in each sweep
		if f.losses == most {
			delay = time.Hour
		}
		if f.run(survivalArgs(file, at, 2), delay, finished) {
			break
		}
		f.losses++
		f.reported += len(finished)
		got := finishedFiles(f.t, dir)
		markers := 0
		for name, sum := range got {
			f.compared++
			if filepath.Base(name) == results.ScoresFile {
				markers++
			}
			if sum != f.files[name] {
				f.other++
				f.t.Errorf("loss %d: %s of a finished trial has other bytes", f.losses, name)
			}
		}
		if markers < len(finished) {
			f.gone += len(finished) - markers
			f.t.Errorf("loss %d: %d cells had been reported as finished, and %d are", f.losses, len(finished), markers)
		}
	}
	if got := outcome(f.t, dir); !maps.Equal(got, f.want) || !maps.Equal(finishedFiles(f.t, dir), f.files) {
		f.differences++
		f.t.Errorf("after %d losses: rankings, scores, weights or report differ", f.losses)
	}
	if out := verbOutput(f.t, "verify", dir); !strings.Contains(out, " 0 differences") {
		f.t.Error(out)
	}
	if err := os.RemoveAll(at); err != nil {
		f.t.Fatal(err)
	}
}

// run starts the sweep with all output on the image and shuts the file system down after a
// while. It adds the cells reported as finished until then, and reports whether the sweep was
// faster.
func (f *powerless) run(args []string, delay time.Duration, finished map[string]bool) (whole bool) {
	f.t.Helper()
	cmd, said := infbench(f.t, args...), new(overheard)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(os.Environ(), "TMPDIR="+f.image.at, "XDG_CACHE_HOME="+filepath.Join(f.image.at, "cache"))
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			f.t.Fatalf("a sweep that nothing happened to: %v: %s", err, said)
		}
		return true
	case <-time.After(delay):
	}
	for line := range strings.Lines(said.String()) {
		if cell := finishedCellLine.FindStringSubmatch(line); cell != nil {
			finished[cell[1]] = true
		}
	}
	end := powerEnds[f.rng.IntN(len(powerEnds))]
	f.ends[end.name]++
	if err := f.image.shutDown(end.flag); err != nil {
		f.t.Fatal(err)
	}
	killSession(f.t, cmd.Process.Pid)
	whole = <-ended == nil
	if err := errors.Join(f.image.unmount(), f.image.mount()); err != nil {
		f.t.Fatal(err)
	}
	return whole
}

// overheard collects the output of a process.
type overheard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *overheard) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *overheard) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// finishedFiles returns the hashes of rankings, scores and weights of those trials in a run
// folder that their markers accept.
func finishedFiles(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	folders, err := filepath.Glob(filepath.Join(dir, runs.TrialsDir, "*", results.DoneFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, marker := range folders {
		trial := runs.At(dir).Trial(filepath.Base(filepath.Dir(marker)))
		if trial.Marker().Verify() != nil {
			continue
		}
		err := filepath.WalkDir(trial.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".trec.gz") && !strings.HasSuffix(path, ".safetensors") && d.Name() != results.ScoresFile {
				return err
			}
			data, err := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			sums[rel] = sha256.Sum256(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// ext4Image is an ext4 file system in a file.
type ext4Image struct{ file, at string }

// newImage makes and mounts an image that the test unmounts at its end, or skips the test if
// that is not possible. With noauto_da_alloc, renamed files are written no sooner than asked
// for, so that a missing sync shows.
func newImage(t *testing.T) ext4Image {
	t.Helper()
	dir := t.TempDir()
	image := ext4Image{filepath.Join(dir, "image"), filepath.Join(dir, "at")}
	err := errors.Join(os.Mkdir(image.at, 0o755), os.WriteFile(image.file, nil, 0o644), os.Truncate(image.file, 256<<20))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", image.file).CombinedOutput(); err != nil {
		t.Skipf("SKIP: mkfs.ext4: %v: %s", err, out)
	}
	if err := image.mount(); err != nil {
		t.Skipf("SKIP: an ext4 image cannot be mounted here (it takes root and loop devices): %v", err)
	}
	t.Cleanup(func() {
		if err := image.unmount(); err != nil {
			t.Error(err)
		}
	})
	if err := image.shutDown(0); err != nil {
		t.Skipf("SKIP: this system does not shut a file system down: %v", err)
	}
	if err := errors.Join(image.unmount(), image.mount()); err != nil {
		t.Fatal(err)
	}
	return image
}

// mount mounts the image; the system then replays its journal.
func (i ext4Image) mount() error {
	if out, err := exec.Command("mount", "-o", "loop,noauto_da_alloc", i.file, i.at).CombinedOutput(); err != nil {
		return fmt.Errorf("mount %s: %w: %s", i.file, err, out)
	}
	return nil
}

// unmount waits until killed processes release the file system.
func (i ext4Image) unmount() (err error) {
	for range 100 {
		if err = syscall.Unmount(i.at, 0); !errors.Is(err, syscall.EBUSY) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", i.at, err)
	}
	return nil
}

// shutDown ends the file system at once: from then on nothing is written to the image.
func (i ext4Image) shutDown(flag uint32) error {
	at, err := os.Open(i.at)
	if err != nil {
		return err
	}
	defer at.Close()
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, at.Fd(), shutdownRequest, uintptr(unsafe.Pointer(&flag))); failed != 0 {
		return fmt.Errorf("shut down %s: %w", i.at, failed)
	}
	return nil
}
