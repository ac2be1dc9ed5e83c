// Package report defines the JSON documents the oracle prints and the
// comparison of two such documents.
package report

// KubernetesVersion is the release whose scheduling framework the oracle runs.
// It has to agree with the k8s.io/kubernetes requirement in go.mod; a test
// checks that.
const KubernetesVersion = "v1.36.1"

// Document is the top-level output of "oracle evaluate" and the content of an
// expected.json file.
type Document struct {
	KubernetesVersion string    `json:"kubernetesVersion"`
	Results           []*Result `json:"results"`
}

// Result is the outcome of one scheduling attempt of one pod.
type Result struct {
	// Pod is "namespace/name".
	Pod string `json:"pod"`
	// Profile is the scheduler profile that handled the pod.
	Profile string `json:"profile"`
	// Nodes is the number of nodes in the cluster.
	Nodes int `json:"nodes"`
	// PreEnqueue is set when the pod is held back from the scheduling queue
	// (for instance by scheduling gates). Nothing else is evaluated then.
	PreEnqueue *Status `json:"preEnqueue,omitempty"`
	// PreFilter is set when a PreFilter plugin rejected the pod as a whole.
	PreFilter *Status `json:"preFilter"`
	// Rejected holds the verdict for every node that is not feasible.
	Rejected map[string]*Status `json:"rejected"`
	// Feasible lists the nodes that passed all filters, sorted by name.
	Feasible []string `json:"feasible"`
	// Weights holds the weight of each score plugin that ran.
	Weights map[string]int64 `json:"weights"`
	// SkippedScorePlugins lists the configured score plugins that were skipped
	// for this pod, sorted by name. It is empty when no node was scored.
	SkippedScorePlugins []string `json:"skippedScorePlugins"`
	// Scores holds the scores of every feasible node.
	Scores map[string]*NodeScore `json:"scores"`
	// Top lists the feasible nodes by descending total score, then by name.
	Top []string `json:"top"`
	// NominatedNode is status.nominatedNodeName of the pod if that node passed
	// the filters: the scheduler takes it without looking at other nodes.
	NominatedNode string `json:"nominatedNode,omitempty"`
	// Message is the text of the PodScheduled condition when no node is
	// feasible, and empty otherwise.
	Message string `json:"message"`
	// Preemption is set when preemption found a node to make room on.
	Preemption *Preemption `json:"preemption"`
	// PreemptionCandidates holds the victims for every node on which preemption
	// would help. It is only filled on request.
	PreemptionCandidates map[string]*Candidate `json:"preemptionCandidates,omitempty"`
	// Error is set when a plugin failed with an internal error, which aborts
	// the attempt (the scheduler reports reason SchedulerError).
	Error string `json:"error,omitempty"`
}

// Status is a verdict of a plugin.
type Status struct {
	// Plugin is empty for nodes that were excluded by a PreFilter result.
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

// NodeScore holds the scores of one node.
type NodeScore struct {
	// Total is the sum of weight*score over all plugins.
	Total int64 `json:"total"`
	// Plugins holds the normalized scores (0..100) before weighting.
	Plugins map[string]int64 `json:"plugins"`
}

// Preemption is the outcome of a successful preemption.
type Preemption struct {
	NominatedNode string `json:"nominatedNode"`
	// Victims lists the pods to evict, "namespace/name", most important first.
	Victims []string `json:"victims"`
}

// Candidate describes what preemption would do on one node.
type Candidate struct {
	Victims       []string `json:"victims"`
	PDBViolations int      `json:"pdbViolations"`
}

// NewResult returns a Result whose collections are empty rather than nil, so
// that they are printed as {} and [].
func NewResult(pod, profile string, nodes int) *Result {
	return &Result{
		Pod:                 pod,
		Profile:             profile,
		Nodes:               nodes,
		Rejected:            map[string]*Status{},
		Feasible:            []string{},
		Weights:             map[string]int64{},
		SkippedScorePlugins: []string{},
		Scores:              map[string]*NodeScore{},
		Top:                 []string{},
	}
}
