// Pods that wait, by reason; and all decisions, page by page.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, ownNamespace } from "./api.js";
import { isFinal, live, liveWords } from "./live.js";
import { Table, Trouble, Windowed, podLink } from "./parts.js";
import { isLess } from "./amounts.js";
import { go, linkTo, rename } from "./place.js";
import { age, ago, count, fullName, time } from "./words.js";

const MOST = 5000; // pods that are read at most, 500 per request

export function NamespaceForm({ ns, onRead, note }) {
  const read = (event) => {
    event.preventDefault();
    onRead(event.target.elements.namespace.value.trim());
  };
  return h(
    "form",
    { key: ns, class: "line", onSubmit: read },
    h(
      "p",
      null,
      h("label", { for: "namespace" }, "Namespace"),
      h("input", { id: "namespace", name: "namespace", defaultValue: ns, placeholder: "all" }),
    ),
    h("button", null, "Read"),
    note,
  );
}

const reasonOf = (item) => (item.outcome === "Scheduled" ? item.summary : item.words.reason);
// What a reason is about, without its numbers.
const causeOf = ({ rejection, words }) => (rejection ? `${rejection.code} ${JSON.stringify(rejection.about ?? {})}` : words.reason);

// The items whose shortfall is the least come first; others stay behind.
function isNearer(one, other) {
  const [mine, theirs] = [one.rejection?.shortfall, other.rejection?.shortfall];
  if (!mine || !theirs) return Boolean(mine) && !theirs;
  return isLess(mine.least, theirs.least);
}

// Pods without a workload are grouped by name, as `kubectl podium pending` does: without its last part.
const workloadOf = ({ name, workload }) => workload ?? { kind: "", name: name.replace(/-[^-]+$/, "") };

// Pods of the same workload that ask for the same and have the same reason, most pods first. The oldest pod has the age.
export function groupsOf(items) {
  const groups = new Map();
  for (const item of items) {
    const { kind, name } = workloadOf(item);
    const owner = `${item.namespace}/${name}`;
    const asks = item.words.asks ?? "";
    const key = `${item.outcome} ${kind} ${owner} ${asks} ${causeOf(item)}`;
    const began = item.created ?? item.since ?? "";
    if (!groups.has(key)) groups.set(key, { key, owner, asks, reason: reasonOf(item), items: [], attempts: 0, last: "", since: began, nearest: item });
    const group = groups.get(key);
    group.items.push(item);
    group.attempts = Math.max(group.attempts, item.attempts);
    if ((item.decidedAt ?? "") > group.last) [group.last, group.reason] = [item.decidedAt, reasonOf(item)];
    if (began && began < group.since) group.since = began;
    if (isNearer(item, group.nearest)) group.nearest = item;
  }
  return [...groups.values()].sort((a, b) => b.items.length - a.items.length || (a.key < b.key ? -1 : 1));
}

const link = (item) => h("a", { href: podLink(item.namespace, item.name) }, fullName(item));
const nameOf = (item) => h("li", { key: fullName(item) }, link(item));
const since = (text, words = ago) => h("time", { datetime: text, title: time(text) }, words(text));

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

// The namespace whose changes readPart() depends on.
async function watchedNamespace(ns) {
  const { user, mayListDecisions } = await access();
  return ns || mayListDecisions ? ns : ownNamespace(user);
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
  if (!items.length) return "No pods are pending.";
  if (!waiting) return `${atLeast}${count(gated, "pod is", "pods are")} gated; no other pod waits.`;
  const gatedWords = gated ? `; ${count(gated, "more is gated", "more are gated")}` : "";
  return `${atLeast}${count(waiting, "pod waits", "pods wait")}${gatedWords}.`;
}

function waitingRow(group) {
  const { items, nearest } = group;
  const short = nearest.words.missing;
  return h(
    "tr",
    { key: group.key },
    h("td", { class: "number" }, h("b", null, items.length)),
    h("th", { scope: "row" }, items.length > 1 ? group.owner : link(items[0])),
    h("td", { class: "asks" }, group.asks),
    h("td", null, group.reason),
    h("td", null, short, short && items.length > 1 && [" (", link(nearest), ")"]),
    h("td", null, since(group.since, age)),
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
            h("summary", null, `${fullName(items[0])} and ${count(items.length - 1, "other")}`),
            h(Windowed, { items, one: nameOf }),
          ),
    ),
  );
}

export const WaitingTable = ({ groups }) =>
  h(
    Table,
    {
      id: "waiting",
      caption: "Pending pods, by workload, requests and main reason",
      columns: ["Pods", "Of", "Ask for", "Blocked by", "Nearest miss", "Age", "Attempts", "Last tried", "Names"],
      numbers: ["Pods", "Attempts"],
    },
    groups.map(waitingRow),
  );

const decisionRow = (item) =>
  h(
    "tr",
    { key: item.uid },
    h("th", { scope: "row" }, link(item), item.gone && h("small", null, " gone")),
    h("td", null, item.outcome),
    h("td", null, item.node ?? ""),
    h("td", { class: "number" }, item.score ?? ""),
    h("td", null, reasonOf(item)),
    h("td", { class: "number" }, item.attempts),
    h("td", null, since(item.decidedAt)),
  );

export const DecisionTable = ({ items }) =>
  h(
    Table,
    {
      id: "decisions",
      caption: "The last decision on each pod",
      columns: ["Pod", "Outcome", "Node", "Points", "Why", "Attempts", "Decided"],
      numbers: ["Points", "Attempts"],
    },
    items.map(decisionRow),
  );

