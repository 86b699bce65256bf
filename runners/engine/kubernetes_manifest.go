package engine

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/spec"
)

// The Kubernetes objects of a sweep, with only the fields that it sets. For field names and
// meanings see the API reference, batch/v1 Job and v1 ConfigMap. A test checks the printed form
// against the API's own types.

type kubeMeta struct {
	Name      string            `yaml:"name,omitempty"`
	Namespace string            `yaml:"namespace,omitempty"`
	Labels    map[string]string `yaml:"labels,omitempty"`
}

type kubeConfigMap struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   kubeMeta          `yaml:"metadata"`
	Immutable  bool              `yaml:"immutable"`
	Data       map[string]string `yaml:"data"`
}

type kubeJob struct {
	APIVersion string      `yaml:"apiVersion"`
	Kind       string      `yaml:"kind"`
	Metadata   kubeMeta    `yaml:"metadata"`
	Spec       kubeJobSpec `yaml:"spec"`
}

type kubeJobSpec struct {
	CompletionMode       string            `yaml:"completionMode"`
	Completions          int               `yaml:"completions"`
	Parallelism          int               `yaml:"parallelism"`
	BackoffLimitPerIndex int               `yaml:"backoffLimitPerIndex"`
	PodReplacementPolicy string            `yaml:"podReplacementPolicy"`
	PodFailurePolicy     kubeFailurePolicy `yaml:"podFailurePolicy"`
	Template             kubePodTemplate   `yaml:"template"`
}

type kubeFailurePolicy struct {
	Rules []kubeFailureRule `yaml:"rules"`
}

type kubeFailureRule struct {
	Action          string             `yaml:"action"`
	OnExitCodes     *kubeExitCodes     `yaml:"onExitCodes,omitempty"`
	OnPodConditions []kubePodCondition `yaml:"onPodConditions,omitempty"`
}

type kubeExitCodes struct {
	ContainerName string `yaml:"containerName"`
	Operator      string `yaml:"operator"`
	Values        []int  `yaml:"values,flow"`
}

type kubePodCondition struct {
	Type   string `yaml:"type"`
	Status string `yaml:"status"`
}

type kubePodTemplate struct {
	Metadata kubeMeta    `yaml:"metadata"`
	Spec     kubePodSpec `yaml:"spec"`
}

type kubePodSpec struct {
	RestartPolicy                 string          `yaml:"restartPolicy"`
	AutomountServiceAccountToken  bool            `yaml:"automountServiceAccountToken"`
	EnableServiceLinks            bool            `yaml:"enableServiceLinks"`
	TerminationGracePeriodSeconds int             `yaml:"terminationGracePeriodSeconds"`
	ActiveDeadlineSeconds         int64           `yaml:"activeDeadlineSeconds,omitempty"`
	SecurityContext               kubePodSecurity `yaml:"securityContext"`
	Containers                    []kubeContainer `yaml:"containers"`
	Volumes                       []kubeVolume    `yaml:"volumes"`
}

type kubePodSecurity struct {
	RunAsNonRoot   bool        `yaml:"runAsNonRoot"`
	RunAsUser      int64       `yaml:"runAsUser"`
	RunAsGroup     int64       `yaml:"runAsGroup"`
	FSGroup        int64       `yaml:"fsGroup"`
	FSGroupChange  string      `yaml:"fsGroupChangePolicy"`
	SeccompProfile kubeSeccomp `yaml:"seccompProfile"`
}

type kubeSeccomp struct {
	Type string `yaml:"type"`
}

type kubeContainer struct {
	Name            string                `yaml:"name"`
	Image           string                `yaml:"image"`
	Command         []string              `yaml:"command"`
	WorkingDir      string                `yaml:"workingDir"`
	Env             []kubeEnv             `yaml:"env"`
	Resources       kubeResources         `yaml:"resources"`
	SecurityContext kubeContainerSecurity `yaml:"securityContext"`
	VolumeMounts    []kubeMount           `yaml:"volumeMounts"`
}

type kubeEnv struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

type kubeResources struct {
	Requests map[string]string `yaml:"requests"`
	Limits   map[string]string `yaml:"limits"`
}

