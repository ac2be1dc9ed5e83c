// Pieces that several views show.
import { Component, h } from "./vendor/preact.js";
import { count, time } from "./words.js";

const MARKS = { bad: ["✗", "rejects: "], good: ["✓", "passes: "] };

// Each cell knows its column, and its role: on a narrow screen a row is a list, which would lose both.
const cells = (row, columns) =>
  h(
    "tr",
    { ...row.props, key: row.key, role: "row" },
    [row.props.children]
      .flat(2)
      .filter(Boolean)
      .map((cell, i) => h(cell.type, { ...cell.props, key: i, role: cell.type === "th" ? "rowheader" : "cell", "data-column": columns[i] })),
  );

// A table with a head; `numbers` are the columns of numbers.
export function Table({ id, caption, columns, numbers = [], children }) {
  const head = (text) => h("th", { key: text, scope: "col", role: "columnheader", class: numbers.includes(text) ? "number" : "" }, text);
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { id, class: "rows", role: "table" },
      h("caption", { class: "unseen" }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map(head))),
      h("tbody", { role: "rowgroup" }, [children].flat().map((row) => cells(row, columns))),
    ),
  );
}

// Shows these values in the fields of a form, which keeps what is typed until the address changes.
export function fill(form, values) {
  for (const [name, value] of Object.entries(values)) if (form?.elements[name]) form.elements[name].value = value ?? "";
}

export const namesOf = (text) => text.split(/[\s,]+/).filter(Boolean);

export const podLink = (ns, pod) => `#/pod/${encodeURIComponent(ns)}/${encodeURIComponent(pod)}`;

// A refusal: the server's message, and a remedy.
export function Trouble({ error, next }) {
  if (!error) return null;
  const hint =
    error.status === 401
      ? error.hasToken
        ? "The token is not valid here, or has expired. Paste another one."
        : "Paste a token above: podium asks the API server who you are."
      : error.status === 403
        ? "The API server refused it: podium shows only what you may read there. Ask for the right, or for another namespace."
        : next;
  return h(
    "div",
    { class: "trouble", role: "alert" },
    h(
      "p",
      null,
      h("b", null, error.status === 403 ? "You may not see this." : error.status === 401 ? "Who are you?" : "No answer."),
    ),
    h("p", { class: "words" }, error.message),
    hint && h("p", null, hint),
  );
}

// What each filter says about a node that the question names: the rejections first. `words` are podium's.
export function NodeVerdict({ verdict, words }) {
  const line = (kind) => (text) => {
    const [mark, unseen] = MARKS[kind];
    return h("li", { key: text }, h("b", { class: kind, "aria-hidden": "true" }, mark), h("span", { class: "unseen" }, unseen), ` ${text}`);
  };
  return h(
    "section",
    { class: "node-verdict", "aria-label": `The node ${verdict.nodeName}` },
    h("h3", null, words.title),
    h("ul", { class: "checks" }, words.rejects.map(line("bad")), words.passes.map(line("good"))),
    h(Lines, { of: words.notes }),
  );
}

// A pod that fits may be asked about on another node.
function fixesTitle({ outcome, replicas, fixes }) {
  if (outcome === "Fits" && fixes[0].nodeName) return `It would fit on ${fixes[0].nodeName} if you`;
  return replicas?.asked > 1 ? "More would fit if you" : "It would fit if you";
}

// The changes that podium tried and that help; or that none does.
export function Fixes({ status, words }) {
  return [
    status.fixes?.length > 0 && [
      h("h3", null, fixesTitle(status)),
      h(
        "ul",
        { id: "fixes-found" },
        words.fixes.map(({ what, outcome, snippet }) => h("li", { key: what }, what, outcome, snippet && h("pre", null, snippet))),
      ),
    ],
    h(Lines, { of: words.noFix }),
  ];
}

// `words`: those of the rejections. `linkOf`: the address of a node's verdict; may be empty.
export function Rejections({ status, words = [], linkOf }) {
  const groups = status.rejections ?? [];
  if (!groups.length) return null;
  const isShort = words.some((one) => one.missing);
  const shown = groups.reduce((sum, one) => sum + one.nodeCount, 0);
  return h(
    "section",
    { "aria-labelledby": "rejected-nodes" },
    h("h2", { id: "rejected-nodes" }, "Rejected nodes"),
    h(
      Table,
      {
        id: "rejections",
        caption: "Groups of rejected nodes",
        columns: ["Nodes", "Reason", ...(isShort ? ["Missing"] : []), "For instance"],
        numbers: ["Nodes"],
      },
      groups.map((one, i) =>
        h(
          "tr",
          { key: `${one.plugin} ${one.code} ${one.reason}` },
          h("td", { class: "number" }, one.nodeCount),
          h("th", { scope: "row", title: one.reason }, words[i]?.reason),
          isShort && h("td", null, words[i]?.missing),
          h("td", null, (one.examples ?? []).map((node, j) => [j > 0 && ", ", linkOf ? h("a", { href: linkOf(node) }, node) : node])),
        ),
      ),
    ),
    status.rejectionsTotal > groups.length &&
      h("p", { class: "note" }, `${count(shown, "node")} in the ${groups.length} largest of ${status.rejectionsTotal} groups.`),
  );
}

