package contrast

import (
	"slices"
	"testing"

	"infbench/internal/words"
)

// TestInteractions checks the general form by hand. Three by three cells depart from
// additivity only by +.9 in one cell. That cell keeps .4 of it (.9·(1−1/3)²), the others
// in its row and column lose .2 (−.9·(1/3)·(2/3)), and the rest gain .1.
func TestInteractions(t *testing.T) {
	levels := []string{"0", "1", "2"}
	cells := map[string]form{}
	for i, a := range levels {
		for j, b := range levels {
			v := float64(i) + 10*float64(j)
			if i == 0 && j == 0 {
				v += .9
			}
			cells[words.Joined([]string{a, b})] = form{v}
		}
	}
	var got []string
	for _, e := range interactions(levels, levels, cells) {
		got = append(got, words.Fixed(e.of[0], 1))
	}
	if want := []string{"0.4", "-0.2", "-0.2", "-0.2", "0.1", "0.1", "-0.2", "0.1", "0.1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
