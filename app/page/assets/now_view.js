// The start: the pods that wait, the last decisions, and what is free by zone. Reads again while it is looked at.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, hasToken, needsNoToken, nodes } from "./api.js";
import { amountWords } from "./amounts.js";
import { DecisionTable, NamespaceForm, PartNote, WaitingTable, groupsOf, readPart, readWaiting, waitingVerdict } from "./lists.js";
import { Trouble } from "./parts.js";
import { topologyLink, wantedOf } from "./topology.js";
import { count } from "./words.js";

const GROUPS = 5;
const LAST = "20";
const AGAIN = 5000; // milliseconds between two readings

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
      room.zones.map(({ name, allocatable, requested }) =>
        h(
          "li",
          { key: name },
          h("span", null, name || "without a zone"),
          h("meter", { min: 0, max: 1, value: allocatable[i] > 0 ? requested[i] / allocatable[i] : 0, "aria-label": `requested ${resource} of ${name}` }),
          h("span", null, `${amountWords(resource, Math.max(0, allocatable[i] - requested[i]))} of ${amountWords(resource, allocatable[i])} free`),
        ),
      ),
    ),
    h("p", null, h("a", { href: topologyLink(resource) }, "All zones and nodes")),
  );
}

export class NowView extends Component {
  constructor() {
    super();
    this.state = { now: null, room: null, error: null, isLoading: false };
  }
  componentDidMount() {
    if (!hasToken() && !needsNoToken()) return;
    this.read();
    this.timer = setInterval(() => {
      const isIdle = document.visibilityState === "visible" && !this.state.isLoading;
      const isUsed = document.querySelector("#waiting details[open]") || getSelection()?.toString();
      if (isIdle && !isUsed && !this.state.error) this.read(true);
    }, AGAIN);
  }
  componentWillUnmount() {
    clearInterval(this.timer);
  }
  async read(again = false) {
    this.setState({ isLoading: true, isAgain: again });
    try {
      const now = await readPart(this.props.ns, readNow);
      const room = (await access()).mayListNodes ? await nodes(true) : null;
      this.setState({ now, room, error: null, isLoading: false });
    } catch (error) {
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
  render({ ns, onNamespace }, { now, room, error, isLoading, isAgain }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What waits, and what was decided?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)) }),
      isLoading && !isAgain && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      now && h(PartNote, now),
      now?.waiting && this.waiting(now.waiting),
      room?.zones.length > 0 && h(Room, { room, items: now?.waiting?.items ?? [] }),
      now?.last && [
        h("h2", null, "Last decisions"),
        now.last.length > 0 ? h(DecisionTable, { items: now.last }) : h("p", null, "podium remembers no decision here."),
      ],
    );
  }
}
