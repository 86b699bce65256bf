package catalog

// RetrieveDepth is how many documents of a ranking are kept: the depth of
// FollowIR's and BRIGHT's measures.
const RetrieveDepth = 1000
