package projection

import (
	"math"
	"slices"

	"infbench/internal/parallel"
)

// quadtree holds the non-empty cells of a map, each cell before its parts, so that a walk is
// one loop: the next element enters a cell, skip passes over it.
type quadtree struct {
	cells []cell
	keys  []uint64 // position along the Z-order curve, then the point
}

// cell is a square with points, represented by one point at their centre with their total
// weight.
type cell struct {
	x, y, n float64
	reach2  float64 // squared distance from which it counts as one point; −1: always
	skip    int32   // index of the cell after this one and its parts
}

const (
	levels    = 20 // number of halvings
	pointBits = 24
	mostRows  = 1 << pointBits
)

// build sorts the points into cells. theta is the width of a cell divided by the distance
// from which it counts as one point. With theta 0 only points within a millionth of the map's
// width are merged.
func (t *quadtree) build(points []Point, theta float64) {
	low, side := bounds(points)
	t.cells, t.keys = t.cells[:0], slices.Grow(t.keys[:0], len(points))[:len(points)]
	scale := float64(1<<levels) / side
	parallel.Ranges(len(points), grain, func(from, to int) {
		for i := from; i < to; i++ {
			x := min(uint64((points[i].X-low.X)*scale), 1<<levels-1)
			y := min(uint64((points[i].Y-low.Y)*scale), 1<<levels-1)
			t.keys[i] = (spread(x)|spread(y)<<1)<<pointBits | uint64(i)
		}
	})
	slices.Sort(t.keys)
	t.add(points, t.keys, levels, side/theta)
}

// bounds returns the lowest coordinates, and the side of a square that contains all points.
func bounds(points []Point) (low Point, side float64) {
	low = Point{math.Inf(1), math.Inf(1)}
	high := Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	side = max(high.X-low.X, high.Y-low.Y)
	if side == 0 {
		side = 1
	}
	return low, side
}

// spread inserts a zero after every bit.
func spread(x uint64) uint64 {
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// rowOf returns the point of a key.
func rowOf(key uint64) int { return int(key & (mostRows - 1)) }

// add adds the cell of the points with these keys, which agree above the level, and its
// parts. reach is the distance from which a cell of the level above counts as one.
func (t *quadtree) add(points []Point, keys []uint64, level int, reach float64) {
	shift := func() int { return pointBits + 2*(level-1) }
	for len(keys) > 1 && level > 0 && keys[0]>>shift() == keys[len(keys)-1]>>shift() {
		level, reach = level-1, reach/2 // all in one part, which replaces the cell
	}
	at := len(t.cells)
	t.cells = append(t.cells, cell{n: float64(len(keys)), reach2: -1})
	var x, y float64
	if len(keys) == 1 || level == 0 {
		for _, key := range keys {
			x, y = x+points[rowOf(key)].X, y+points[rowOf(key)].Y
		}
	} else {
		t.cells[at].reach2 = reach * reach
		for rest := keys; len(rest) > 0; {
			part := rest[0] >> shift()
			to := 1
			for to < len(rest) && rest[to]>>shift() == part {
				to++
			}
			child := len(t.cells)
			t.add(points, rest[:to], level-1, reach/2)
			x, y = x+t.cells[child].x*t.cells[child].n, y+t.cells[child].y*t.cells[child].n
			rest = rest[to:]
		}
	}
	t.cells[at].x, t.cells[at].y = x/t.cells[at].n, y/t.cells[at].n
	t.cells[at].skip = int32(len(t.cells))
}

// push returns the force of all other points on one, Σ q²(p−o), and its share of the
// normaliser, Σ q, where q = 1/(1+|p−o|²).
func (t *quadtree) push(p Point) (fx, fy, z float64) {
	for i := int32(0); i < int32(len(t.cells)); {
		c := &t.cells[i]
		dx, dy := p.X-c.x, p.Y-c.y
		d2 := dx*dx + dy*dy
		if d2 < c.reach2 {
			i++
			continue
		}
		q := 1 / (1 + d2)
		nq := c.n * q
		z += nq
		fx += nq * q * dx
		fy += nq * q * dy
		i = c.skip
	}
	return fx, fy, z - 1 // without the point itself, which exerts no force
}
