package command

import (
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/words"
)

// unreadColumns lists in a sentence the columns of a training file that are not used, with
// the names that were likely meant; "" if there are none, or if it is not a file.
func unreadColumns(file string) string {
	info, err := disk.Stat(file)
	if err != nil || !info.Mode().IsRegular() || !format.IsTable(file) {
		return ""
	}
	left, err := datasets.UnreadColumns([]string{file})
	if err != nil || len(left) == 0 {
		return "" // the reader reports the error
	}
	return fmt.Sprintf("%s: these columns are not used: %s; known columns: %s", words.Clean(file), words.Clean(strings.Join(left, ", ")), strings.Join(datasets.OwnColumns(), ", "))
}
