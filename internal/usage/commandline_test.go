package usage_test

import (
	"testing"

	"infbench/internal/usage"
)

func TestSetting(t *testing.T) {
	for _, c := range []struct {
		key    string
		values []string
		want   string
	}{
		{"loss", []string{"multi(P,I)"}, "loss=multi:P+I"},
		{"loss", []string{"multi(P,I,IQ)", "uni(P)"}, "loss=multi:P+I+IQ,uni:P"},
		{"interaction", []string{"cross_attention(level=pooled)"}, "'interaction=cross_attention(level=pooled)'"},
		{"train.lr", []string{"0.005"}, "train.lr=0.005"},
		{"judge", []string{"it's"}, `'judge=it'\''s'`},
	} {
		if got := usage.Setting(c.key, c.values...); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