// The devices that the pod's claims get.
export function Devices({ status }) {
  const devices = status.devices ?? [];
  if (!devices.length) return null;
  const cut = (status.devicesTotal ?? devices.length) - devices.length;
  return h(
    "section",
    { "aria-labelledby": "devices-title" },
    h("h2", { id: "devices-title" }, "Devices"),
    h(
      "ul",
      { id: "devices" },
      devices.map((one) =>
        h(
          "li",
          { key: `${one.claimName} ${one.request} ${one.pool} ${one.device}` },
          `${one.request}: ${one.pool}/${one.device} of ${one.driver}, claim ${one.claimName}`,
        ),
      ),
    ),
    cut > 0 && h("p", { class: "note" }, `And ${cut} more.`),
  );
}

export const Verdict = ({ words }) => h("p", { class: "verdict", id: "verdict", role: "status" }, words);

// Lines of podium's words; nothing if there are none.
export const Lines = ({ id, of = [] }) => of.length > 0 && h("ul", { id, class: "names said" }, of.map((words) => h("li", { key: words }, words)));

// The replicas by zone, next to the current pods. Omitted for one zone.
export function Zones({ status }) {
  const zones = [...(status.zones ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const cut = (status.zonesTotal ?? zones.length) - zones.length;
  if (zones.length + cut < 2 || !zones.some((one) => one.count > 0)) return null;
  const hasNow = zones.some((one) => one.now > 0);
  const columns = ["Zone", ...(hasNow ? ["Now", "Then"] : ["Pods"])];
  return h(
    "section",
    { "aria-labelledby": "zones-title" },
    h("h2", { id: "zones-title" }, "By zone"),
    h(
      Table,
      { id: "zones", caption: "Zones and how many pods they take", columns, numbers: columns.slice(1) },
      zones.map((one) =>
        h(
          "tr",
          { key: one.name },
          h("th", { scope: "row" }, one.name),
          hasNow && h("td", { class: "number" }, one.now ?? 0),
          h("td", { class: "number" }, one.count),
        ),
      ),
    ),
    cut > 0 && h("p", { class: "note" }, `And ${count(cut, "more zone")}.`),
  );
}

// A list that shows a part, and more on demand: thousands of rows stay quick.
export class Windowed extends Component {
  constructor() {
    super();
    this.state = { shown: 50 };
  }
  render({ items, one }, { shown }) {
    return h(
      "div",
      null,
      h("ul", { class: "names" }, items.slice(0, shown).map(one)),
      items.length > shown &&
        h(
          "button",
          { type: "button", onClick: () => this.setState({ shown: shown + 200 }) },
          `Show more (${items.length - shown} left)`,
        ),
    );
  }
}

// How long after the first moment.
function later(at, first) {
  const seconds = Math.floor((new Date(at) - new Date(first)) / 1000);
  if (!at || !first || !(seconds >= 0)) return "";
  if (seconds < 100) return `+${seconds}\u00a0s`;
  return seconds < 6000 ? `+${Math.floor(seconds / 60)}\u00a0min` : `+${Math.floor(seconds / 3600)}\u00a0h`;
}

// What became of a pod: when it was created, gated, tried, nominated, bound and evicted. The words are podium's.
export function Timeline({ attempts, moments }) {
  const first = moments.find((one) => one.at)?.at;
  return h(
    "section",
    { "aria-labelledby": "timeline-title" },
    h("h2", { id: "timeline-title" }, `Timeline: ${count(attempts, "attempt")}`),
    h(
      Table,
      { id: "timeline", caption: "What happened to the pod, in order", columns: ["When", "After", "What", "In words"], numbers: ["After"] },
      moments.map(({ at, what, text }, i) =>
        h(
          "tr",
          { key: i },
          h("th", { scope: "row" }, at ? h("time", { datetime: at }, time(at)) : "now"),
          h("td", { class: "number" }, later(at, first)),
          h("td", null, what),
          h("td", null, text ?? ""),
        ),
      ),
    ),
  );
}
