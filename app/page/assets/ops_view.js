// Questions about nodes: what happens if some are drained, which ones are missing, and which could go.
import { Component, h } from "./vendor/preact.js";
import { access, askWith, decisions, ownNamespace } from "./api.js";
import { amountText } from "./amounts.js";
import { Table, Trouble, podLink } from "./parts.js";
import { count } from "./words.js";

// A question needs a pod. This one fits nowhere, so it takes no room from the others.
const NO_POD = { spec: { nodeSelector: { "podium.dev/no-node": "true" }, containers: [{ name: "none", image: "none" }] } };

const amounts = (all = []) =>
  all
    .filter(({ amount }) => amount !== "0")
    .map(({ resource, amount }) => amountText(resource, amount))
    .join(", ");
const nameOf = ({ kind, name }) => (name ? `${kind ? `${kind} ` : ""}${name}` : "other namespaces");

// The namespace of the most of these decisions.
function mostOf(items, otherwise) {
  const numbers = new Map();
  for (const { namespace } of items) numbers.set(namespace, (numbers.get(namespace) ?? 0) + 1);
  return [...numbers].sort((a, b) => b[1] - a[1])[0]?.[0] ?? otherwise;
}

// A form with a namespace, in which the question is asked.
class Asking extends Component {
  constructor() {
    super();
    this.state = { ns: "", answer: null, error: null, isLoading: false };
  }
  async componentDidMount() {
    const ns = await this.usual().catch(() => "default");
    this.setState({ ns }, () => this.isAsked() && this.submit());
  }
  // The namespace with the most pods that the question is about, of those that the user may list.
  async usual() {
    const { user, mayListDecisions } = await access();
    if (!mayListDecisions) return ownNamespace(user);
    const { items } = await decisions("", this.about());
    return mostOf(items.filter((item) => this.isAbout(item)), ownNamespace(user));
  }
  about() {
    return { newest: "true", limit: "500" };
  }
  isAbout() {
    return true;
  }
  componentDidUpdate(before) {
    if (before.node !== this.props.node || before.kind !== this.props.kind) this.setState({ answer: null, error: null }, () => this.isAsked() && this.submit());
  }
  isAsked() {
    return false;
  }
  // A search names the pods of this namespace only.
  namespaceWords() {
    return "Name the pods of";
  }
  async submit(event) {
    event?.preventDefault();
    this.setState({ isLoading: true });
    try {
      this.setState({ answer: await askWith(this.state.ns.trim(), this.spec(), { allNamespaces: "true" }), error: null, isLoading: false });
    } catch (error) {
      this.setState({ answer: null, error, isLoading: false });
    }
  }
  namespace() {
    return h(
      "p",
      null,
      h("label", { for: "asked-namespace" }, this.namespaceWords()),
      h("input", { id: "asked-namespace", required: true, value: this.state.ns, onInput: (event) => this.setState({ ns: event.target.value }) }),
    );
  }
}

const namesOf = (text) => text.split(/[\s,]+/).filter(Boolean);

function Drained({ change, words, ns }) {
  const pods = change.pods ?? [];
  const unseen = (change.podsEvicted ?? 0) - (change.podsTotal ?? 0);
  const { podsEvicted: evicted = 0, podsMoved: moved = 0, podsPending: pending = 0, budgetsBroken = 0 } = change;
  return [
    h(
      "p",
      { class: "verdict", id: "verdict", role: "status" },
      evicted
        ? `${count(evicted, "pod leaves", "pods leave")}: ${pending ? `${moved} get a new place, ${pending} would wait.` : evicted === 1 ? "it gets a new place." : "all get a new place."}`
        : "No pod would have to leave.",
    ),
    budgetsBroken > 0 &&
      h("p", { class: "bad" }, `${count(budgetsBroken, "PodDisruptionBudget does", "PodDisruptionBudgets do")} not allow these evictions now.`),
    change.podsPreempted > 0 && h("p", null, `${count(change.podsPreempted, "pod")} of other nodes ${change.podsPreempted === 1 ? "is" : "are"} evicted to make room for them.`),
    change.spare?.length > 0 && h("p", null, `Free on the other nodes then: ${amounts(change.spare)}.`),
    change.fullest?.length > 0 &&
      h("p", null, `The fullest nodes then: ${change.fullest.map((one) => `${one.nodeName} ${one.resource} ${one.percent}%`).join(", ")}.`),
    pods.length > 0 && [
      h("h2", null, "Pods that leave"),
      h(
        Table,
        { id: "moves", caption: "Pods that leave and their new nodes", columns: ["Pod", "Goes to", "Points", "Nodes that fit", "Against it"], numbers: ["Points", "Nodes that fit"] },
        pods.map(({ namespace = ns, ...pod }, i) =>
          h(
            "tr",
            { key: `${namespace}/${pod.name}` },
            h("th", { scope: "row" }, h("a", { href: podLink(namespace, pod.name) }, `${namespace}/${pod.name}`)),
            h("td", { class: pod.nodeName ? "" : "bad" }, pod.nodeName || words[i]),
            h("td", { class: "number" }, pod.score ?? ""),
            h("td", { class: "number" }, pod.feasible ?? ""),
            h("td", null, [pod.madeRoomFor && `evicted to make room for ${pod.madeRoomFor}`, ...(pod.warnings ?? [])].filter(Boolean).join("; ")),
          ),
        ),
      ),
      change.podsTotal > pods.length && h("p", { class: "note" }, `And ${count(change.podsTotal - pods.length, "more pod")}.`),
    ],
    unseen > 0 && h("p", { class: "note" }, `${count(unseen, "pod")} of namespaces that you may not see ${unseen === 1 ? "is" : "are"} counted and not named.`),
  ];
}

