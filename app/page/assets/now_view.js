// The start: the pods that wait, the last decisions, and what is free by zone. Reads again while it is looked at.
import { h } from "./vendor/preact.js";
import { access, decisions, hasToken, needsNoToken, nodes } from "./api.js";
import { amountWords } from "./amounts.js";
import { DecisionTable, LiveView, NamespaceForm, PartNote, WaitingTable, groupsOf, readPart, readWaiting, waitingVerdict } from "./lists.js";
import { Trouble } from "./parts.js";
import { topologyLink, wantedOf } from "./topology.js";
import { ago, count } from "./words.js";

const GROUPS = 5;
const LAST = "100";
const SHOWN = 20;

async function readNow(ns) {
  const [waiting, last] = await Promise.all([readWaiting(ns), decisions(ns, { newest: "true", limit: LAST })]);
  return { waiting, last: last.items };
}

// The free part of a resource by zone: of the one that most pods wait for.
function Room({ room, items }) {
  const wanted = [...wantedOf(items)].sort((a, b) => b[1] - a[1])[0]?.[0];
  const resource = room.resources.includes(wanted) ? wanted : "cpu";
  const i = room.resources.indexOf(resource);
  return h(
    "section",
    { "aria-labelledby": "room-title" },
    h("h2", { id: "room-title" }, `Free ${resource} by zone`),
    h(
      "ul",
      { class: "room", id: "room" },
      room.zones.map(({ name, allocatable, free }) =>
        h(
          "li",
          { key: name },
          h("span", null, name || "without a zone"),
          h("meter", { min: 0, max: 1, value: allocatable[i] > 0 ? 1 - free[i] / allocatable[i] : 0, "aria-label": `${resource} that is not free of ${name}` }),
          h("span", null, `${amountWords(resource, free[i])} of ${amountWords(resource, allocatable[i])} free`),
        ),
      ),
    ),
    h("p", null, h("a", { href: topologyLink(resource) }, "All zones and nodes")),
  );
}

// The outcomes of the last decisions, in numbers.
function lastWords(items) {
  const placed = items.filter((one) => one.outcome === "Scheduled").length;
  const since = items.at(-1)?.decidedAt;
  return `${placed} of the last ${count(items.length, "decision")} placed a pod, ${items.length - placed} did not; the oldest was ${ago(since)}.`;
}

const ASK = [
  ["pod", "Why is a pod there?"],
  ["ask", "How many fit?"],
  ["drain", "What if a node is drained?"],
  ["nodes", "Which nodes are missing, or can be removed?"],
];

export class NowView extends LiveView {
  constructor() {
    super();
    this.state = { now: null, room: null, error: null, isLoading: false };
  }
  componentDidMount() {
    if (hasToken() || needsNoToken()) this.begin(this.props.ns);
  }
  async read() {
    this.setState({ isLoading: true });
    try {
      const now = await readPart(this.props.ns, readNow);
      const room = (await access()).mayListNodes ? await nodes(true) : null;
      this.setState({ now, room, error: null, isLoading: false });
    } catch (error) {
      this.failed(error);
      this.setState({ now: null, error, isLoading: false });
    }
  }
  waiting({ items, more }) {
    const groups = groupsOf(items);
    const all = `#/waiting${this.props.ns && `/${encodeURIComponent(this.props.ns)}`}`;
    return h(
      "section",
      { "aria-labelledby": "verdict" },
      h("p", { class: "verdict", id: "verdict", role: "status" }, waitingVerdict(items, more)),
      groups.length > 0 && h(WaitingTable, { groups: groups.slice(0, GROUPS) }),
      groups.length > GROUPS && h("p", null, h("a", { href: all }, `${count(groups.length - GROUPS, "more group")}`)),
    );
  }
  render({ ns, onNamespace }, { now, room, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What waits, and what was decided?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)), note: this.liveNote() }),
      isLoading && !now && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      now && h(PartNote, now),
      now?.waiting && this.waiting(now.waiting),
      room?.zones.length > 0 && h(Room, { room, items: now?.waiting?.items ?? [] }),
      now && h("ul", { class: "next" }, ASK.map(([view, words]) => h("li", { key: view }, h("a", { href: `#/${view}` }, words)))),
      now?.last && [
        h("h2", null, "Last decisions"),
        now.last.length > 0
          ? [h("p", { id: "last" }, lastWords(now.last)), h(DecisionTable, { items: now.last.slice(0, SHOWN) })]
          : h("p", null, "podium remembers no decisions here."),
      ],
    );
  }
}
