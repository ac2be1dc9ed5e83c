// Search: pods and workloads that podium decided on, and nodes, by a part of their name.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, nodes } from "./api.js";
import { DecisionTable, PartNote, readPart } from "./lists.js";
import { Trouble, Windowed, podLink } from "./parts.js";
import { linkTo } from "./place.js";
import { topologyLink } from "./topology.js";
import { count, fullName } from "./words.js";

const SHOWN = 50;
const MOST = 5000; // decisions that are searched

// The kinds of workloads, with what users write for them.
const KINDS = {
  Deployment: /^deploy(ments?)?$/,
  StatefulSet: /^(sts|statefulsets?)$/,
  DaemonSet: /^(ds|daemonsets?)$/,
  ReplicaSet: /^(rs|replicasets?)$/,
  Job: /^jobs?$/,
  CronJob: /^(cj|cronjobs?)$/,
};
const kindNamed = (word) => Object.keys(KINDS).find((kind) => KINDS[kind].test(word.split(".")[0]));

// What controllers add to a workload's name: an index, or random letters after those of a ReplicaSet or Job.
const ADDED = /(-[bcdfghjklmnpqrstvwxz2456789]{5,10})?-([bcdfghjklmnpqrstvwxz2456789]{5}|\d+)$/;

// The workloads of pods, as podium knows them, else by the pods' names: { kind, name, items }; kind: may be "".
export function workloadsOf(items) {
  const found = new Map();
  for (const item of items) {
    const { kind = "", name } = item.workload ?? { name: item.name.replace(ADDED, "") };
    if (!kind && name === item.name) continue; // not of a workload
    const key = `${item.namespace}/${name}`;
    if (!found.has(key)) found.set(key, { kind, name: key, items: [] });
    const workload = found.get(key);
    workload.kind ||= kind;
    workload.items.push(item);
  }
  return [...found.values()];
}

// "deploy/web": { kind, words }; kind: only of such workloads.
export function wantedOf(text) {
  const asked = text.toLowerCase().trim();
  const kind = asked.includes("/") ? kindNamed(asked.slice(0, asked.indexOf("/"))) : undefined;
  const words = (kind ? asked.slice(asked.indexOf("/") + 1) : asked).split(/\s+/).filter(Boolean);
  return { kind, words };
}

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
      { key: text, class: "find", role: "search", onSubmit: find },
      h("label", { for: "find", class: "unseen" }, "Find a pod, workload or node"),
      h("input", { id: "find", name: "find", type: "search", required: true, defaultValue: text, placeholder: "pod, workload or node ( / )" }),
    );
  }
}

const podItem = (item) => h("li", { key: item.uid }, h("a", { href: podLink(item.namespace, item.name) }, fullName(item)));

function workloadItem({ kind, name, items }) {
  const waiting = items.filter((one) => one.outcome !== "Scheduled").length;
  const [ns, own] = name.split("/");
  return h(
    "li",
    { key: name },
    h(
      "details",
      null,
      h("summary", null, `${kind && `${kind} `}${name}: ${count(items.length, "pod")}${waiting ? `, ${count(waiting, "waits", "wait")}` : ""}`),
      h("p", null, h("a", { href: linkTo("pods", [ns], { filter: own }) }, "Its decisions")),
      h(Windowed, { items, one: podItem }),
    ),
  );
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
    const { kind, words } = wantedOf(text);
    const has = (name) => words.every((word) => name.toLowerCase().includes(word));
    const all = found.items.filter((one) => !kind && has(fullName(one)));
    const [pods, gone] = [all.filter((one) => !one.gone), all.filter((one) => one.gone)];
    const named = found.nodes.filter((one) => !kind && has(one.name));
    // Without podium's word on its kind, a workload may be of any kind.
    const workloads = workloadsOf(found.items.filter((one) => !one.gone)).filter((one) =>
      kind ? (!one.kind || one.kind === kind) && has(one.name) : has(`${one.kind} ${one.name}`),
    );
    return [
      h(PartNote, found),
      h(
        "p",
        { class: "verdict", id: "verdict", role: "status" },
        `${count(pods.length, "pod")}, ${count(workloads.length, "workload")} and ${count(named.length, "node")} have “${text}” in their name.`,
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
      workloads.length > 0 && [
        h("h2", null, "Workloads"),
        h("ul", { id: "workloads-found" }, workloads.slice(0, SHOWN).map(workloadItem)),
        workloads.length > SHOWN && h("p", { class: "note" }, `And ${count(workloads.length - SHOWN, "more workload")}.`),
      ],
      pods.length > 0 && [
        h("h2", null, "Pods"),
        h(DecisionTable, { items: pods.slice(0, SHOWN) }),
        pods.length > SHOWN && h("p", { class: "note" }, `And ${count(pods.length - SHOWN, "more pod")}.`),
      ],
      gone.length > 0 && h("details", { id: "gone-found" }, h("summary", null, `${count(gone.length, "pod")} of such a name ${gone.length === 1 ? "is" : "are"} gone`), h(Windowed, { items: gone, one: podItem })),
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
