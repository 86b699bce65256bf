//go:build kubernetes

package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kubectl runs kubectl with an input.
func kubectl(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("kubectl", args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustKubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := kubectl(t, stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func needKubernetes(t *testing.T) {
	t.Helper()
	if os.Getenv("KUBECONFIG") == "" {
		t.Skip("SKIP: no API server: KUBECONFIG is not set; .ci/kubernetes/run starts one")
	}
}

// The server accepts the golden manifests in its strictest mode, and that mode refuses an
// unknown field.
func TestKubernetesAPITakesManifests(t *testing.T) {
	needKubernetes(t)
	golden, err := os.ReadFile(filepath.Join("..", "..", "runners", "engine", "testdata", "kubernetes.golden.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, "", "create", "namespace", "retrieval")
	check := []string{"apply", "--server-side", "--dry-run=server", "--validate=strict", "--filename=-"}
	out := mustKubectl(t, string(golden), check...)
	if n := strings.Count(out, "serverside-applied"); n != 4 {
		t.Errorf("%d objects taken, want 4:\n%s", n, out)
	}
	for _, wrong := range [][2]string{{"completions:", "completion:"}, {"restartPolicy: Never", "restartPolicy: Always"}, {"value: \"8\"", "value: 8"}, {"name: infbench-", "name: Infbench_"}} {
		if out, err := kubectl(t, strings.ReplaceAll(string(golden), wrong[0], wrong[1]), check...); err == nil {
			t.Errorf("with %q in place of %q the server still took it:\n%s", wrong[1], wrong[0], out)
		}
	}
}

// A sweep is applied once, found again after its process was killed, finished to the same
// bytes as locally, and deleted by Ctrl-C.
func TestKubernetesAPISweep(t *testing.T) {
	needKubernetes(t)
	dir := t.TempDir()
	file := inFile(t, "indexed.yaml", kubernetesSweep)
	bin := filepath.Join(dir, "infbench")
	if out, err := exec.Command("go", "build", "-o", bin, "infbench/bench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	verbOutput(t, "sweep", file, "--runs", filepath.Join(dir, "local"))
	runs := filepath.Join(dir, "cluster")
	args := append([]string{"sweep", file, "--runs", runs, "--apply", "--poll", "1s"}, clusterFlags...)
	start := func() *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd
	}

	interrupted := start()
	name := awaitJob(t)
	interrupted.Process.Signal(syscall.SIGINT)
	awaitDeletion(t, name)
	if err := interrupted.Wait(); err == nil {
		t.Error("a sweep that was interrupted exits 0")
	}

	killed := start()
	name = awaitJob(t)
	killed.Process.Kill()
	killed.Wait()
	last := start()
	time.Sleep(3 * time.Second)
	if again := awaitJob(t); again != name {
		t.Errorf("the second process made Job %s, though %s was there", again, name)
	}
	playController(t, name)
	if err := last.Wait(); err != nil {
		t.Errorf("the sweep: %v", err)
	}
	want := numbers(t, filepath.Join(dir, "local", "indexed"))
	if got := numbers(t, filepath.Join(runs, "indexed")); !maps.Equal(got, want) {
		t.Errorf("%d files of numbers differ from the local engine's %d", len(got), len(want))
	}
	mustKubectl(t, "", "delete", "job/"+name, "configmap/"+name, "--cascade=orphan", "--wait=false")
}

// awaitJob waits for the sweep's only Job.
func awaitJob(t *testing.T) (name string) {
	t.Helper()
	for range 900 {
		names := strings.Fields(mustKubectl(t, "", "get", "jobs", "--selector=app.kubernetes.io/instance=indexed", "--output=jsonpath={.items[*].metadata.name}"))
		if len(names) > 1 {
			t.Fatalf("Jobs %v, want one", names)
		}
		if len(names) == 1 {
			return names[0]
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatal("no Job was made")
	return ""
}

// awaitDeletion waits until a Job is marked for deletion, and acts as the garbage collector,
// which removes it once its pods are gone.
func awaitDeletion(t *testing.T, name string) {
	t.Helper()
	for range 900 {
		if mustKubectl(t, "", "get", "job", name, "--output=jsonpath={.metadata.deletionTimestamp}") != "" {
			for _, object := range []string{"job/" + name, "configmap/" + name} {
				mustKubectl(t, "", "patch", object, "--type=merge", `--patch={"metadata":{"finalizers":null}}`)
			}
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("Job %s was not deleted", name)
}

// playController runs the indexes of a Job as the server stores it, and writes its status.
func playController(t *testing.T, name string) {
	t.Helper()
	objects := mustKubectl(t, "", "get", "configmap", name, "--output=yaml") + "---\n" + mustKubectl(t, "", "get", "job", name, "--output=yaml")
	jobs := readKubeJobs(t, objects)
	completed, failed := jobs[0].run(t, func(int, int) syscall.Signal { return 0 })
	if len(failed) > 0 {
		t.Errorf("indexes %v failed", failed)
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{
		"completedIndexes": strings.Trim(strings.ReplaceAll(fmt.Sprint(completed), " ", ","), "[]"),
		"succeeded":        len(completed),
	}})
	if err != nil {
		t.Fatal(err)
	}
	mustKubectl(t, "", "patch", "job", name, "--subresource=status", "--type=merge", "--patch="+string(status))
}
