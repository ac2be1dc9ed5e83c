// Pods that wait, by reason; and all decisions, page by page.
import { Component, h } from "./vendor/preact.js";
import { decisions, hasToken } from "./api.js";
import { Trouble, Windowed, podLink } from "./parts.js";
import { ago, count, isOfPod, reasonWords, time } from "./words.js";

const MOST = 5000; // pods that are read at most, 500 per request

function NamespaceForm({ ns, onRead }) {
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

// Pods with the same reason, most pods first.
export function groupsOf(items) {
  const groups = new Map();
  for (const item of items) {
    const reason = reasonOf(item);
    const key = `${item.outcome} ${reason}`;
    if (!groups.has(key)) groups.set(key, { key, reason, items: [], attempts: 0, last: "" });
    const group = groups.get(key);
    group.items.push(item);
    group.attempts = Math.max(group.attempts, item.attempts);
    if ((item.decidedAt ?? "") > group.last) group.last = item.decidedAt;
  }
  return [...groups.values()].sort((a, b) => b.items.length - a.items.length || (a.reason < b.reason ? -1 : 1));
}

const nameOf = (item) =>
  h(
    "li",
    { key: `${item.namespace}/${item.name}` },
    h("a", { href: podLink(item.namespace, item.name) }, `${item.namespace}/${item.name}`),
  );

export class WaitingView extends Component {
  constructor() {
    super();
    this.state = { items: null, more: "", error: null, isLoading: false };
  }
  componentDidMount() {
    this.read();
  }
  async read(after = "", items = []) {
    this.setState({ isLoading: true });
    try {
      const most = items.length + MOST;
      do {
        const page = await decisions(this.props.ns, { waiting: "true", limit: "500", ...(after && { continue: after }) });
        items = items.concat(page.items);
        after = page.metadata.continue ?? "";
      } while (after && items.length < most);
      this.setState({ items, more: after, error: null, isLoading: false });
    } catch (error) {
      error.hasToken = hasToken();
      this.setState({ items: null, error, isLoading: false });
    }
  }
  verdict(items, more) {
    const gated = items.filter((one) => one.outcome === "Gated").length;
    const waiting = items.length - gated;
    const atLeast = more ? "At least " : "";
    if (!items.length) return "No pod waits for a node.";
    if (!waiting) return `${atLeast}${count(gated, "pod is", "pods are")} gated; no other pod waits.`;
    const gatedWords = gated ? `; ${count(gated, "more is gated", "more are gated")}` : "";
    return `${atLeast}${count(waiting, "pod waits", "pods wait")}${gatedWords}.`;
  }
  row(group) {
    return h(
      "tr",
      { key: group.key },
      h("td", { class: "number" }, h("b", null, group.items.length)),
      h("th", { scope: "row" }, group.reason),
      h("td", { class: "number" }, group.attempts),
      h("td", null, h("time", { datetime: group.last, title: time(group.last) }, ago(group.last))),
      h(
        "td",
        null,
        group.items.length <= 3
          ? h("ul", { class: "names" }, group.items.map(nameOf))
          : h(
              "details",
              null,
              h(
                "summary",
                null,
                `${group.items[0].namespace}/${group.items[0].name} and ${count(group.items.length - 1, "other")}`,
              ),
              h(Windowed, { items: group.items, one: nameOf }),
            ),
      ),
    );
  }
  render({ ns, onNamespace }, { items, more, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Which pods wait, and why?"),
      h(NamespaceForm, { ns, onRead: (next) => (next === ns ? this.read() : onNamespace(next)) }),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      items && [
        h("p", { class: "verdict", id: "verdict", role: "status" }, this.verdict(items, more)),
        items.length > 0 &&
          h(
            "div",
            { class: "wide" },
            h(
              "table",
              { id: "waiting" },
              h("caption", { class: "unseen" }, "Pods that wait, by their most frequent reason"),
              h(
                "thead",
                null,
                h(
                  "tr",
                  null,
                  ["Pods", "Blocked by", "Attempts", "Last tried", "Names"].map((text, i) =>
                    h("th", { key: text, scope: "col", class: i === 0 || i === 2 ? "number" : "" }, text),
                  ),
                ),
              ),
              h(
                "tbody",
                null,
                groupsOf(items).map((group) => this.row(group)),
              ),
            ),
          ),
        more && h("button", { type: "button", disabled: isLoading, onClick: () => this.read(more, items) }, "Read more"),
        h(
          "p",
          { class: "note" },
          "By the reason that rejected the most nodes, as of the last decision on each pod. A pod’s name leads to all of its reasons.",
        ),
      ],
    );
  }
}

export class PodsView extends Component {
  constructor() {
    super();
    this.state = { page: null, before: [], error: null, isLoading: false };
  }
  componentDidMount() {
    this.read("", []);
  }
  async read(after, before) {
    this.setState({ isLoading: true });
    try {
      const page = await decisions(this.props.ns, { limit: "100", ...(after && { continue: after }) });
      this.setState({ page, after, before, error: null, isLoading: false });
    } catch (error) {
      error.hasToken = hasToken();
      this.setState({ page: null, error, isLoading: false });
    }
  }
  row(item) {
    return h(
      "tr",
      { key: item.uid },
      h(
        "th",
        { scope: "row" },
        h("a", { href: podLink(item.namespace, item.name) }, `${item.namespace}/${item.name}`),
        item.gone && h("small", null, " gone"),
      ),
      h("td", null, item.outcome),
      h("td", null, item.node ?? ""),
      h("td", { class: "number" }, item.score ?? ""),
      h("td", null, item.outcome === "Scheduled" ? item.summary : reasonOf(item)),
      h("td", { class: "number" }, item.attempts),
      h("td", null, h("time", { datetime: item.decidedAt, title: time(item.decidedAt) }, ago(item.decidedAt))),
    );
  }
  render({ ns, onNamespace }, { page, after, before, error, isLoading }) {
    const next = page?.metadata.continue;
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Decisions"),
      h(NamespaceForm, { ns, onRead: (other) => (other === ns ? this.read("", []) : onNamespace(other)) }),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      page && [
        !page.items.length && h("p", { class: "verdict" }, "podium remembers no decision here."),
        page.items.length > 0 &&
          h(
            "div",
            { class: "wide" },
            h(
              "table",
              { id: "decisions" },
              h("caption", { class: "unseen" }, "The last decision on each pod, by namespace and name"),
              h(
                "thead",
                null,
                h(
                  "tr",
                  null,
                  ["Pod", "Outcome", "Node", "Points", "Why", "Attempts", "Decided"].map((text, i) =>
                    h("th", { key: text, scope: "col", class: i === 3 || i === 5 ? "number" : "" }, text),
                  ),
                ),
              ),
              h(
                "tbody",
                null,
                page.items.map((item) => this.row(item)),
              ),
            ),
          ),
        h(
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
        ),
      ],
    );
  }
}
