package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Measured is one number as measured at one commit of a history.
type Measured struct {
	Value float64

	// Noise is the variance of Value among repeats without any change, which training seeds
	// cause: that of a run divided by the number of runs. It is 0 if nothing is random, and
	// undefined if the commit itself does not tell, such as with a single run. In that case
	// it is estimated from the differences between the commits of a level, from LeastCommits
	// on. Freedom is its degrees of freedom, 0 if nothing is random.
	Noise   Number
	Freedom float64

	// Moved is the variance that queries, which are a sample, add to the change since the
	// commit before, beyond that of the runs; MovedFreedom is its degrees of freedom.
	Moved, MovedFreedom float64

	Among int // numbers monitored together, including this one
}

// Shift is a stretch of a history over which a number moved from one level to another.
type Shift struct {
	From, To      int // the last commit of the old level and the first of the new one
	Named         int // the commit that gave the alarm, for a long drift the last one
	Before, After float64
}

// Drift reports whether the shift took several commits; otherwise it was a step.
func (s Shift) Drift() bool { return s.To > s.From+1 }

// QuietFor is the average number of commits without changes between two false alarms of a
// board, over all its numbers together.
const QuietFor = 1000

// reference is subtracted from every score before it is summed: half the shift that a sum
// finds quickest (Page 1954). With the usual 0.5, a drift from the first commit on, whose
// errors grow, was found later.
const reference = 1

// Shifts finds the steps and the drifts of a number, in order. It is a sequential test: each
// commit is judged by itself and the commits before it, so that a further commit does not
// withdraw a shift that was named; later commits change only the reported beginning and end
// of the shift.
//
// The level follows the local level model, value = level + seeds, level = previous level +
// effect of queries (Harvey 1989, Forecasting, Structural Time Series Models and the Kalman
// Filter, section 4.1.2), started at the first commit. While nothing changes, its one-step
// errors are independent with mean 0; if queries have no effect they are the recursive
// residuals of a mean (Brown, Durbin and Evans 1975). Their sums are scored by Student's t
// with the degrees of freedom of the variance, as the self-starting CUSUM scores errors
// (Hawkins 1987, The Statistician 36). Page's two sums raise the alarm at the limit that
// Siegmund's approximation (1985, Sequential Analysis, section 10.5) gives for QuietFor.
// Commits without known noise are judged by unreplicated. After an alarm the level starts
// again.
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

// alarm is a sum that exceeded its limit.
type alarm struct {
	begin int     // first commit of the old level
	start int     // the last commit at which the sum was 0
	at    int     // the commit that exceeded the limit
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

// next processes the number of commit i.
func (f *follower) next(i int, m Measured) (a alarm, found bool) {
	if i == 0 {
		f.restart(0, m)
		return a, false
	}
	noise, known := m.Noise.Get()
	if !known {
		f.level += (m.Value - f.level) / float64(i-f.begin+1) // a mean, as long as it cannot be distinguished from noise
		if a, found = f.single.next(i, m); found {
			a.begin = f.begin
			f.restart(i, m)
		}
		return a, found
	}
	freedom := m.Freedom
	if f.variance == 0 { // of a level with unknown noise
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

// restart starts a level at commit i.
func (f *follower) restart(i int, m Measured) {
	noise, _ := m.Noise.Get()
	f.begin, f.level, f.variance = i, m.Value, noise
	f.up, f.down = sum{start: i}, sum{start: i}
	f.single.restart(i, m)
}

// furthest is the largest size of an error, in standard deviations, so that one commit with
// unlucky seeds neither gives an alarm nor moves the level (robust CUSUM: Lucas and Crosier
// 1982, Communications in Statistics A 11).
const furthest = 3

// rounding is the variance below which values are equal.
const rounding = 1e-18

// standardised returns an error divided by its standard deviation; without variance any error
// is infinite.
func standardised(e, variance float64) float64 {
	switch {
	case variance > rounding:
		return e / math.Sqrt(variance)
	case math.Abs(e) > math.Sqrt(rounding):
		return math.Copysign(math.Inf(1), e)
	}
	return 0
}

// sum is one of Page's sums. Its errors share the estimate of their variance, so Student's t
// scores their sum.
type sum struct {
	value  float64 // 0 where it restarts
	errors float64
	n      int
	start  int // the last commit at which it was 0
}

// add adds the error of commit i, whose variance has these degrees of freedom (0: known
// variance).
func (s *sum) add(i int, e, freedom float64) {
	s.errors, s.n = s.errors+e, s.n+1
	root := math.Sqrt(float64(s.n))
	if s.value = root*NormalScore(s.errors/root, freedom) - reference*float64(s.n); s.value <= 0 {
		*s = sum{start: i}
	}
}

// NormalScore returns the normal deviate with the p-value of a t with these degrees of
// freedom; with 0 degrees t is already normal.
func NormalScore(t, freedom float64) float64 {
	if freedom == 0 || math.IsInf(t, 0) {
		return t
	}
	p := distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
	return math.Copysign(distuv.UnitNormal.Quantile(max(p, math.SmallestNonzeroFloat64)), t)
}

// pageLimit returns the limit that one of two sums exceeds once in this number of scores of
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

// third is the reduction of the sum of squares that justifies a third parameter, in variances
// of a value (Akaike 1974).
const third = 2

// around is the number of commits beyond the alarms in which the ends of a shift are
// searched.
const around = 12

// describe finds the commits and levels of a shift that gave some alarms: a least-squares fit
// of a level, a straight line and another level to the commits before end. It reports a step
// unless a shift over several commits is worth its third parameter.
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

// ramp fits a level up to commit from, a straight line to commit to and a level after it, and
// returns the residual sum of squares.
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
