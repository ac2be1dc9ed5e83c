// The start: the pods that wait, and the last decisions.
import { Component, h } from "./vendor/preact.js";
import { decisions, hasToken, needsNoToken } from "./api.js";
import { DecisionTable, NamespaceForm, WaitingTable, groupsOf, readWaiting, waitingVerdict } from "./lists.js";
import { Trouble } from "./parts.js";
import { count } from "./words.js";

const GROUPS = 5;
const LAST = "20";

export class NowView extends Component {
  constructor() {
    super();
    this.state = { waiting: null, last: null, error: null, isLoading: false };
  }
  componentDidMount() {
    if (hasToken() || needsNoToken()) this.read();
  }
  async read() {
    this.setState({ isLoading: true });
    try {
      const [waiting, last] = await Promise.all([
        readWaiting(this.props.ns),
        decisions(this.props.ns, { newest: "true", limit: LAST }),
      ]);
      this.setState({ waiting, last: last.items, error: null, isLoading: false });
    } catch (error) {
      this.setState({ waiting: null, last: null, error, isLoading: false });
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
      groups.length > GROUPS && h("p", null, h("a", { href: all }, `${count(groups.length - GROUPS, "more reason")}`)),
    );
  }
  render({ ns, onNamespace }, { waiting, last, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What waits, and what was decided?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)) }),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      waiting && this.waiting(waiting),
      last && [
        h("h2", null, "Last decisions"),
        last.length > 0 ? h(DecisionTable, { items: last }) : h("p", null, "podium remembers no decision here."),
      ],
    );
  }
}
