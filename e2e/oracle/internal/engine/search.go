package engine

import (
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// percentages returns the shares of nodes that profiles want to score. After defaulting, an unset percentage
// looks like the adaptive rule; both count as all nodes.
func percentages(cfg *config.KubeSchedulerConfiguration) map[string]int32 {
	shares := map[string]int32{}
	for _, profile := range cfg.Profiles {
		share := cfg.PercentageOfNodesToScore
		if profile.PercentageOfNodesToScore != nil {
			share = profile.PercentageOfNodesToScore
		}
		if share != nil && *share < 100 {
			shares[profile.SchedulerName] = *share
		}
	}
	return shares
}

// nodesToFind mirrors Scheduler.numFeasibleNodesToFind and what
// findNodesThatPassFilters adds to it.
func (a *attempt) nodesToFind(nodes int) int {
	const least = 100 // minFeasibleNodesToFind
	if !a.fw.HasScorePlugins() {
		return min(nodes, 1)
	}
	if nodes < least {
		return nodes
	}
	return max(least, nodes*int(a.percentage)/100)
}

// cut ends the search where findNodesThatPassFilters ends it if it has one
// worker and starts at the first node: at the first one that fits and is not
// wanted any more. The nominated node has been tried before.
func (a *attempt) cut(nodes []fwk.NodeInfo, statuses []*fwk.Status) ([]fwk.NodeInfo, []*fwk.Status) {
	wanted := a.nodesToFind(len(nodes))
	a.left = sets.New[string]()
	var tried []fwk.NodeInfo
	var said []*fwk.Status
	found := 0
	for i, status := range statuses {
		if status.IsSuccess() {
			found++
		}
		name := nodes[i].Node().Name
		if found > wanted && (name != a.pod.Status.NominatedNodeName || status.Code() == fwk.Error) {
			a.left.Insert(name)
			continue
		}
		tried = append(tried, nodes[i])
		said = append(said, status)
	}
	return tried, said
}
