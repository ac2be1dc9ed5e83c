package report

// Placements is the output of "oracle place".
type Placements struct {
	KubernetesVersion string       `json:"kubernetesVersion"`
	Placements        []*Placement `json:"placements"`
}

// Placement is what became of one pod, after those before it had their places.
type Placement struct {
	// Pod is "namespace/name".
	Pod string `json:"pod"`
	// Nodes is the number of nodes in the cluster, Feasible of those that
	// passed all filters.
	Nodes    int `json:"nodes"`
	Feasible int `json:"feasible"`
	// Node is one of the best nodes, and Score its total. They are absent where
	// the pod is not placed; Message says why then. Score is also where a node
	// is the only one and a plugin could not score it.
	Node string `json:"node,omitempty"`
	// Victims lists the pods that preemption evicts to make room on Node,
	// "namespace/name", most important first. Without Node nothing was evicted.
	Victims []string `json:"victims,omitempty"`
	Score   *int64   `json:"score,omitempty"`
	Message string   `json:"message,omitempty"`
}
