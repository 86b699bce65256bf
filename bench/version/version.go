// Package version has the verb version: which build this binary is, its parts and their
// licences. The build that made a run is in the run's provenance (package runners/provenance).
package version

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"infbench/runners/provenance"
)

// Notices are the licences of all third-party parts of the binary.
//
//go:embed notices.txt
var Notices string

// Command is the verb version; kernels names the kernels that the Go backend uses here.
func Command(kernels func() string) *cobra.Command {
	var sbom, notices bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print which build this is, its parts and their licences",
		Long: `Print which build this is: its version, the hash of its sources and the Go version.
Builds of different sources never have the same hash. It is the hash of the sources
("sha256:") if make built it, and of the binary itself ("binary-sha256:") otherwise.
--sbom prints the parts as a bill of materials (CycloneDX 1.6, JSON), --notices the
licences of all parts that are not infbench's own.`,
		Example: "  infbench version\n  infbench version --sbom > infbench.cdx.json\n  infbench version --notices",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return print(cmd.OutOrStdout(), kernels(), sbom, notices)
		},
	}
	cmd.Flags().BoolVar(&sbom, "sbom", false, "print the bill of materials")
	cmd.Flags().BoolVar(&notices, "notices", false, "print the licences of third parties")
	cmd.MarkFlagsMutuallyExclusive("sbom", "notices")
	return cmd
}

func print(w io.Writer, kernels string, sbom, notices bool) error {
	if notices {
		_, err := io.WriteString(w, Notices)
		return err
	}
	if sbom {
		return writeOwn(w)
	}
	_, err := fmt.Fprintf(w, "infbench %s\nsources  %s\nbuilt by %s for %s/%s\nkernels  %s\n", provenance.BuildVersion(), provenance.BuildSource(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernels)
	return err
}

// writeOwn writes the bill of materials of the running binary.
func writeOwn(w io.Writer) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("this binary was built without a record of its modules")
	}
	return NewBill(info, provenance.OwnBuild()).Write(w)
}
