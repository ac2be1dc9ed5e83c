// Pods that wait, by reason; and all decisions, page by page.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, ownNamespace } from "./api.js";
import { Trouble, Windowed, podLink } from "./parts.js";
import { isLess } from "./amounts.js";
import { ago, count, isOfPod, reasonWords, shortWords, time } from "./words.js";

const MOST = 5000; // pods that are read at most, 500 per request

export function NamespaceForm({ ns, onRead }) {
  const read = (event) => {
    event.preventDefault();
    onRead(event.target.elements.namespace.value.trim());
  };
  return h(
    "form",
    { class: "line", onSubmit: read },
    h(
      "p",
      null,
      h("label", { for: "namespace" }, "Namespace"),
      h("input", { id: "namespace", name: "namespace", value: ns, placeholder: "all of them" }),
    ),
    h("button", null, "Read"),
  );
}

const reasonOf = (item) => {
  if (item.schedulingGates?.length) return `the pod is gated by ${item.schedulingGates.join(", ")}`;
  if (!item.rejection) return item.summary;
  const words = reasonWords(item.rejection);
  return isOfPod(item.rejection) ? words : `the node ${words}`;
};

// The items whose shortfall is the least come first; others stay behind.
function isNearer(one, other) {
  const [mine, theirs] = [one.rejection?.shortfall, other.rejection?.shortfall];
  if (!mine || !theirs) return Boolean(mine) && !theirs;
  return isLess(mine.least, theirs.least);
}

// The names of pods that controllers make: an index, or random letters after those of a ReplicaSet or Job.
const MADE = /(-[bcdfghjklmnpqrstvwxz2456789]{5,10})?-([bcdfghjklmnpqrstvwxz2456789]{5}|\d+)$/;
const ownerOf = ({ namespace, name }) => `${namespace}/${name.replace(MADE, "")}`;

// Pods of the same owner with the same reason, most pods first.
export function groupsOf(items) {
  const groups = new Map();
  for (const item of items) {
    const reason = reasonOf(item);
    const owner = ownerOf(item);
    const key = `${item.outcome} ${owner} ${reason}`;
    if (!groups.has(key)) groups.set(key, { key, owner, reason, items: [], attempts: 0, last: "", since: item.since ?? "", nearest: item });
    const group = groups.get(key);
    group.items.push(item);
    group.attempts = Math.max(group.attempts, item.attempts);
    if ((item.decidedAt ?? "") > group.last) group.last = item.decidedAt;
    if (item.since && item.since < group.since) group.since = item.since;
    if (isNearer(item, group.nearest)) group.nearest = item;
  }
  return [...groups.values()].sort((a, b) => b.items.length - a.items.length || (a.key < b.key ? -1 : 1));
}

const link = (item) => h("a", { href: podLink(item.namespace, item.name) }, `${item.namespace}/${item.name}`);
const nameOf = (item) => h("li", { key: `${item.namespace}/${item.name}` }, link(item));
const since = (text) => h("time", { datetime: text, title: time(text) }, ago(text));

// All pods that wait, or the first MOST: { items, more }; `more`: where to go on.
export async function readWaiting(ns, after = "", items = []) {
  const most = items.length + MOST;
  do {
    const page = await decisions(ns, { waiting: "true", limit: "500", ...(after && { continue: after }) });
    items = items.concat(page.items);
    after = page.metadata.continue ?? "";
  } while (after && items.length < most);
  return { items, more: after };
}

// Reads all namespaces, or for a user who may not list them the user's own: adds { part, isRefused }.
export async function readPart(ns, read) {
  const { user, mayListDecisions } = await access();
  if (ns || mayListDecisions) return read(ns);
  const part = ownNamespace(user);
  try {
    return { ...(await read(part)), part };
  } catch (error) {
    if (error.status !== 403) throw error;
    return { items: [], more: "", metadata: {}, part, isRefused: true };
  }
}

export function PartNote({ part, isRefused }) {
  if (!part) return null;
  return h(
    "p",
    { id: "part", role: "status" },
    isRefused
      ? `You may list the decisions neither of all namespaces nor of namespace ${part}. Enter a namespace whose decisions you may list.`
      : `You may not list the decisions of all namespaces. These are of namespace ${part}; enter another one to see it.`,
  );
}

export function waitingVerdict(items, more) {
  const gated = items.filter((one) => one.outcome === "Gated").length;
  const waiting = items.length - gated;
  const atLeast = more ? "At least " : "";
  if (!items.length) return "No pod waits for a node.";
  if (!waiting) return `${atLeast}${count(gated, "pod is", "pods are")} gated; no other pod waits.`;
  const gatedWords = gated ? `; ${count(gated, "more is gated", "more are gated")}` : "";
  return `${atLeast}${count(waiting, "pod waits", "pods wait")}${gatedWords}.`;
}

function waitingRow(group) {
  const { items, nearest } = group;
  const short = nearest.rejection ? shortWords(nearest.rejection) : "";
  return h(
    "tr",
    { key: group.key },
    h("td", { class: "number" }, h("b", null, items.length)),
    h("th", { scope: "row" }, items.length > 1 ? group.owner : link(items[0])),
    h("td", null, group.reason),
    h("td", null, short, short && items.length > 1 && [" (", link(nearest), ")"]),
    h("td", null, since(group.since)),
    h("td", { class: "number" }, group.attempts),
    h("td", null, since(group.last)),
    h(
      "td",
      null,
      items.length <= 3
        ? h("ul", { class: "names" }, items.map(nameOf))
        : h(
            "details",
            null,
            h("summary", null, `${items[0].namespace}/${items[0].name} and ${count(items.length - 1, "other")}`),
            h(Windowed, { items, one: nameOf }),
          ),
    ),
  );
}

