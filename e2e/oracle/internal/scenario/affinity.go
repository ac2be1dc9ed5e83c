package scenario

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// nodeRequirement returns a requirement on the labels of nodes.
func (g *generator) nodeRequirement(r random) v1.NodeSelectorRequirement {
	in := func(key string, values []string) v1.NodeSelectorRequirement {
		req := v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpIn, Values: some(r, r.between(1, 2), values)}
		if r.chance(0.3) {
			req.Operator = v1.NodeSelectorOpNotIn
		}
		return req
	}
	switch r.IntN(7) {
	case 0:
		return in(labelDisk, diskTypes)
	case 1:
		return in(zoneLabel, g.zones)
	case 2:
		return in(labelPool, pools)
	case 3:
		return v1.NodeSelectorRequirement{Key: labelCPU, Operator: v1.NodeSelectorOpGt, Values: []string{one(r, "0", "1", "2", "7")}}
	case 4:
		return v1.NodeSelectorRequirement{Key: labelCPU, Operator: v1.NodeSelectorOpLt, Values: []string{one(r, "4", "6", "11")}}
	case 5:
		return v1.NodeSelectorRequirement{Key: one(r, labelRack, labelPool, "no-such-label"), Operator: v1.NodeSelectorOpDoesNotExist}
	default:
		return v1.NodeSelectorRequirement{Key: one(r, labelRack, labelDisk, zoneLabel), Operator: v1.NodeSelectorOpExists}
	}
}

func (g *generator) nodeTerm(r random) v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range weighted(r, choice[int]{6, 1}, choice[int]{3, 2}, choice[int]{1, 0}) {
		term.MatchExpressions = append(term.MatchExpressions, g.nodeRequirement(r))
	}
	if r.chance(0.12) {
		term.MatchFields = append(term.MatchFields, v1.NodeSelectorRequirement{
			Key: metav1.ObjectNameField, Operator: one(r, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn),
			Values: []string{g.randomNodeName(r)},
		})
	}
	return term
}

func (g *generator) setNodeAffinity(pod *v1.Pod) {
	r := g.rand(NodeAffinity, "pod", pod.Name)
	if r.chance(0.2) {
		pod.Spec.NodeSelector = map[string]string{labelDisk: one(r, diskTypes...)}
		if r.chance(0.2) {
			pod.Spec.NodeSelector[zoneLabel] = one(r, g.zones...)
		}
	}
	affinity := &v1.NodeAffinity{}
	if r.chance(0.4) {
		required := &v1.NodeSelector{}
		for range r.between(1, 3) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, g.nodeTerm(r))
		}
		if r.chance(0.12) {
			required.NodeSelectorTerms = g.fixedNodeTerms(r)
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	if r.chance(0.7) {
		for range r.between(1, 4) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: int32(one(r, 1, 2, 5, 10, 33, 50, 100)), Preference: g.nodeTerm(r)})
		}
		if r.chance(0.05) { // the API server lets it in, and PreScore fails
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: 1, Preference: unparsableTerm(r)})
		}
	}
	if affinity.RequiredDuringSchedulingIgnoredDuringExecution != nil || affinity.PreferredDuringSchedulingIgnoredDuringExecution != nil {
		ensureAffinity(pod).NodeAffinity = affinity
	}
}

// unparsableTerm returns a term with values that are no numbers or no label
// values.
func unparsableTerm(r random) v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range r.between(1, 2) {
		term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{
			Key:      one(r, labelRack, "example.com/cores"),
			Operator: one(r, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt),
			Values:   []string{one(r, "few", "", "1.5", "9223372036854775808", "a b", "-1-")},
		})
	}
	if r.chance(0.3) {
		term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{
			Key: labelRack, Operator: v1.NodeSelectorOpNotIn, Values: []string{"fine", strings.Repeat("no/", r.between(1, 30))}})
	}
	return term
}

// fixedNodeTerms returns terms that all name a node, which makes NodeAffinity
// narrow down the nodes before filtering.
func (g *generator) fixedNodeTerms(r random) []v1.NodeSelectorTerm {
	name := func() v1.NodeSelectorRequirement {
		node := noNode
		if r.chance(0.85) {
			node = g.randomNodeName(r)
		}
		return v1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}
	}
	if r.chance(0.2) { // two different names contradict each other
		return []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{name(), name()}}}
	}
	var terms []v1.NodeSelectorTerm
	for range r.between(1, 4) {
		terms = append(terms, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{name()}})
	}
	return terms
}

func ensureAffinity(pod *v1.Pod) *v1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	return pod.Spec.Affinity
}

// podSelector returns a selector for pods, which may be nil.
func podSelector(r random, pod *v1.Pod) *metav1.LabelSelector {
	labels := func(kv ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{kv[0]: kv[1]}}
	}
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	switch n := r.IntN(100); {
	case n < 35:
		return labels("app", one(r, apps...))
	case n < 55:
		if app := pod.Labels["app"]; app != "" {
			return labels("app", app)
		}
		return labels("tier", one(r, tiers...))
	case n < 70:
		return expression("app", metav1.LabelSelectorOpIn, some(r, 2, apps)...)
	case n < 78:
		return expression("tier", metav1.LabelSelectorOpExists)
	case n < 84:
		return expression("team", metav1.LabelSelectorOpDoesNotExist)
	case n < 92:
		return expression("version", metav1.LabelSelectorOpNotIn, "v1")
	case n < 96:
		return &metav1.LabelSelector{} // selects everything
	default:
		return nil // selects nothing
	}
}