const HOW = [
  ["drain", "drained: pods leave first, budgets count"],
  ["fail", "lost, as if they failed at the same time"],
];

// #/drain/NODE,NODE
export class DrainView extends Asking {
  isAsked() {
    return Boolean(this.props.node);
  }
  namespaceWords() {
    return "Ask in namespace";
  }
  isAbout(item) {
    return namesOf(this.props.node).includes(item.node);
  }
  spec() {
    const nodeNames = namesOf(this.props.node);
    return { template: NO_POD, changes: [{ type: this.state.how === "fail" ? "FailNodes" : "DrainNodes", nodeNames }] };
  }
  form(node, isLoading) {
    const go = (event) => {
      event.preventDefault();
      const there = `#/drain/${encodeURIComponent(namesOf(event.target.elements.nodes.value).join(","))}`;
      if (location.hash === there) this.submit();
      else location.hash = there;
    };
    return h(
      "form",
      { class: "line", onSubmit: go },
      h("p", null, h("label", { for: "nodes" }, "Nodes"), h("input", { id: "nodes", name: "nodes", required: true, value: node, placeholder: "one, or several" })),
      h(
        "p",
        null,
        h("label", { for: "how" }, "What happens to them"),
        h(
          "select",
          { id: "how", value: this.state.how ?? "drain", onInput: (event) => this.setState({ how: event.target.value }) },
          HOW.map(([value, words]) => h("option", { key: value, value }, words)),
        ),
      ),
      this.namespace(),
      h("button", { class: "main", disabled: isLoading }, "Ask podium"),
    );
  }
  render({ node }, { ns, answer, error, isLoading }) {
    const status = answer?.status;
    const at = (status?.changes ?? []).findIndex((one) => one.podsEvicted !== undefined || one.podsMoved !== undefined);
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What if nodes are drained?"),
      this.form(node, isLoading),
      h("p", { class: "note" }, "Nothing is evicted or cordoned."),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error, next: "Names of nodes are divided by commas." }),
      status && at >= 0 && h(Drained, { change: status.changes[at], words: answer.words.changes[at].pods, ns }),
      status && at < 0 && h("p", { class: "verdict", id: "verdict", role: "status" }, status.changes?.[0]?.message ?? status.message),
    );
  }
}

const KINDS = [
  ["missing", "Which are missing?"],
  ["spare", "Which could go?"],
];

function Missing({ found }) {
  const { added = [], unplaced = [], fitNow = 0 } = found;
  const nodes = added.reduce((sum, one) => sum + one.nodes, 0);
  const taken = added.reduce((sum, one) => sum + one.pods, 0);
  const left = unplaced.reduce((sum, one) => sum + one.pods.count, 0);
  const others = [
    [found.gated, "gated"],
    [found.waitForEvictions, "waiting for evictions"],
    [found.otherScheduler, "of other schedulers"],
    [found.notEvaluated, "not evaluated"],
    [found.notTried, "not tried before the deadline"],
  ].filter(([number]) => number > 0);
  return [
    h(
      "p",
      { class: "verdict", id: "verdict", role: "status" },
      nodes
        ? `${count(nodes, "more node")} would take ${count(taken, "pod")} that ${taken === 1 ? "waits" : "wait"}${found.isFewest ? "; fewer are not enough" : ""}.`
        : left
          ? "No node of any shape would help the pods that wait."
          : "No node is missing.",
    ),
    fitNow > 0 && h("p", null, `${count(fitNow, "pod that waits fits", "pods that wait fit")} on the nodes that there are.`),
    added.length > 0 &&
      h(
        Table,
        { id: "added", caption: "Nodes to add, by shape", columns: ["Shape", "Each has", "Nodes", "Pods", "Of", "Left over"], numbers: ["Nodes", "Pods"] },
        added.map((one) =>
          h(
            "tr",
            { key: one.shape },
            h("th", { scope: "row" }, one.like ? `like ${one.like}` : one.shape),
            h("td", null, amounts(one.allocatable)),
            h("td", { class: "number" }, h("b", null, one.nodes)),
            h("td", { class: "number" }, one.pods),
            h("td", null, (one.workloads ?? []).map((each) => `${nameOf(each)} (${each.count})`).join(", ")),
            h("td", null, amounts(one.leftOver)),
          ),
        ),
      ),
    unplaced.length > 0 && [
      h("h2", null, "Without a place on any shape"),
      h(
        Table,
        { id: "unplaced", caption: "Pods that no shape of node can hold", columns: ["Pods", "Of", "Because"], numbers: ["Pods"] },
        unplaced.map(({ pods, reason }) =>
          h(
            "tr",
            { key: `${pods.kind} ${pods.name} ${reason}` },
            h("td", { class: "number" }, pods.count),
            h("th", { scope: "row" }, nameOf(pods)),
            h("td", null, reason),
          ),
        ),
      ),
    ],
    others.length > 0 && h("p", { class: "note" }, `Not asked about: ${others.map(([number, words]) => `${count(number, "pod")} ${words}`).join(", ")}.`),
    !found.isFinished && nodes > 0 && h("p", { class: "note" }, "podium stopped at its deadline: some of these nodes may not be needed."),
  ];
}

