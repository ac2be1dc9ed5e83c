// Compares two answers to one question: where its pods go with the profile's weights, and with others.
import { h } from "./vendor/preact.js";
import { Table } from "./parts.js";
import { weightsLink } from "./weights_view.js";
import { count, strategyWords } from "./words.js";

const numbersOf = (status) => new Map((status.placements ?? []).map((one) => [one.nodeName, one.count]));
const fittingOf = (status) => status.replicas?.fitting ?? (status.outcome === "Fits" ? 1 : 0);

// The nodes whose number of pods changes: { rows, moved, isCut, fitting }. A pod that leaves a node moves or is lost.
export function movesOf(before, after) {
  const [was, is] = [before, after].map((status) => {
    const numbers = numbersOf(status);
    if (!numbers.size && status.choice && status.outcome === "Fits") numbers.set(status.choice.nodeName, 1);
    return numbers;
  });
  const rows = [...new Set([...was.keys(), ...is.keys()])]
    .map((node) => ({ node, was: was.get(node) ?? 0, is: is.get(node) ?? 0 }))
    .filter((row) => row.was !== row.is)
    .sort((a, b) => Math.abs(b.is - b.was) - Math.abs(a.is - a.was) || (a.node < b.node ? -1 : 1));
  const isCut = [before, after].some((status) => (status.placementsTotal ?? 0) > (status.placements ?? []).length);
  const moved = rows.reduce((sum, row) => sum + Math.max(0, row.was - row.is), 0);
  return { rows, moved, isCut, fitting: [fittingOf(before), fittingOf(after)] };
}

// `pod`: the name of the only pod that was asked about; may be empty.
function comparedWords({ rows, moved, isCut, fitting: [was] }, pod) {
  const one = pod || "the pod";
  if (!moved) return was === 1 ? `${one} stays where the profile’s weights place it.` : `all ${was} pods stay where the profile’s weights place them.`;
  const [from, to] = [rows.find((row) => row.was > row.is)?.node, rows.find((row) => row.is > row.was)?.node];
  if (was === 1) return from && to ? `${one} goes to ${to} instead of ${from}.` : `${one} goes elsewhere than with the profile’s weights.`;
  return `${isCut ? "at least " : ""}${moved} of ${was} pods go elsewhere than with the profile’s weights.`;
}

export function Compared({ before, after, weights = {}, pod = "", ns = "" }) {
  if (!before) return null;
  const moves = movesOf(before, after);
  const { rows, isCut, fitting } = moves;
  const [was, is] = fitting;
  const named = Object.entries(weights).map(([name, weight]) => `${strategyWords(name)} ${weight}`);
  return h(
    "section",
    { "aria-labelledby": "compared-title" },
    h("h3", { id: "compared-title" }, "Next to the profile’s weights"),
    h("p", { id: "compared", role: "status" }, `With ${named.join(", ")}: ${comparedWords(moves, pod)}`, was !== is && ` ${is} fit instead of ${was}.`),
    rows.length > 0 &&
      h(
        Table,
        { id: "compared-nodes", caption: "Nodes that take more or fewer of the pods", columns: ["Node", "Profile’s weights", "These weights", "Change"], numbers: ["Profile’s weights", "These weights", "Change"] },
        rows.map(({ node, was: before, is: after }) =>
          h(
            "tr",
            { key: node },
            h("th", { scope: "row" }, node),
            h("td", { class: "number" }, before),
            h("td", { class: "number" }, after),
            h("td", { class: `number ${after > before ? "up" : "down"}` }, `${after > before ? "+" : "−"}${Math.abs(after - before)}`),
          ),
        ),
      ),
    isCut && h("p", { class: "note" }, `Only the nodes with the most replicas are listed. ${count(rows.length, "node")} of them change.`),
    h("p", null, h("a", { id: "ask-all", href: weightsLink(weights, ns) }, "Which pods of the cluster would these weights move?")),
  );
}
