package runners

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// echo encodes a text as its bytes, repeated so that they take several records.
func echo(calls *int) func(ctx context.Context, a, b []string) ([][]byte, error) {
	return func(_ context.Context, a, b []string) ([][]byte, error) {
		made := make([][]byte, len(a))
		for i := range a {
			*calls++
			made[i] = bytes.Repeat([]byte(a[i]+"|"+b[i]), len(a[i])*100)
		}
		return made, nil
	}
}

// TestPayloads: data of any length, also empty, are found again, also by another process, and
// each text is encoded once.
func TestPayloads(t *testing.T) {
	folder, calls := t.TempDir(), 0
	a, b := []string{"", "x", "a longer text", strings.Repeat("y", 60), "x"}, []string{"", "1", "2", "3", "1"}
	var want [][]byte
	for round := range 3 {
		p, err := OpenPayloads(folder, "model")
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Data(t.Context(), "tokens", a, b, echo(&calls))
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			want = got
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("round %d, text %d: %d bytes, want %d", round, i, len(got[i]), len(want[i]))
			}
		}
		if stats := p.Stats(); round > 0 && (stats.Hits != len(a) || stats.Misses != 0) {
			t.Errorf("round %d: %+v", round, stats)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if calls != len(a) {
		t.Errorf("%d texts were encoded, want %d", calls, len(a))
	}
	p, err := OpenPayloads(folder, "another model")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	broken := errors.New("no power")
	if _, err := p.Data(t.Context(), "tokens", a, b, func(context.Context, []string, []string) ([][]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	models, err := ListCache(folder)
	if err != nil || len(models) != 2 {
		t.Fatalf("the cache holds %d models, %v", len(models), err)
	}
}

// TestDamagedPayload: a text with a damaged record is encoded again.
func TestDamagedPayload(t *testing.T) {
	folder, calls := t.TempDir(), 0
	a, b := []string{"a longer text"}, []string{"2"}
	open := func() []byte {
		p, err := OpenPayloads(folder, "model")
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		got, err := p.Data(t.Context(), "tokens", a, b, echo(&calls))
		if err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	want := open()
	segments, err := filepath.Glob(filepath.Join(folder, "*", "*"+segmentSuffix))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	data, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-100] ^= 1 // in the last record
	if err := os.WriteFile(segments[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := open(); !bytes.Equal(got, want) {
			t.Error("damaged bytes were taken")
		}
	}
	if calls != 2 {
		t.Errorf("%d texts were encoded, want it twice", calls)
	}
}
