package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// LeastCommits is the number of commits, each run once, that show the variance of the runs
// well enough to judge the last one.
const LeastCommits = 6

// Judged reports whether any commit of a series could be judged: a later commit with known
// noise, or one from the LeastCommits-th on without.
func Judged(series []Measured) bool {
	known := func(m Measured) bool { _, ok := m.Noise.Get(); return ok }
	return len(series) >= LeastCommits || len(series) > 1 && slices.ContainsFunc(series[1:], known)
}

// window is the number of commits of a level that are considered, so that a commit of a long
// history costs no more than one of a short history.
const window = 60

// aside is the least number of commits of a level on either side of a step.
const aside = 2

// unreplicated follows a number whose commits have unknown noise, because each was run once.
// A step or a drift must not count as noise. It does in the variance about a mean, and a
// drift also does in the squared differences of neighbours (von Neumann 1941); these take
// fifteen commits to find a drift of five standard deviations per commit. So the change is
// fitted first, and the residuals are the noise: the changepoint model with unknown mean and
// variance (Hawkins, Qiu and Kang 2003, Journal of Quality Technology 35), here for a step
// anywhere and a drift from anywhere until now. For a given place each is a Student's t, and
// Bonferroni's correction over the places keeps the rate of false alarms.
type unreplicated struct {
	begin         int // of values
	values, moved []float64

	// Residual sum of squares of earlier levels, and its degrees of freedom.
	squares, freedom float64
}

// next processes the number of commit i.
func (u *unreplicated) next(i int, m Measured) (a alarm, found bool) {
	u.values, u.moved = append(u.values, m.Value), append(u.moved, m.Moved)
	if n := len(u.values); n > window {
		u.values, u.moved, u.begin = u.values[n-window:], u.moved[n-window:], u.begin+n-window
	}
	n := len(u.values)
	if n < 2*aside || float64(n)+u.freedom < LeastCommits {
		return a, false
	}
	ways := u.ways()
	odd, best, least := u.oddest(), way{}, math.Inf(1)
	for _, at := range ways {
		if p := max(u.p(at, m, -1), u.p(at, m, odd)); p < least {
			best, least = at, p
		}
	}
	if least*float64(len(ways)*max(1, m.Among))*QuietFor >= 1 {
		return a, false
	}
	shift, left := ramp(u.values, best.from, best.to)
	if freedom := float64(n - 4); freedom > 0 { // level, rise, and where it begins and ends
		u.squares, u.freedom = u.squares+left, u.freedom+freedom
	}
	return alarm{start: u.begin + best.from, at: i, up: shift.After > shift.Before, noise: u.squares / max(1, u.freedom)}, true
}

// restart starts a level at commit i.
func (u *unreplicated) restart(i int, m Measured) {
	u.begin, u.values, u.moved = i, append(u.values[:0], m.Value), append(u.moved[:0], m.Moved)
}

// common is a t that is never as rare as once in QuietFor, for any degrees of freedom.
const common = 3

// way is a possible shift from one level to another.
type way struct{ from, to int }

// ways lists the possible steps, and the drifts that have not ended.
func (u *unreplicated) ways() []way {
	var out []way
	last := len(u.values) - 1
	for from := aside - 1; from+aside <= last; from++ {
		out = append(out, way{from, from + 1})
	}
	for from := 0; from+aside <= last; from++ {
		out = append(out, way{from, last})
	}
	return out
}

// oddest returns the value furthest from the median. A change must also show without it, so
// that one unlucky commit gives no alarm.
func (u *unreplicated) oddest() int {
	sorted := slices.Sorted(slices.Values(u.values))
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	out := 0
	for i, v := range u.values {
		if math.Abs(v-median) > math.Abs(u.values[out]-median) {
			out = i
		}
	}
	return out
}

// p returns the two-sided p-value of a change at a place, computed without one of the values;
// -1 uses all.
func (u *unreplicated) p(at way, m Measured, without int) float64 {
	moved, weights := 0.0, slices.Repeat([]float64{1}, len(u.values))
	for i := at.from + 1; i <= at.to; i++ {
		moved += u.moved[i]
	}
	freedom := float64(len(u.values)) - 2 + u.freedom
	if without >= 0 {
		weights[without] = 0
		freedom--
	}
	f := fit(u.values, weights, at)
	if moved > 0 {
		freedom = min(freedom, cmp.Or(m.MovedFreedom, freedom))
	}
	t := standardised(f.rise, (f.left+u.squares)/freedom/f.spread+moved)
	switch {
	case math.IsInf(t, 0):
		return 0
	case math.Abs(t) < common: // saves most of the time
		return 1
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
}

// fitted is a level, a straight line and another level, by weighted least squares.
type fitted struct {
	rise, spread float64 // the variance of rise is that of a value divided by spread
	left         float64 // residual sum of squares
}

// fit fits the levels before and after a way.
func fit(values, weights []float64, at way) fitted {
	n, x, y, xx, xy, yy := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, v := range values {
		w, along := weights[i], min(1, max(0, float64(i-at.from)/float64(at.to-at.from)))
		v -= values[0] // so that squares keep their digits
		n, x, y, xx, xy, yy = n+w, x+w*along, y+w*v, xx+w*along*along, xy+w*along*v, yy+w*v*v
	}
	spread := xx - x*x/n
	rise := (xy - x*y/n) / spread
	return fitted{rise, spread, max(0, yy-y*y/n-rise*rise*spread)}
}
