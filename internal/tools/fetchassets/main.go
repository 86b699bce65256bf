// Command fetchassets puts the ECharts script into reports/page/assets, where the build
// embeds it. It takes the script from a Go module, whose checksum the Go command verifies,
// and accepts exactly one content.
//
// Run it in the repository: go run ./internal/tools/fetchassets
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/reports/page"
)

// The module that carries ECharts 5.4.3.
const (
	module = "github.com/go-echarts/go-echarts-assets@v0.0.0-20231016061538-41f247b1cbb6"
	script = "assets/echarts.min.js"
)

func main() {
	dir := flag.String("dir", filepath.FromSlash("reports/page/assets"), "folder to fill")
	flag.Parse()
	if err := fetch(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "fetchassets:", err)
		os.Exit(1)
	}
}

// fetch writes the script and the module's licence into dir. It leaves a script with the
// right content alone, so that a second run needs no network.
func fetch(ctx context.Context, dir string) error {
	target := filepath.Join(dir, "echarts.min.js")
	if have, err := os.ReadFile(target); err == nil && check(have) == nil {
		return nil
	}
	source, err := download(ctx)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(script)))
	if err != nil {
		return err
	}
	if err := check(data); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(source, "LICENSE"))
	if err != nil {
		return err
	}
	if err := disk.WriteBytes(filepath.Join(dir, "LICENSE.txt"), licence); err != nil {
		return err
	}
	return disk.WriteBytes(target, data)
}

// download makes sure that the module is in the cache and returns its folder.
func download(ctx context.Context) (dir string, err error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s", module, runErr, stderr.String())
	}
	if answer.Error != "" {
		return "", fmt.Errorf("go mod download: %s", answer.Error)
	}
	return answer.Dir, nil
}

// check accepts exactly one script.
func check(data []byte) error {
	got := sha256.Sum256(data)
	if hex.EncodeToString(got[:]) != page.EChartsSHA256 {
		return fmt.Errorf("%s of %s has SHA-256 %x, want %s", script, module, got, page.EChartsSHA256)
	}
	return nil
}
