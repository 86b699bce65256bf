package engine

import (
	"slices"
	"testing"
)

func TestParseQueue(t *testing.T) {
	got, err := parseQueue("" +
		"9|N/A|CANCELLED|never-began\n" + // as squeue 22.05 prints it
		"10|2-3%2|PENDING|one\n10|0|RUNNING|one\n10|1|FAILED|one\n" +
		"101|0-1|PENDING|two\n99|0|RUNNING|two\n99|1|PENDING|two\n" + // 99 came first
		"7|4,6,...|PENDING|long\n7|0|COMPLETING|long\n" +
		"8|0|SOME_NEW_STATE|new\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		name, job string
		phases    []phase
		doubles   []string
	}{
		{"never-began", "9", []phase{phaseCancelled, phaseCancelled}, nil},
		{"one", "10", []phase{phaseRunning, phaseExited, phaseWaiting, phaseWaiting, phaseGone}, nil},
		{"two", "99", []phase{phaseRunning, phaseWaiting}, []string{"101"}},
		{"long", "7", []phase{phaseRunning, phaseWaiting, phaseWaiting, phaseWaiting, phaseWaiting, phaseWaiting, phaseWaiting, phaseWaiting}, nil},
		{"new", "8", []phase{phaseRunning}, nil},
	} {
		q := got[want.name]
		if q == nil || q.jobID != want.job || !slices.Equal(q.doubles, want.doubles) {
			t.Errorf("%s: %+v, want job %s, doubles %v", want.name, q, want.job, want.doubles)
			continue
		}
		for i, p := range want.phases {
			if q.phase(i) != p {
				t.Errorf("%s: task %d is in phase %d, want %d", want.name, i, q.phase(i), p)
			}
		}
	}
	for _, bad := range []string{"10|0|RUNNING|one", "10|0\n", "error\n", "x|0|RUNNING|one\n", "10|a-b|PENDING|one\n"} {
		if _, err := parseQueue(bad); err == nil {
			t.Errorf("parseQueue took %q", bad)
		}
	}
}