// affinityTerm returns a term for inter-pod (anti-)affinity.
func (g *generator) affinityTerm(r random, pod *v1.Pod, keys ...string) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: one(r, keys...), LabelSelector: podSelector(r, pod)}
	envIs := func(env string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"env": env}}
	}
	team := func(op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: op, Values: values}}}
	}
	switch n := r.IntN(100); {
	case n < 55: // the namespace of the pod
	case n < 72:
		term.Namespaces = []string{g.randomNamespace(r)}
		if other := g.randomNamespace(r); other != term.Namespaces[0] {
			term.Namespaces = append(term.Namespaces, other)
		}
	case n < 80:
		term.NamespaceSelector = &metav1.LabelSelector{} // all namespaces
	case n < 88:
		term.NamespaceSelector = envIs(one(r, "prod", "dev"))
	case n < 91:
		term.NamespaceSelector = team(metav1.LabelSelectorOpIn, "a", "b")
	case n < 94:
		term.NamespaceSelector = team(metav1.LabelSelectorOpNotIn, "a")
	case n < 97:
		term.NamespaceSelector = team(metav1.LabelSelectorOpDoesNotExist)
	default:
		term.NamespaceSelector = envIs("prod")
		term.Namespaces = []string{"infra"}
	}
	if term.LabelSelector != nil {
		if r.chance(0.12) && !mentions(term.LabelSelector, "version") {
			term.MatchLabelKeys = []string{"version"}
		}
		if r.chance(0.08) && !mentions(term.LabelSelector, "team") {
			term.MismatchLabelKeys = []string{"team"}
		}
	}
	return term
}

func mentions(selector *metav1.LabelSelector, key string) bool {
	_, ok := selector.MatchLabels[key]
	return ok || slices.ContainsFunc(selector.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool { return e.Key == key })
}

// setPodAffinity gives the pod inter-pod affinity. The required terms of placed
// pods do not matter for them any more, but for pods to come.
func (g *generator) setPodAffinity(pod *v1.Pod, pending bool) {
	r := g.rand(PodAffinity, "pod", pod.Name)
	anyKey := []string{hostnameLabel, zoneLabel, regionLabel, labelRack}
	weightedTerms := func(n int) (terms []v1.WeightedPodAffinityTerm) {
		for range n {
			terms = append(terms, v1.WeightedPodAffinityTerm{
				Weight:          int32(one(r, 1, 3, 10, 50, 100)),
				PodAffinityTerm: g.affinityTerm(r, pod, anyKey...),
			})
		}
		return terms
	}
	affinity, anti := &v1.PodAffinity{}, &v1.PodAntiAffinity{}
	if r.chance(0.3) {
		for range weighted(r, choice[int]{4, 1}, choice[int]{1, 2}) {
			affinity.RequiredDuringSchedulingIgnoredDuringExecution = append(affinity.RequiredDuringSchedulingIgnoredDuringExecution,
				g.affinityTerm(r, pod, zoneLabel, zoneLabel, regionLabel, labelRack, hostnameLabel))
		}
	}
	if r.chance(0.3) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = weightedTerms(r.between(1, 3))
	}
	if r.chance(0.3) {
		anti.RequiredDuringSchedulingIgnoredDuringExecution = append(anti.RequiredDuringSchedulingIgnoredDuringExecution,
			g.affinityTerm(r, pod, hostnameLabel, hostnameLabel, hostnameLabel, labelRack))
		if pending && r.chance(0.1) {
			anti.RequiredDuringSchedulingIgnoredDuringExecution = append(anti.RequiredDuringSchedulingIgnoredDuringExecution,
				g.affinityTerm(r, pod, zoneLabel, labelRack))
		}
	}
	if r.chance(0.3) {
		anti.PreferredDuringSchedulingIgnoredDuringExecution = weightedTerms(r.between(1, 2))
	}
	if len(affinity.RequiredDuringSchedulingIgnoredDuringExecution)+len(affinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		ensureAffinity(pod).PodAffinity = affinity
	}
	if len(anti.RequiredDuringSchedulingIgnoredDuringExecution)+len(anti.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		ensureAffinity(pod).PodAntiAffinity = anti
	}
}

func (g *generator) setSpread(pod *v1.Pod) {
	r := g.rand(Spread, "pod", pod.Name)
	used := map[string]bool{}
	for range weighted(r, choice[int]{5, 1}, choice[int]{3, 2}, choice[int]{1, 3}) {
		c := v1.TopologySpreadConstraint{
			MaxSkew:           int32(one(r, 1, 1, 2, 3, 5)),
			TopologyKey:       one(r, zoneLabel, zoneLabel, hostnameLabel, labelRack, regionLabel),
			WhenUnsatisfiable: one(r, v1.DoNotSchedule, v1.ScheduleAnyway, v1.ScheduleAnyway),
			LabelSelector:     podSelector(r, pod),
		}
		key := c.TopologyKey + string(c.WhenUnsatisfiable)
		if used[key] {
			continue
		}
		used[key] = true
		if c.WhenUnsatisfiable == v1.DoNotSchedule && r.chance(0.3) {
			c.MinDomains = ptr.To(int32(r.between(1, 5)))
		}
		if r.chance(0.3) {
			c.NodeAffinityPolicy = ptr.To(one(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if r.chance(0.3) {
			c.NodeTaintsPolicy = ptr.To(one(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if c.LabelSelector != nil && !mentions(c.LabelSelector, "version") && r.chance(0.2) {
			c.MatchLabelKeys = []string{"version"}
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, c)
	}
}
