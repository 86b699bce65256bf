package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Measured is one number as one commit of a history measured it.
type Measured struct {
	Value float64

	// Noise is the variance of Value among repeats that change nothing, which training
	// seeds make: that of a run over the number of runs. It is 0 where nothing is drawn,
	// and undefined where the commit itself does not say, as of a single run: then it is
	// taken from how the commits of a level differ, from LeastCommits on. Freedom is that
	// of its estimate, 0 where nothing is drawn.
	Noise   Number
	Freedom float64

	// Moved is the variance that queries, which are a sample, bring into the change
	// since the commit before, beyond what its runs do; MovedFreedom that of its estimate.
	Moved, MovedFreedom float64

	Among int // numbers that are watched beside it, itself included
}

// Shift is a stretch of a history over which a number went from one level to another.
type Shift struct {
	From, To      int // the last commit of the level before and the first of that after
	Named         int // the commit that gave the alarm, the last one of a long drift
	Before, After float64
}

// Drift reports whether the way took several commits; else it was a step.
func (s Shift) Drift() bool { return s.To > s.From+1 }

// QuietFor is how many commits that change nothing a board passes between two false
// alarms, on average: all its numbers together.
const QuietFor = 1000

// reference is what is taken off every score before it is summed, half the shift that
// a sum is quickest to find (Page 1954). At the usual 0.5 a drift from the first commit
// on, whose errors grow, was found later.
const reference = 1

// Shifts finds the steps and the drifts of a number, in order. It is a sequential test:
// each commit is judged by itself and those before it, so that one more does not take
// back what was named; only where the way began and ended is told again with what came
// after.
//
// The level is followed by the local level model, value = level + seeds, level = level
// before + what queries bring (Harvey 1989, Forecasting, Structural Time Series Models
// and the Kalman Filter, section 4.1.2), begun at the first commit. While nothing
// changes its one-step errors are independent of mean 0; where queries bring nothing
// they are the recursive residuals of a mean (Brown, Durbin and Evans 1975). Their sums
// are scored by Student's t with the freedom of the variance, as the self-starting CUSUM
// scores errors (Hawkins 1987, The Statistician 36), and Page's two sums raise the
// alarm at a limit that Siegmund's approximation (1985, Sequential Analysis, section
// 10.5) gives for QuietFor. Where commits do not say their noise they are judged by
// unreplicated. After an alarm the level begins anew.
func Shifts(series []Measured) []Shift {
	var out []Shift
	var alarms []alarm
	var f follower
	for i, m := range series {
		if a, found := f.next(i, m); found {
			alarms = append(alarms, a)
		}
	}
	for i := 0; i < len(alarms); {
		first, last := alarms[i], alarms[i]
		for i++; i < len(alarms) && alarms[i].up == first.up && alarms[i].start <= last.at+1; i++ {
			last = alarms[i]
		}
		end := len(series)
		if i < len(alarms) {
			end = max(last.at, alarms[i].start) + 1
		}
		out = append(out, describe(series, first, last, end))
	}
	return out
}

// alarm is a sum that passed its limit.
type alarm struct {
	begin int     // of the level that was left
	start int     // the last commit at which the sum was nothing
	at    int     // the commit that passed
	up    bool    // the number rose
	noise float64 // variance of the value there
}

// follower is a level with the sums of its errors.
type follower struct {
	begin           int
	level, variance float64
	up, down        sum
	single          unreplicated
}

// next takes the number of commit i over.
func (f *follower) next(i int, m Measured) (a alarm, found bool) {
	if i == 0 {
		f.restart(0, m)
		return a, false
	}
	noise, known := m.Noise.Get()
	if !known {
		f.level += (m.Value - f.level) / float64(i-f.begin+1) // a mean, until it is told from noise
		if a, found = f.single.next(i, m); found {
			a.begin = f.begin
			f.restart(i, m)
		}
		return a, found
	}
	freedom := m.Freedom
	if f.variance == 0 { // of a level whose noise was not known
		f.variance = noise / float64(i-f.begin)
	}
	f.variance += m.Moved
	if m.Moved > 0 && (freedom == 0 || m.MovedFreedom < freedom) {
		freedom = m.MovedFreedom
	}
	all := f.variance + noise
	e := standardised(m.Value-f.level, all)
	if noise > 0 {
		e = max(-furthest, min(furthest, e))
	}
	f.up.add(i, e, freedom)
	f.down.add(i, -e, freedom)
	limit := pageLimit(QuietFor * float64(max(1, m.Among)))
	for _, s := range []sum{f.up, f.down} {
		if s.value > limit {
			a = alarm{f.begin, s.start, i, s == f.up, noise}
			f.restart(i, m)
			return a, true
		}
	}
	if all > 0 {
		gain := f.variance / all
		if noise > 0 {
			f.level += gain * e * math.Sqrt(all)
		} else {
			f.level = m.Value
		}
		f.variance *= 1 - gain
	}
	return a, false
}

