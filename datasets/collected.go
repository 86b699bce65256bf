package datasets

// Collected is a task of a suite whose files have their own layout and fit into memory.
type Collected struct {
	Name        string
	Documents   MemoryCorpus
	Queries     []Posed
	Instruction string    // instruction of all queries; "" none
	Closed      bool      // each query ranks only the documents that it grades
	Depth       int       // number of ranked documents; 0: the usual number
	Scorings    []Scoring // Changed are the queries that reword others, Original those that are reworded
}

// Posed is a query with the grades of documents by ID.
type Posed struct {
	ID, Text string
	Grades   map[string]int
	Rewords  string // ID of an earlier query with the same meaning in other words; "" none

	Instruction string // its own; "" means the task's
	Narrows     string // ID of an earlier query that it narrows by its instruction; "" none
}
