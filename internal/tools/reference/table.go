package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// print writes the table, the reasons for refusing folders, and each silent difference. It
// returns the number of silent differences.
func printTable(w io.Writer, all []outcome) (silent int) {
	counts := map[string]*[5]int{}
	order := []string{}
	total := &[5]int{}
	for _, o := range all {
		base, _, _ := strings.Cut(o.variant.Name, ":")
		if counts[base] == nil {
			counts[base] = new([5]int)
			order = append(order, base)
		}
		counts[base][o.verdict]++
		total[o.verdict]++
	}
	row := func(name string, c *[5]int) {
		fmt.Fprintf(w, "%-24s %8d %6d %10d %10d %12d %10d\n", name, c[0]+c[1]+c[2]+c[3]+c[4], c[equal], c[refusedByBoth], c[refusedByUs], c[refusedByLibrary], c[different])
	}
	fmt.Fprintf(w, "%-24s %8s %6s %10s %10s %12s %10s\n", "", "", "", "refused", "refused", "the library", "silently")
	fmt.Fprintf(w, "%-24s %8s %6s %10s %10s %12s %10s\n", "folder", "variants", "equal", "by both", "by us", "alone fails", "different")
	for _, base := range order {
		row(base, counts[base])
	}
	row("all", total)
	printReasons(w, all, refusedByUs, "refused by us alone")
	printReasons(w, all, refusedByLibrary, "the library alone fails")
	if total[different] > 0 {
		fmt.Fprintf(w, "\nsilent differences: %d\n", total[different])
	}
	for _, o := range all {
		if o.verdict == different {
			fmt.Fprintf(w, "%s (%s)\n    %s\n", o.variant.Name, o.variant.Folder, o.why)
		}
	}
	return total[different]
}

// numberIn matches the numbers that differ between reasons of one kind.
var numberIn = regexp.MustCompile(`\d+(\.\d+)?`)

// printReasons groups outcomes by their reasons, the most frequent first.
func printReasons(w io.Writer, all []outcome, v verdict, title string) {
	names := map[string][]string{}
	first := map[string]string{}
	for _, o := range all {
		if o.verdict == v {
			key := numberIn.ReplaceAllString(o.why, "N")
			names[key] = append(names[key], o.variant.Name)
			first[key] = cmp.Or(first[key], o.why)
		}
	}
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	keys := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(names[b]), len(names[a])), cmp.Compare(a, b))
	})
	for _, key := range keys {
		fmt.Fprintf(w, "%6d  %.300s\n        such as %s\n", len(names[key]), first[key], names[key][0])
	}
}