// restart begins a level at commit i.
func (f *follower) restart(i int, m Measured) {
	noise, _ := m.Noise.Get()
	f.begin, f.level, f.variance = i, m.Value, noise
	f.up, f.down = sum{start: i}, sum{start: i}
	f.single.restart(i, m)
}

// furthest is what an error counts for at most, in standard deviations, so that one
// commit whose seeds were unlucky gives no alarm, and does not take the level with it
// (robust CUSUM: Lucas and Crosier 1982, Communications in Statistics A 11).
const furthest = 3

// rounding is the variance below which values are the same.
const rounding = 1e-18

// standardised is an error over its standard deviation; what does not vary is sure.
func standardised(e, variance float64) float64 {
	switch {
	case variance > rounding:
		return e / math.Sqrt(variance)
	case math.Abs(e) > math.Sqrt(rounding):
		return math.Copysign(math.Inf(1), e)
	}
	return 0
}

// sum is one of Page's. Its errors share the estimate of their variance, so that it is
// their sum that is scored by Student's t.
type sum struct {
	value  float64 // 0 where it begins anew
	errors float64
	n      int
	start  int // the last commit at which it was nothing
}

// add takes the error of commit i, of a variance with so many degrees of freedom: 0 of
// one that is known.
func (s *sum) add(i int, e, freedom float64) {
	s.errors, s.n = s.errors+e, s.n+1
	root := math.Sqrt(float64(s.n))
	if s.value = root*NormalScore(s.errors/root, freedom) - reference*float64(s.n); s.value <= 0 {
		*s = sum{start: i}
	}
}

// NormalScore is the normal deviate with the p-value of a t of so many degrees of
// freedom; 0 of a t that is normal itself.
func NormalScore(t, freedom float64) float64 {
	if freedom == 0 || math.IsInf(t, 0) {
		return t
	}
	p := distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
	return math.Copysign(distuv.UnitNormal.Quantile(max(p, math.SmallestNonzeroFloat64)), t)
}

// pageLimit is the limit at which one of two sums passes once in that many scores of
// independent normal errors, by Siegmund's approximation.
func pageLimit(once float64) float64 {
	between := func(limit float64) float64 {
		b := 2 * reference * (limit + 1.166)
		return (math.Exp(b) - b - 1) / (4 * reference * reference)
	}
	low, high := 0.0, 100.0
	for range 60 {
		if middle := (low + high) / 2; between(middle) < once {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// third is what a third parameter must take off the sum of squares, in variances of a
// value (Akaike 1974).
const third = 2

// around is how far beyond the alarms the ends of a shift are looked for.
const around = 12

// describe says from where to where a number went that gave some alarms: by least
// squares of a level, a straight way and another level over the commits before end. A
// step is told unless a way over several commits is worth its third parameter.
func describe(series []Measured, first, last alarm, end int) Shift {
	values := make([]float64, 0, end-first.begin)
	for _, m := range series[first.begin:end] {
		values = append(values, m.Value)
	}
	noise := first.noise
	step, way := Shift{}, Shift{}
	least, leastStep := math.Inf(1), math.Inf(1)
	for from := max(0, first.start-first.begin-around/2); from <= last.at-first.begin-1; from++ {
		for to := from + 1; to < min(len(values), last.at-first.begin+around); to++ {
			s, rest := ramp(values, from, to)
			if to == from+1 && rest < leastStep {
				step, leastStep = s, rest
			}
			if rest < least {
				way, least = s, rest
			}
		}
	}
	if leastStep-least <= third*noise+rounding {
		way = step
	}
	way.From, way.To, way.Named = way.From+first.begin, way.To+first.begin, first.at
	return way
}

// ramp fits a level up to a commit, a straight way to another and a level from there
// on, and returns what is left of the sum of squares.
func ramp(values []float64, from, to int) (s Shift, rest float64) {
	n, x, y, xx, xy := float64(len(values)), 0.0, 0.0, 0.0, 0.0
	at := func(i int) float64 { return min(1, max(0, float64(i-from)/float64(to-from))) }
	for i, v := range values {
		x, y, xx, xy = x+at(i), y+v, xx+at(i)*at(i), xy+at(i)*v
	}
	rise := (xy - x*y/n) / (xx - x*x/n)
	level := (y - rise*x) / n
	for i, v := range values {
		e := v - level - rise*at(i)
		rest += e * e
	}
	return Shift{From: from, To: to, Before: level, After: level + rise}, rest
}