// A view that reads again when decisions change. Its read() returns a promise, and shows its own errors.
export class LiveView extends Component {
  async begin(ns, least) {
    const at = await watchedNamespace(ns).catch(() => ns);
    if (!this.isGone) this.stop = live(at, () => this.read(true), (state) => this.setState({ live: state }), least);
  }
  failed(error) {
    if (isFinal(error)) this.stop?.();
  }
  componentWillUnmount() {
    this.isGone = true;
    this.stop?.();
  }
  liveNote() {
    const words = liveWords(this.state.live);
    return words && h("small", { id: "live", class: this.state.live }, words);
  }
}

export class WaitingView extends LiveView {
  constructor() {
    super();
    this.state = { items: null, more: "", error: null, isLoading: false };
  }
  componentDidMount() {
    this.begin(this.props.ns);
  }
  async read(again, after, items) {
    if (again && this.state.isLonger) return; // pages that the user asked for stay as they are
    this.setState({ isLoading: true });
    try {
      const read = (ns) => readWaiting(ns, after, items);
      const part = this.state.part && after ? this.state.part : "";
      this.setState({ part: "", isRefused: false, ...(await readPart(this.props.ns || part, read)), isLonger: Boolean(after), error: null, isLoading: false });
    } catch (error) {
      this.failed(error);
      this.setState({ items: null, error, isLoading: false });
    }
  }
  render({ ns, onNamespace }, { items, more, part, isRefused, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which pods wait, and why?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)), note: this.liveNote() }),
      isLoading && !items && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      items && h(PartNote, { part, isRefused }),
      items && !isRefused && [
        h("p", { class: "verdict", id: "verdict", role: "status" }, waitingVerdict(items, more)),
        items.length > 0 && h(WaitingTable, { groups: groupsOf(items) }),
        more && h("button", { type: "button", disabled: isLoading, onClick: () => this.read(false, more, items) }, "Read more"),
        h(
          "p",
          { class: "note" },
          "By workload, and by the main reason, as of the last decision on each pod. A pod’s name leads to all of its reasons.",
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
// #/pods/NS?filter=TEXT&by-name&after=NS/POD
export class PodsView extends LiveView {
  constructor(props) {
    super();
    this.state = { page: null, filter: props.query.filter ?? "", error: null, isLoading: false };
    this.starts = [""]; // where the pages before begin
  }
  componentDidMount() {
    this.begin(this.props.ns);
  }
  componentDidUpdate(before) {
    const { query } = this.props;
    if (query.filter !== before.query.filter) this.setState({ filter: query.filter ?? "" });
    if (query["by-name"] !== before.query["by-name"] || query.after !== before.query.after) this.page();
  }
  // Again: the newest ones only.
  read() {
    return this.state.page && this.props.query["by-name"] ? null : this.page();
  }
  link(change) {
    const { ns, query } = this.props;
    return linkTo("pods", [ns], { ...query, ...change });
  }
  async page() {
    const { query } = this.props;
    const asked = (this.asked = {});
    this.setState({ isLoading: true });
    const order = query["by-name"] ? { limit: "100", ...(query.after && { continue: query.after }) } : { newest: "true", limit: "500" };
    try {
      const page = await readPart(this.props.ns, (ns) => decisions(ns, order));
      if (asked === this.asked) this.setState({ page, error: null, isLoading: false });
    } catch (error) {
      this.failed(error);
      if (asked === this.asked) this.setState({ page: null, error, isLoading: false });
    }
  }
  controls(filter) {
    return h(
      "div",
      { class: "line" },
      h(
        "p",
        { class: "check" },
        h("input", {
          id: "by-name",
          type: "checkbox",
          checked: Boolean(this.props.query["by-name"]),
          onInput: (event) => go(this.link({ "by-name": event.target.checked, after: "" })),
        }),
        h("label", { for: "by-name" }, "all, by name"),
      ),
      h(
        "p",
        null,
        h("label", { for: "filter" }, "Filter the shown decisions"),
        h("input", {
          id: "filter",
          type: "search",
          value: filter,
          placeholder: "names, nodes, outcomes, reasons",
          onInput: (event) => this.setState({ filter: event.target.value }),
          onChange: (event) => rename(this.link({ filter: event.target.value })),
        }),
      ),
    );
  }
  // A link into the middle knows only the first page before it.
  pages(next, isLoading) {
    const { after = "" } = this.props.query;
    const known = this.starts.indexOf(after);
    const number = known < 0 ? "" : ` page ${known + 1} `;
    const turn = (to) => go(this.link({ after: to }));
    return h(
      "p",
      { class: "pages" },
      h("button", { type: "button", disabled: !after || isLoading, onClick: () => turn(this.starts[known - 1] ?? "") }, known < 0 ? "First page" : "Before"),
      h("span", null, number),
      h(
        "button",
        {
          type: "button",
          disabled: !next || isLoading,
          onClick: () => {
            this.starts = known < 0 ? ["", after, next] : [...this.starts.slice(0, known + 1), next];
            turn(next);
          },
        },
        "Next",
      ),
    );
  }
  render({ ns, query, onNamespace }, { page, filter, error, isLoading }) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const items = page?.items.filter((item) => matches(item, words)) ?? [];
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Decisions"),
      h(NamespaceForm, { ns, onRead: (other) => (other === ns ? this.page() : onNamespace(other)), note: !query["by-name"] && this.liveNote() }),
      this.controls(filter),
      isLoading && !page && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      page && h(PartNote, page),
      page && !page.isRefused && [
        !page.items.length && h("p", { class: "verdict" }, "podium remembers no decisions here."),
        page.items.length > 0 && !items.length && h("p", { class: "verdict" }, "None of the shown decisions matches the filter."),
        items.length > 0 && h(DecisionTable, { items }),
        query["by-name"] && this.pages(page.metadata.continue, isLoading),
      ],
    );
  }
}