type kubeContainerSecurity struct {
	AllowPrivilegeEscalation bool             `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRootFilesystem   bool             `yaml:"readOnlyRootFilesystem"`
	Capabilities             kubeCapabilities `yaml:"capabilities"`
}

type kubeCapabilities struct {
	Drop []string `yaml:"drop,flow"`
}

type kubeMount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
	ReadOnly  bool   `yaml:"readOnly,omitempty"`
}

type kubeVolume struct {
	Name      string         `yaml:"name"`
	Claim     *kubeClaim     `yaml:"persistentVolumeClaim,omitempty"`
	ConfigMap *kubeConfigRef `yaml:"configMap,omitempty"`
	EmptyDir  *struct{}      `yaml:"emptyDir,omitempty"`
}

type kubeClaim struct {
	ClaimName string `yaml:"claimName"`
}

type kubeConfigRef struct {
	Name string `yaml:"name"`
}

// Location of the list of cells in a pod.
const (
	kubeCellsDir = "/etc/infbench"
	kubeTrial    = "trial" // the container
)

// manifest returns the pair of objects that runs cells: a ConfigMap that maps each completion
// index to a trial, and an Indexed Job.
func (k *Kubernetes) manifest(name string, cells []string, res spec.Resources) ([]byte, error) {
	meta := kubeMeta{Name: name, Namespace: k.Namespace, Labels: map[string]string{
		"app.kubernetes.io/name":     "infbench",
		"app.kubernetes.io/instance": labelValue(k.Experiment),
	}}
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	list := kubeConfigMap{"v1", "ConfigMap", meta, true, map[string]string{cellsFile: string(cellLines(cells))}}
	job := kubeJob{"batch/v1", "Job", meta, kubeJobSpec{
		CompletionMode:       "Indexed",
		Completions:          len(cells),
		Parallelism:          min(k.Workers, len(cells)),
		BackoffLimitPerIndex: kubeRetries,
		PodReplacementPolicy: "Failed", // never two pods of an index: a trial has one process
		PodFailurePolicy:     failurePolicy(),
		Template:             kubePodTemplate{kubeMeta{Labels: meta.Labels}, k.pod(name, res)},
	}}
	for _, object := range []any{list, job} {
		if err := enc.Encode(object); err != nil {
			return nil, fmt.Errorf("write manifest: %w", err)
		}
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return buf.Bytes(), nil
}

// kubeRetries is how often a new pod is created for an index that failed.
const kubeRetries = 2

// kubeReserve is how many seconds before the end of its grace period a pod exits if it could
// not save. Its exit code does not count as a failure.
const kubeReserve = 10

// failurePolicy decides which ends of a pod count against its index. A drained node, a
// preemption and a trial that saved and stopped do not count. A wrong command line (exit 2)
// fails the index without another try.
func failurePolicy() kubeFailurePolicy {
	return kubeFailurePolicy{[]kubeFailureRule{
		{Action: "Ignore", OnPodConditions: []kubePodCondition{{"DisruptionTarget", "True"}}},
		{Action: "Ignore", OnExitCodes: &kubeExitCodes{kubeTrial, "In", []int{usage.ExitStopped}}},
		{Action: "FailIndex", OnExitCodes: &kubeExitCodes{kubeTrial, "In", []int{2}}},
	}}
}

// pod returns the pod specification of every index.
func (k *Kubernetes) pod(name string, res spec.Resources) kubePodSpec {
	command := []string{k.Program, "trial", kubeLiteral(k.RunDir), "--cells", kubeCellsDir + "/" + cellsFile, "--index", "$(JOB_COMPLETION_INDEX)", "--grace", fmt.Sprintf("%ds", noticeSeconds-kubeReserve)}
	return kubePodSpec{
		RestartPolicy:                 "Never",
		TerminationGracePeriodSeconds: noticeSeconds,
		ActiveDeadlineSeconds:         60 * res.Time.Minutes(),
		SecurityContext: kubePodSecurity{
			RunAsNonRoot: true, RunAsUser: k.User, RunAsGroup: k.Group,
			FSGroup: k.Group, FSGroupChange: "OnRootMismatch", // do not walk through a large volume at each start
			SeccompProfile: kubeSeccomp{"RuntimeDefault"},
		},
		Containers: []kubeContainer{{
			Name:       kubeTrial,
			Image:      k.Image,
			Command:    append(command, literals(k.Args)...),
			WorkingDir: k.WorkDir,
			Env:        []kubeEnv{{"GOMAXPROCS", strconv.Itoa(max(1, res.CPUs))}, {"HOME", "/tmp"}},
			Resources:  kubeRequests(res),
			SecurityContext: kubeContainerSecurity{
				ReadOnlyRootFilesystem: true,
				Capabilities:           kubeCapabilities{[]string{"ALL"}},
			},
			VolumeMounts: []kubeMount{{"runs", k.Mount, false}, {"cells", kubeCellsDir, true}, {"tmp", "/tmp", false}},
		}},
		Volumes: []kubeVolume{
			{Name: "runs", Claim: &kubeClaim{k.Claim}},
			{Name: "cells", ConfigMap: &kubeConfigRef{name}},
			{Name: "tmp", EmptyDir: &struct{}{}},
		},
	}
}

// kubeRequests returns a pod's resource requests. The limits are the same, so that a cell keeps
// what it asked for whatever its neighbours use.
func kubeRequests(res spec.Resources) kubeResources {
	want := map[string]string{"cpu": strconv.Itoa(max(1, res.CPUs))}
	if res.Memory > 0 {
		want["memory"] = strings.TrimSuffix(res.Memory.String(), "B") // 16GiB is Kubernetes's 16Gi
	}
	if res.GPUs > 0 {
		want["nvidia.com/gpu"] = strconv.Itoa(res.GPUs)
	}
	return kubeResources{Requests: want, Limits: want}
}

// kubeLiteral escapes an argument: Kubernetes would expand $(NAME) in it.
func kubeLiteral(text string) string { return strings.ReplaceAll(text, "$", "$$") }

func literals(args []string) []string {
	var out []string
	for _, a := range args {
		out = append(out, kubeLiteral(a))
	}
	return out
}

// Limits of names: pods are called JOB-INDEX-xxxxx, and their host names are JOB-INDEX, of at
// most 63 characters.
const (
	maxKubeName  = 63 - len("-100000")
	maxKubeLabel = 63
)

// kubeName returns a valid name of a Job (RFC 1123: lower case letters, digits and "-"). It
// consists of the experiment's name and a token that makes it unique.
func kubeName(experiment, token string) string {
	body := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, experiment)
	prefix := "infbench-" + body
	prefix = prefix[:min(len(prefix), maxKubeName-1-len(token))]
	return strings.TrimRight(prefix, "-") + "-" + token
}

// labelValue shortens an experiment's name to a valid label value: up to 63 letters, digits,
// ".", "_" or "-", with a letter or digit at both ends.
func labelValue(experiment string) string {
	return strings.Trim(experiment[:min(len(experiment), maxKubeLabel)], "._-")
}

// contentToken returns a token that depends only on a manifest's content, so that printing it
// twice gives the same text.
func contentToken(parts ...string) string {
	return disk.Sum(strings.Join(parts, "\x00"))[:8]
}