const head = (columns, numbers) =>
  h(
    "thead",
    null,
    h(
      "tr",
      null,
      columns.map((text) => h("th", { key: text, scope: "col", class: numbers.includes(text) ? "number" : "" }, text)),
    ),
  );

export function WaitingTable({ groups }) {
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      { id: "waiting" },
      h("caption", { class: "unseen" }, "Pods that wait, by owner and by their most frequent reason"),
      head(["Pods", "Of", "Blocked by", "Nearest miss", "Waits since", "Attempts", "Last tried", "Names"], ["Pods", "Attempts"]),
      h("tbody", null, groups.map(waitingRow)),
    ),
  );
}

const decisionRow = (item) =>
  h(
    "tr",
    { key: item.uid },
    h("th", { scope: "row" }, link(item), item.gone && h("small", null, " gone")),
    h("td", null, item.outcome),
    h("td", null, item.node ?? ""),
    h("td", { class: "number" }, item.score ?? ""),
    h("td", null, item.outcome === "Scheduled" ? item.summary : reasonOf(item)),
    h("td", { class: "number" }, item.attempts),
    h("td", null, since(item.decidedAt)),
  );

export function DecisionTable({ items }) {
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      { id: "decisions" },
      h("caption", { class: "unseen" }, "The last decision on each pod"),
      head(["Pod", "Outcome", "Node", "Points", "Why", "Attempts", "Decided"], ["Points", "Attempts"]),
      h("tbody", null, items.map(decisionRow)),
    ),
  );
}

export class WaitingView extends Component {
  constructor() {
    super();
    this.state = { items: null, more: "", error: null, isLoading: false };
  }
  componentDidMount() {
    this.read();
  }
  async read(after, items) {
    this.setState({ isLoading: true });
    try {
      const read = (ns) => readWaiting(ns, after, items);
      const part = this.state.part && after ? this.state.part : "";
      this.setState({ part: "", isRefused: false, ...(await readPart(this.props.ns || part, read)), error: null, isLoading: false });
    } catch (error) {
      this.setState({ items: null, error, isLoading: false });
    }
  }
  render({ ns, onNamespace }, { items, more, part, isRefused, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which pods wait, and why?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)) }),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      items && h(PartNote, { part, isRefused }),
      items && !isRefused && [
        h("p", { class: "verdict", id: "verdict", role: "status" }, waitingVerdict(items, more)),
        items.length > 0 && h(WaitingTable, { groups: groupsOf(items) }),
        more && h("button", { type: "button", disabled: isLoading, onClick: () => this.read(more, items) }, "Read more"),
        h(
          "p",
          { class: "note" },
          "By owner, and by the reason that rejected the most nodes, as of the last decision on each pod. A pod’s name leads to all of its reasons.",
        ),
      ],
    );
  }
}

const matches = (item, words) =>
  words.every((word) =>
    [item.namespace, item.name, item.outcome, item.node ?? "", reasonOf(item)].some((text) => text.toLowerCase().includes(word)),
  );

// The newest decisions, or all by namespace and name, page by page. The filter is for the shown ones.
export class PodsView extends Component {
  constructor() {
    super();
    this.state = { page: null, before: [], isByName: false, filter: "", error: null, isLoading: false };
  }
  componentDidMount() {
    this.read("", []);
  }
  async read(after, before, isByName = this.state.isByName) {
    this.setState({ isLoading: true, isByName });
    const order = isByName ? { limit: "100", ...(after && { continue: after }) } : { newest: "true", limit: "500" };
    try {
      const page = await readPart(this.props.ns, (ns) => decisions(ns, order));
      this.setState({ page, after, before, error: null, isLoading: false });
    } catch (error) {
      this.setState({ page: null, error, isLoading: false });
    }
  }
  controls({ isByName, filter }) {
    return h(
      "div",
      { class: "line" },
      h(
        "p",
        { class: "check" },
        h("input", {
          id: "by-name",
          type: "checkbox",
          checked: isByName,
          onInput: (event) => this.read("", [], event.target.checked),
        }),
        h("label", { for: "by-name" }, "all, by name"),
      ),
      h(
        "p",
        null,
        h("label", { for: "filter" }, "Filter of what is shown"),
        h("input", {
          id: "filter",
          type: "search",
          value: filter,
          placeholder: "names, nodes, outcomes, reasons",
          onInput: (event) => this.setState({ filter: event.target.value }),
        }),
      ),
    );
  }
  pages(before, after, next, isLoading) {
    return h(
      "p",
      { class: "pages" },
      h(
        "button",
        {
          type: "button",
          disabled: !before.length || isLoading,
          onClick: () => this.read(before.at(-1), before.slice(0, -1)),
        },
        "Before",
      ),
      h("span", null, ` page ${before.length + 1} `),
      h(
        "button",
        { type: "button", disabled: !next || isLoading, onClick: () => this.read(next, [...before, after]) },
        "Next",
      ),
    );
  }
  render({ ns, onNamespace }, { page, after, before, isByName, filter, error, isLoading }) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const items = page?.items.filter((item) => matches(item, words)) ?? [];
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Decisions"),
      h(NamespaceForm, { ns, onRead: (other) => (other === ns ? this.read("", []) : onNamespace(other)) }),
      this.controls({ isByName, filter }),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      page && h(PartNote, page),
      page && !page.isRefused && [
        !page.items.length && h("p", { class: "verdict" }, "podium remembers no decision here."),
        page.items.length > 0 && !items.length && h("p", { class: "verdict" }, "No decision that is shown matches the filter."),
        items.length > 0 && h(DecisionTable, { items }),
        isByName && this.pages(before, after, page.metadata.continue, isLoading),
      ],
    );
  }
}
