// Questions about nodes: which are missing for the pods that wait, and which can be removed.
import { h } from "./vendor/preact.js";
import { ask, askWith } from "./api.js";
import { amountText } from "./amounts.js";
import { Asking } from "./asking.js";
import { fill, Lines, Table, Trouble, Verdict } from "./parts.js";
import { go, linkTo } from "./place.js";

const amounts = (all = []) =>
  all
    .filter(({ amount }) => amount !== "0")
    .map(({ resource, amount }) => amountText(resource, amount))
    .join(", ");
const nameOf = ({ namespace, kind, name }, ns) => (name ? `${kind ? `${kind} ` : ""}${namespace ?? ns}/${name}` : "other namespaces");

const EXAMPLE = `- name: m.16x64
  allocatable: {cpu: 16, memory: 64Gi, pods: 110}
  price: 0.8`;

// The question with shapes as they are typed, so that podium reports the lines of their faults.
const withShapes = (shapes) => `apiVersion: podium.dev/v1alpha1
kind: SchedulingReport
spec:
  dryRun: true
  search:
    forPending:
      shapes:
${shapes.replace(/^/gm, "        ")}
`;

const KINDS = [
  ["missing", "Which are missing?"],
  ["spare", "Which can be removed?"],
];

function Missing({ found, words, ns }) {
  const { added = [], unplaced = [] } = found;
  return [
    h(Verdict, { words: words.nodes.verdict }),
    added.length > 0 &&
      h(
        Table,
        { id: "added", caption: "Nodes to add, by shape", columns: ["Shape", "Each has", "Nodes", "Pods", "Of", "Left over"], numbers: ["Nodes", "Pods"] },
        added.map((one) =>
          h(
            "tr",
            { key: one.shape },
            h("th", { scope: "row" }, one.shape),
            h("td", null, amounts(one.allocatable)),
            h("td", { class: "number" }, h("b", null, one.nodes)),
            h("td", { class: "number" }, one.pods),
            h("td", null, (one.workloads ?? []).map((each) => `${nameOf(each, ns)} (${each.count})`).join(", ")),
            h("td", null, amounts(one.leftOver)),
          ),
        ),
      ),
    found.addedTotal > added.length && h("p", null, `Nodes of ${found.addedTotal - added.length} more shapes are not listed.`),
    unplaced.length > 0 && [
      h("h2", null, "Pods that fit on no shape"),
      h(
        Table,
        { id: "unplaced", caption: "Pods that no shape of node can hold", columns: ["Pods", "Of", "Because"], numbers: ["Pods"] },
        unplaced.map(({ pods, reason }) =>
          h(
            "tr",
            { key: `${pods.namespace} ${pods.kind} ${pods.name} ${reason}` },
            h("td", { class: "number" }, pods.count),
            h("th", { scope: "row" }, nameOf(pods, ns)),
            h("td", null, reason),
          ),
        ),
      ),
    ],
    h(Lines, { id: "notes", of: words.nodes.notes }),
  ];
}

function Spare({ found, words, ns }) {
  const { nodes = [], blocked = [] } = found;
  return [
    h(Verdict, { words: words.nodes.verdict }),
    h(Lines, { id: "notes", of: words.nodes.notes }),
    nodes.length > 0 &&
      h(
        Table,
        { id: "spare", caption: "Nodes that can be removed, in this order", columns: ["Node", "Pods that move", `Those of ${ns}`], numbers: ["Pods that move"] },
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
    blocked.length > 0 && [
      h("h2", null, "Nodes that stay"),
      h(
        Table,
        { id: "blocked", caption: "Nodes that cannot be removed, by reason", columns: ["Nodes", "Why they stay", "For instance"], numbers: ["Nodes"] },
        blocked.map((one, i) =>
          h(
            "tr",
            { key: one.code },
            h("td", { class: "number" }, one.nodeCount),
            h("th", { scope: "row" }, words.blocked[i]),
            h("td", null, `${(one.examples ?? ["-"])[0]}: ${one.reason}`),
          ),
        ),
      ),
    ],
  ];
}

// #/nodes/missing?ns=NS&shapes=YAML, #/nodes/spare?ns=NS
export class NodesView extends Asking {
  isAsked() {
    return KINDS.some(([kind]) => kind === this.props.kind);
  }
  place({ kind, query }) {
    return [kind, query.ns, query.shapes];
  }
  componentDidUpdate(before) {
    super.componentDidUpdate(before);
    if (before.query.shapes !== this.props.query.shapes) fill(this.formElement, { shapes: this.props.query.shapes });
  }
  about() {
    return this.props.kind === "spare" ? super.about() : { waiting: "true", limit: "500" };
  }
  ask(ns) {
    const { kind, query } = this.props;
    const all = { allNamespaces: "true" };
    if (kind === "spare") return askWith(ns, { search: { couldGo: {} } }, all);
    return query.shapes ? ask(ns, withShapes(query.shapes), all) : askWith(ns, { search: { forPending: {} } }, all);
  }
  render({ kind, query }, { ns, answeredIn, answer, error, isLoading }) {
    const status = answer?.status;
    const again = (event) => {
      event.preventDefault();
      const shapes = event.target.elements.shapes?.value.trimEnd() ?? "";
      if (!go(linkTo("nodes", [kind], { ns: ns.trim() === this.usualNs ? "" : ns.trim(), shapes }))) this.submit();
    };
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which nodes are missing, or can be removed?"),
      h(
        "nav",
        { class: "resources", "aria-label": "Questions about nodes" },
        KINDS.map(([name, words]) => h("a", { key: name, href: linkTo("nodes", [name], { ns: this.props.query.ns }), "aria-current": name === kind ? "true" : undefined }, words)),
      ),
      this.isAsked() &&
        h(
          "form",
          { key: kind, class: "ask", onSubmit: again, ref: (form) => (this.formElement = form) },
          kind === "missing" && [
            h("label", { for: "shapes" }, "Shapes of nodes that you can add, as YAML; if empty, podium uses those of the cluster"),
            h("textarea", { id: "shapes", name: "shapes", rows: 4, spellcheck: false, placeholder: EXAMPLE, defaultValue: query.shapes }),
          ],
          h("div", { class: "line" }, this.namespace("Name the pods of"), h("button", { disabled: isLoading }, "Ask again")),
        ),
      !this.isAsked() &&
        h("p", null, "podium places all pods on a copy of the cluster, with more or fewer nodes. Nothing is created or changed."),
      isLoading && h("p", { role: "status" }, "Asking podium … this may take some seconds."),
      h(Trouble, { error }),
      status?.nodesWanted && h(Missing, { found: status.nodesWanted, words: answer.words, ns: answeredIn }),
      status?.nodesSpare && h(Spare, { found: status.nodesSpare, words: answer.words, ns: answeredIn }),
      status && !status.nodesWanted && !status.nodesSpare && h(Verdict, { words: status.message ?? status.outcome }),
    );
  }
}
