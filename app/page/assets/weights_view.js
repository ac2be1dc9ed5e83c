// Which pods of the cluster other weights would place elsewhere.
import { h } from "./vendor/preact.js";
import { askWith } from "./api.js";
import { Asking } from "./asking.js";
import { Table, Trouble, podLink } from "./parts.js";
import { go, linkTo, weightsIn, weightsText } from "./place.js";
import { count, strategyWords } from "./words.js";

// #/weights?weights=NAME:N&ns=NS
export const weightsLink = (weights, ns) => linkTo("weights", [], { weights: weightsText(weights), ns });

const strategiesOf = (text) => Object.entries(weightsIn(text)).map(([name, weight]) => ({ name, weight }));

function Elsewhere({ found, ns }) {
  const { elsewhere = [], elsewhereTotal = 0, podsMoved, podsLost, podsGained } = found;
  const all = podsMoved + podsLost + podsGained;
  if (!all) return null;
  return [
    elsewhere.length > 0 &&
      h(
        Table,
        { id: "elsewhere", caption: "Pods that these weights would place elsewhere", columns: ["Pod", "Profile’s weights", "These weights", "Because"] },
        elsewhere.map(({ namespace = ns, name, nodeBefore, nodeName, reason }) =>
          h(
            "tr",
            { key: `${namespace}/${name}` },
            h("th", { scope: "row" }, h("a", { href: podLink(namespace, name) }, `${namespace}/${name}`)),
            h("td", null, nodeBefore ?? "no place"),
            h("td", null, nodeName ?? "no place"),
            h("td", null, reason),
          ),
        ),
      ),
    elsewhereTotal > elsewhere.length && h("p", { class: "note" }, `And ${count(elsewhereTotal - elsewhere.length, "more pod")}, not listed.`),
    all > elsewhereTotal && h("p", { class: "note" }, `${count(all - elsewhereTotal, "pod")} of namespaces whose pods you may not list: counted, not named.`),
  ];
}

export class WeightsView extends Asking {
  isAsked() {
    return strategiesOf(this.props.query.weights).length > 0;
  }
  place({ query }) {
    return [query.ns, query.weights];
  }
  ask(ns) {
    return askWith(ns, { search: { compareWeights: { strategies: strategiesOf(this.props.query.weights) } } }, { allNamespaces: "true" });
  }
  render({ query }, { ns, answeredIn, answer, error, isLoading }) {
    const found = answer?.status.weightsCompared;
    const again = (event) => {
      event.preventDefault();
      const weights = event.target.elements.weights.value.trim();
      if (!go(linkTo("weights", [], { weights, ns: ns.trim() === this.usualNs ? "" : ns.trim() }))) this.submit();
    };
    const named = strategiesOf(query.weights).map(({ name, weight }) => `${strategyWords(name)} ${weight}`);
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which pods would other weights move?"),
      h(
        "form",
        { key: query.weights, class: "line", onSubmit: again },
        h("p", null, h("label", { for: "weights" }, "Weights"), h("input", { id: "weights", name: "weights", required: true, defaultValue: query.weights, placeholder: "NodeResourcesFit:5,ImageLocality:0" })),
        this.namespace("Ask in"),
        h("button", { disabled: isLoading }, "Ask podium"),
      ),
      h("p", { class: "note" }, "podium places all pods again on a copy of the cluster without them, once with the current weights and once with the new ones. Running pods stay where they are; new ones follow the weights."),
      isLoading && h("p", { role: "status" }, "Asking podium … this may take some seconds."),
      h(Trouble, { error }),
      answer && h("p", { class: "verdict", id: "verdict", role: "status" }, found ? `With ${named.join(", ")}: ${answer.status.message}.` : (answer.status.message ?? answer.status.outcome)),
      found && [
        h("p", { id: "in-use" }, `The pods are on ${count(found.nodes, "node")}, and with the profile’s weights on ${found.nodesBefore}.`, found.podsStaying > 0 && ` ${count(found.podsStaying, "pod stays", "pods stay")}: of DaemonSets, static, terminating, or of other schedulers.`),
        h(Elsewhere, { found, ns: answeredIn }),
      ],
    );
  }
}
