package command

import (
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/words"
)

// unreadColumns names in a sentence the columns of a training file that nothing reads, with
// the names that were likely meant; "" if there are none, or if it is not a file.
func unreadColumns(file string) string {
	info, err := disk.Stat(file)
	if err != nil || !info.Mode().IsRegular() || !format.IsTable(file) {
		return ""
	}
	left, err := datasets.UnreadColumns([]string{file})
	if err != nil || len(left) == 0 {
		return "" // whoever reads it says what is wrong with it
	}
	return fmt.Sprintf("of %s nothing reads %s; read are %s", words.Clean(file), words.Clean(strings.Join(left, ", ")), strings.Join(datasets.OwnColumns(), ", "))
}
