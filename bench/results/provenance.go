package results

import "path/filepath"

// ReadProvenance reads how a trial was made, without holding the file to the
// completion marker: for estimates, not for reports.
func ReadProvenance(dir string) (Provenance, error) {
	var p Provenance
	err := readJSON(filepath.Join(dir, ProvenanceFile), &p)
	return p, err
}
