// Package version is the verb version: which build this binary is, of which parts, under
// which licences. What a run was made with is in its provenance (package
// runners/provenance).
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

// Notices are the licences of all that the binary holds of others.
//
//go:embed notices.txt
var Notices string

// Command is the verb; kernels says what the Go backend computes with here.
func Command(kernels func() string) *cobra.Command {
	var sbom, notices bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which build this is, what it is made of, and under which licences",
		Long: `Say which build this is: its version, the hash of its sources and the Go that built it.
Builds of different sources never have the same hash. It is that of the sources
("sha256:") where make built, and that of the binary itself ("binary-sha256:") where
it was built without make. --sbom prints what it is made of as a bill of materials
(CycloneDX 1.6, JSON), --notices the licences of all that is not infbench's own.`,
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

// writeOwn writes the bill of materials of the binary that runs.
func writeOwn(w io.Writer) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("this binary was built without a record of its modules")
	}
	return Of(info, provenance.OwnBuild()).Write(w)
}
