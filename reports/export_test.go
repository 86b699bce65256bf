package reports

// BoardSections and ReportSections allow a test to add a section.
var (
	BoardSections  = &boardSections
	ReportSections = &reportSections
)
