// Search: pods and workloads that podium decided on, and nodes, by a part of their name.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, nodes } from "./api.js";
import { DecisionTable, PartNote, readPart } from "./lists.js";
import { Trouble } from "./parts.js";
import { topologyLink } from "./topology.js";
import { count } from "./words.js";

const SHOWN = 50;
const MOST = 5000; // decisions that are searched

export const findLink = (text) => `#/find/${encodeURIComponent(text)}`;

export class SearchForm extends Component {
  componentDidMount() {
    this.onKey = (event) => {
      if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) return;
      event.preventDefault();
      document.getElementById("find").focus();
    };
    addEventListener("keydown", this.onKey);
  }
  componentWillUnmount() {
    removeEventListener("keydown", this.onKey);
  }
  render({ text }) {
    const find = (event) => {
      event.preventDefault();
      location.hash = findLink(event.target.elements.find.value.trim());
    };
    return h(
      "form",
      { class: "find", role: "search", onSubmit: find },
      h("label", { for: "find", class: "unseen" }, "Find a pod, workload or node"),
      h("input", { id: "find", name: "find", type: "search", required: true, value: text, placeholder: "pod, workload or node ( / )" }),
    );
  }
}

async function readAll(ns) {
  let items = [];
  let after = "";
  do {
    const page = await decisions(ns, { limit: "500", ...(after && { continue: after }) });
    items = items.concat(page.items);
    after = page.metadata.continue ?? "";
  } while (after && items.length < MOST);
  return { items, more: after };
}

export class FindView extends Component {
  constructor() {
    super();
    this.state = { found: null, error: null };
  }
  componentDidMount() {
    this.read();
  }
  async read() {
    try {
      const [found, list] = await Promise.all([readPart("", readAll), this.nodes()]);
      this.setState({ found: { ...found, nodes: list.items }, error: null });
    } catch (error) {
      this.setState({ found: null, error });
    }
  }
  async nodes() {
    return (await access()).mayListNodes ? nodes(false) : { items: [] };
  }
  shown(found, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (name) => words.every((word) => name.toLowerCase().includes(word));
    const pods = found.items.filter((one) => has(`${one.namespace}/${one.name}`));
    const named = found.nodes.filter((one) => has(one.name));
    return [
      h(PartNote, found),
      h(
        "p",
        { class: "verdict", id: "verdict", role: "status" },
        `${count(pods.length, "pod")} and ${count(named.length, "node")} have “${text}” in their name.`,
      ),
      found.more && h("p", { class: "note" }, `Searched in the first ${found.items.length} decisions.`),
      named.length > 0 && [
        h("h2", null, "Nodes"),
        h(
          "ul",
          { id: "nodes-found" },
          named.slice(0, SHOWN).map((one) => h("li", { key: one.name }, h("a", { href: topologyLink("cpu", one.name) }, one.name), one.zone && ` in ${one.zone}`)),
        ),
        named.length > SHOWN && h("p", { class: "note" }, `And ${count(named.length - SHOWN, "more node")}.`),
      ],
      pods.length > 0 && [
        h("h2", null, "Pods"),
        h(DecisionTable, { items: pods.slice(0, SHOWN) }),
        pods.length > SHOWN && h("p", { class: "note" }, `And ${count(pods.length - SHOWN, "more pod")}.`),
      ],
    ];
  }
  render({ text }, { found, error }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Search"),
      !found && !error && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      found && this.shown(found, text),
    );
  }
}
