package datasets

// Collected is a task of a suite whose files are in a layout of their own and small
// enough to be held.
type Collected struct {
	Name        string
	Documents   MemoryCorpus
	Queries     []Posed
	Instruction string    // that all its queries get; "" none
	Closed      bool      // each query ranks those documents alone that it grades
	Depth       int       // how many documents are ranked; 0 as usual
	Scorings    []Scoring // Changed are the queries that reword others, Original those that are reworded
}

// Posed is a query with the grades of documents by ID.
type Posed struct {
	ID, Text string
	Grades   map[string]int
	Rewords  string // ID of a query before it that asks for the same in other words; "" none

	Instruction string // its own; "" the task's
	Narrows     string // ID of a query before it that it narrows by its instruction; "" none
}
