// Questions about nodes: which are missing for the pods that wait, and which could go.
import { h } from "./vendor/preact.js";
import { askWith } from "./api.js";
import { amountText } from "./amounts.js";
import { Asking } from "./asking.js";
import { Table, Trouble } from "./parts.js";
import { go, linkTo } from "./place.js";
import { count } from "./words.js";

const amounts = (all = []) =>
  all
    .filter(({ amount }) => amount !== "0")
    .map(({ resource, amount }) => amountText(resource, amount))
    .join(", ");
const nameOf = ({ kind, name }) => (name ? `${kind ? `${kind} ` : ""}${name}` : "other namespaces");

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
            h("th", { scope: "row" }, h("a", { href: linkTo("drain", [one.nodeName]) }, one.nodeName)),
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

// #/nodes/missing?ns=NS, #/nodes/spare?ns=NS
export class NodesView extends Asking {
  isAsked() {
    return KINDS.some(([kind]) => kind === this.props.kind);
  }
  place({ kind, query }) {
    return [kind, query.ns];
  }
  about() {
    return this.props.kind === "spare" ? super.about() : { waiting: "true", limit: "500" };
  }
  ask(ns) {
    return askWith(ns, { search: this.props.kind === "spare" ? { couldGo: {} } : { forPending: {} } });
  }
  render({ kind }, { ns, answer, error, isLoading }) {
    const status = answer?.status;
    const again = (event) => {
      event.preventDefault();
      if (!go(linkTo("nodes", [kind], { ns: ns.trim() === this.usualNs ? "" : ns.trim() }))) this.submit();
    };
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which nodes are missing, or could go?"),
      h(
        "nav",
        { class: "resources", "aria-label": "Questions about nodes" },
        KINDS.map(([name, words]) => h("a", { key: name, href: linkTo("nodes", [name], { ns: this.props.query.ns }), "aria-current": name === kind ? "true" : undefined }, words)),
      ),
      this.isAsked() && h("form", { class: "line", onSubmit: again }, this.namespace("Name the pods of"), h("button", { disabled: isLoading }, "Ask again")),
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
