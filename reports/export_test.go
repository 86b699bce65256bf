package reports

// BoardSections and ReportSections let a test add a section, as a line there does.
var (
	BoardSections  = &boardSections
	ReportSections = &reportSections
)
