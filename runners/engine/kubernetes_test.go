package engine

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"infbench/runners/spec"
)

var update = flag.Bool("update", false, "rewrite golden files")

// testKubernetes returns an engine that does not depend on this machine.
func testKubernetes() *Kubernetes {
	return &Kubernetes{
		Experiment: "Loss_ablation.v2", Image: "registry.example/infbench:1", Program: "/usr/local/bin/infbench",
		Args: []string{"--device", "xla:cuda", "--cache", "/mnt/runs/$cache"}, Namespace: "retrieval", Claim: "runs",
		Mount: "/mnt/runs", RunDir: "/mnt/runs/Loss_ablation.v2", WorkDir: "/mnt/runs", User: 1000, Group: 1000, Workers: 4,
	}
}

// .ci/kubernetes/run sends the golden file to a real API server.
func TestKubernetesManifests(t *testing.T) {
	gpu := spec.Resources{GPUs: 1, CPUs: 8, Memory: 16 << 30, Time: spec.TimeLimit(4 * time.Hour)}
	jobs := []Job{
		{ID: "0011223344556677", Resources: gpu}, {ID: "8899aabbccddeeff", Resources: gpu},
		{ID: "0123456789abcdef"}, {ID: "fedcba9876543210", Resources: gpu},
	}
	got, err := testKubernetes().Manifests(jobs)
	if err != nil {
		t.Fatal(err)
	}
	again, err := testKubernetes().Manifests(jobs)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("a second print differs, %v", err)
	}
	path := filepath.Join("testdata", "kubernetes.golden.yaml")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("manifests differ from %s:\n%s", path, got)
	}
	dec := yaml.NewDecoder(bytes.NewReader(got))
	var kinds []string
	for {
		var object kubeJob
		if err := dec.Decode(&object); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, object.Kind)
	}
	if strings.Join(kinds, " ") != "ConfigMap Job ConfigMap Job" {
		t.Errorf("objects %v, want a list and a Job for each kind of resources", kinds)
	}
}

// Names are RFC 1123 labels, short enough for the host names of 100,000 pods.
func TestKubeName(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	for _, name := range []string{"demo", "Loss_ablation.v2", "x.", "a--", strings.Repeat("long", 16), "UPPER"} {
		got := kubeName(name, "0123456789abcdef")
		if !valid.MatchString(got) || len(got) > maxKubeName || !strings.HasSuffix(got, "-0123456789abcdef") {
			t.Errorf("kubeName(%q) = %q", name, got)
		}
		label := labelValue(name)
		if !regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`).MatchString(label) || len(label) > 63 {
			t.Errorf("labelValue(%q) = %q", name, label)
		}
	}
}

func TestParseKubeStatus(t *testing.T) {
	q, err := parseKubeStatus(`{"metadata":{"name":"x"},"status":{"active":1,"completedIndexes":"0,2-3","failedIndexes":"5"}}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []phase{phaseExited, phaseWaiting, phaseExited, phaseExited, phaseWaiting, phaseRefused} {
		if got := q.phase(i); got != want {
			t.Errorf("index %d is in phase %d, want %d", i, got, want)
		}
	}
	q, err = parseKubeStatus(`{"status":{"completedIndexes":"0","conditions":[{"type":"Suspended","status":"False"},{"type":"Failed","status":"True","reason":"DeadlineExceeded"}]}}`)
	if err != nil || q.phase(0) != phaseExited || q.phase(1) != phaseLost {
		t.Errorf("a Job that failed: %+v, %v; want what it did not complete lost", q, err)
	}
	for _, bad := range []string{"", "{", `{"status":{"completedIndexes":"a"}}`} {
		if _, err := parseKubeStatus(bad); err == nil {
			t.Errorf("parseKubeStatus took %q", bad)
		}
	}
}