function Spare({ found, words, tried, ns }) {
  const { nodes = [], nodesTotal = nodes.length, blocked = [], podsMoved = 0 } = found;
  return [
    h(
      "p",
      { class: "verdict", id: "verdict", role: "status" },
      nodesTotal ? `${nodesTotal} of ${count(tried, "node")} could go: ${count(podsMoved, "pod moves", "pods move")}, nothing waits.` : "No node could go.",
    ),
    nodesTotal > 0 && found.cordonFirst && h("p", null, "Cordon all of them before the first is drained, so that no pod moves twice."),
    nodes.length > 0 &&
      h(
        Table,
        { id: "spare", caption: "Nodes that could go, in this order", columns: ["Node", "Pods that move", `Those of ${ns}`], numbers: ["Pods that move"] },
        nodes.map((one) =>
          h(
            "tr",
            { key: one.nodeName },
            h("th", { scope: "row" }, h("a", { href: `#/drain/${encodeURIComponent(one.nodeName)}` }, one.nodeName)),
            h("td", { class: "number" }, one.podsMoved),
            h("td", null, (one.pods ?? []).map((pod) => `${pod.name} → ${pod.nodeName}`).join(", ")),
          ),
        ),
      ),
    nodesTotal > nodes.length && h("p", { class: "note" }, `And ${count(nodesTotal - nodes.length, "more node")}.`),
    blocked.length > 0 && [
      h("h2", null, "Nodes that stay"),
      h(
        Table,
        { id: "blocked", caption: "Nodes that could not go, by reason", columns: ["Nodes", "What they have", "For instance"], numbers: ["Nodes"] },
        blocked.map((one, i) =>
          h(
            "tr",
            { key: one.code },
            h("td", { class: "number" }, one.nodeCount),
            h("th", { scope: "row" }, words?.[i] ?? one.reason),
            h("td", null, `${(one.examples ?? ["-"])[0]}: ${one.reason}`),
          ),
        ),
      ),
    ],
    !found.isFinished && h("p", { class: "note" }, "podium stopped at its deadline: more nodes may be able to go."),
    found.isFinished && !found.isLargest && h("p", { class: "note" }, "podium did not try every choice of nodes: another one may be larger."),
  ];
}

// #/nodes/missing, #/nodes/spare
export class NodesView extends Asking {
  isAsked() {
    return KINDS.some(([kind]) => kind === this.props.kind);
  }
  about() {
    return this.props.kind === "spare" ? super.about() : { waiting: "true", limit: "500" };
  }
  spec() {
    return { search: this.props.kind === "spare" ? { couldGo: {} } : { forPending: {} } };
  }
  render({ kind }, { ns, answer, error, isLoading }) {
    const status = answer?.status;
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which nodes are missing, or could go?"),
      h(
        "nav",
        { class: "resources", "aria-label": "Questions about nodes" },
        KINDS.map(([name, words]) => h("a", { key: name, href: `#/nodes/${name}`, "aria-current": name === kind ? "true" : undefined }, words)),
      ),
      this.isAsked() &&
        h("form", { class: "line", onSubmit: (event) => this.submit(event) }, this.namespace(), h("button", { disabled: isLoading }, "Ask again")),
      !this.isAsked() &&
        h("p", null, "podium places all pods on a copy of the cluster, with nodes more or fewer. Nothing is created or changed."),
      isLoading && h("p", { role: "status" }, "Asking podium … this may take some seconds."),
      h(Trouble, { error }),
      status?.nodesWanted && h(Missing, { found: status.nodesWanted }),
      status?.nodesSpare && h(Spare, { found: status.nodesSpare, words: answer.words?.blocked, tried: status.replicas?.asked ?? 0, ns }),
      status && !status.nodesWanted && !status.nodesSpare && h("p", { class: "verdict", id: "verdict", role: "status" }, status.message ?? status.outcome),
    );
  }
}
