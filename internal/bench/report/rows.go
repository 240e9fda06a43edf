package main

import (
	"fmt"
	"strconv"
)

// row is one line of the table.
type row struct {
	aim   string // its name, T1 to T13; "" if none is set
	what  string
	bench string // the benchmark, without "Benchmark"

	// The metrics of the columns, and how the first two are shown. "" is none.
	ours, limit, ratio string
	unit               string

	bound bound
}

// bound is what a metric must keep. The zero value is none.
type bound struct {
	metric string // the metric of the column it is about
	sign   string // ≤ or ≥
	value  float64
	unit   string
}

func (b bound) String() string {
	if b.metric == "" {
		return "-"
	}
	return fmt.Sprintf("%s %s%s", b.sign, strconv.FormatFloat(b.value, 'f', -1, 64), spaced(b.unit))
}

func (b bound) holds(value float64) bool {
	if b.sign == "≥" {
		return value >= b.value
	}
	return value <= b.value
}

// timed is a row of a time and its limit's, at a quantile.
func timed(aim, what, bench, quantile string) row {
	return row{
		aim: aim, what: what, bench: "Times/" + bench, unit: "µs",
		ours: quantile + "-µs", limit: quantile + "-limit-µs", ratio: quantile + "-ratio",
	}
}

// counted is a row of one figure.
func counted(aim, what, bench, metric, unit string) row {
	return row{aim: aim, what: what, bench: bench, ours: metric, unit: unit}
}

// ratioAtMost and the like set the bound of a row.
func (r row) ratioAtMost(value float64) row {
	r.bound = bound{metric: r.ratio, sign: "≤", value: value}
	return r
}

func (r row) ratioAtLeast(value float64) row {
	r.bound = bound{metric: r.ratio, sign: "≥", value: value}
	return r
}

func (r row) atMost(value float64) row {
	r.bound = bound{metric: r.ours, sign: "≤", value: value, unit: r.unit}
	return r
}

func (r row) atLeast(value float64) row {
	r.bound = bound{metric: r.ours, sign: "≥", value: value, unit: r.unit}
	return r
}

// cells are the columns of a row that depend on what was measured.
type cells struct{ ours, limit, ratio, verdict string }

// cells fills in a row; ok is whether all of its metrics were measured.
func (r row) cells(measures map[string]map[string]float64) (c cells, ok bool) {
	got := measures[r.bench]
	ok = true
	cell := func(metric, unit string) string {
		if metric == "" {
			return "-"
		}
		value, found := got[metric]
		if !found {
			ok = false
			return "?"
		}
		return number(value) + spaced(unit)
	}
	c = cells{ours: cell(r.ours, r.unit), limit: cell(r.limit, r.unit), ratio: cell(r.ratio, "")}
	switch {
	case !ok:
		c.verdict = "not measured"
	case r.bound.metric == "":
	case r.bound.holds(got[r.bound.metric]):
		c.verdict = "met"
	default:
		c.verdict = "NOT MET"
	}
	return c, ok
}

// number shows three digits, or the whole of a longer number.
func number(v float64) string {
	switch {
	case v == float64(int64(v)):
		return strconv.FormatInt(int64(v), 10)
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func spaced(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}
