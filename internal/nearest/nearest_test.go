package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/nearest"
)

func ExampleUnknown() {
	fmt.Println(nearest.Unknown("loss", "uni(p)", []string{"uni(P)", "multi(P,I)"}))
	fmt.Println(nearest.Unknown("verb", "xyzzy", []string{"sweep", "report"}))
	// Output:
	// unknown loss "uni(p)"; did you mean "uni(P)"? (known: uni(P), multi(P,I))
	// unknown verb "xyzzy" (known: sweep, report)
}

func ExampleOneOf() {
	type pooling string
	const cls, mean pooling = "cls", "mean"
	fmt.Println(nearest.OneOf("pooling", "", cls, mean))
	fmt.Println(nearest.OneOf("pooling", cls, cls, mean))
	fmt.Println(nearest.OneOf("pooling", "men", cls, mean))
	// Output:
	// <nil>
	// <nil>
	// unknown pooling "men"; did you mean "mean"? (known: cls, mean)
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
		ok    bool
	}{
		{"ndcg@10", []string{"AP", "nDCG@10", "nDCG@5"}, "nDCG@10", true},
		{"swep", []string{"sweep", "report"}, "sweep", true},
		{"mini-folowir", []string{"mini-bright", "mini-followir"}, "mini-followir", true},
		{"SciFact", []string{"beir-scidocs", "beir-scifact"}, "beir-scifact", true},
		{"fever", []string{"beir-climate-fever", "beir-fever"}, "beir-fever", true},
		{"ClimateFEVER", []string{"beir-climate-fever", "beir-fever"}, "beir-climate-fever", true},
		{"e5-base-v2", []string{"intfloat/e5-base-v2"}, "intfloat/e5-base-v2", true},
		{"bm-25", []string{"bm25-bright", "bm25"}, "bm25", true},
		{"ir", []string{"inf-ir"}, "", false},
		{"zzzzzz", []string{"AP"}, "", false},
		{"", nil, "", false},
		{strings.Repeat("x", 1<<20), []string{"AP", "nDCG@10"}, "", false},
	} {
		got, ok := nearest.Of(c.name, c.known)
		if got != c.want || ok != c.ok {
			t.Errorf("Of(%q) = %q, %v; want %q, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestElsewhere: errors for names of other tools give their equivalent, if it is among the possible
// names.
func TestElsewhere(t *testing.T) {
	losses, keys := []string{"uni:P", "uni:I"}, []string{"epochs", "rows_per_group", "lr", "accumulate"}
	for _, c := range []struct {
		kind, name string
		known      []string
		want       string
	}{
		{"loss", "InfoNCE", losses, "; here that is uni:P, with 1/scale as train.temperature (known: "},
		{"loss", "info_nce", losses, "; here that is uni:P, with"},
		{"loss", "MultipleNegativesRankingLoss", losses, "; here that is uni:P, with"},
		{"loss", "CachedMNRL", losses, "; here that is uni:P with train.chunk (known: "},
		{"loss", "CachedMultipleNegativesRankingLoss", losses, "; here that is uni:P with train.chunk (known: "},
		{"loss", "InfoNCE", []string{"cached/uni"}, ` "InfoNCE" (known: `},
		{"key", "batch_size", keys, "; here that is rows_per_group, times groups (known: "},
		{"key", "learning_rate", keys, "; here that is lr (known: "},
		{"key", "learning_rate", []string{"name"}, ` "learning_rate" (known: `},
		{"key", "gradient_accumulation_steps", keys, "; here that is accumulate (known: "},
		{"backbone", "all-MiniLM-L6-v2", []string{"tiny-bert"}, "; here that is sentence-transformers/all-MiniLM-L6-v2, once"},
		{"benchmark", "Core17InstructionRetrieval", []string{"followir"}, "; here that is a task of followir (known: "},
		{"verb", "batch_size", keys, ` "batch_size" (known: `},
	} {
		if got := nearest.Unknown(c.kind, c.name, c.known).Error(); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %q", c.kind, c.name, got, c.want)
		}
	}
}
