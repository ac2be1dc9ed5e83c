// What if nodes are drained, at the same time or in steps, or are lost: as `kubectl podium drain` asks it. The words of the answer
// are podium's.
import { h } from "./vendor/preact.js";
import { access, askWith, nodes, nodesOf } from "./api.js";
import { Asking, NO_POD } from "./asking.js";
import { Lines, Table, Trouble, Verdict, fill, namesOf, podLink } from "./parts.js";
import { go, linkTo } from "./place.js";
import { count } from "./words.js";

const MOST_STEPS = 95; // of one question, with the change that adds nodes
const MOST_TOGETHER = 64; // nodes of one change
const MOST_SPARE = 16;

const HOW = [
  ["", "drained at the same time"],
  ["rolling", "drained in steps, and come back"],
  ["fail", "failing at the same time"],
];

const isRolling = ({ query }) => Number(query.rolling) > 0;

// The names that podium gives to the nodes that it adds: LIKE-new-1, …
async function spareNames(spare, like) {
  const known = (await access()).mayListNodes ? new Set((await nodes(false)).items.map((one) => one.name)) : new Set();
  const names = [];
  for (let i = 1; names.length < spare; ++i) if (!known.has(`${like}-new-${i}`)) names.push(`${like}-new-${i}`);
  return names;
}

async function stepsOf(names, { rolling, spare = 0, like }) {
  const changes = [];
  for (let i = 0; i < names.length; i += rolling)
    changes.push({ type: "DrainNodes", nodeNames: names.slice(i, i + rolling), thenUncordon: true });
  const most = MOST_STEPS - (spare > 0 ? 1 : 0);
  if (changes.length > most)
    throw new Error(`${count(changes.length, "step")} are more than ${most} in one question: take ${Math.ceil(names.length / most)} nodes or more at a time.`);
  if (!(spare > 0)) return changes;
  const of = like || names[0];
  return [{ type: "AddNodes", count: spare, like: of }, ...changes, { type: "DrainNodes", nodeNames: await spareNames(spare, of) }];
}

// `words`: of this change. `ns`: of the question.
function Pods({ id, of = "", change, words, ns }) {
  const pods = change.pods ?? [];
  if (!pods.length) return null;
  const isHeld = Boolean(words.against);
  const columns = ["Pod", "Goes to", "Points", "Nodes that fit", ...(isHeld ? ["Obstacles"] : [])];
  return [
    h(
      Table,
      { id, caption: `Pods that leave${of} and their new nodes`, columns, numbers: ["Points", "Nodes that fit"] },
      pods.map(({ namespace = ns, ...pod }, i) =>
        h(
          "tr",
          { key: `${namespace}/${pod.name}` },
          h("th", { scope: "row" }, h("a", { href: podLink(namespace, pod.name) }, `${namespace}/${pod.name}`)),
          h("td", { class: pod.nodeName ? "" : "bad" }, pod.nodeName || words.pods[i]),
          h("td", { class: "number" }, pod.score ?? ""),
          h("td", { class: "number" }, pod.feasible ?? ""),
          isHeld && h("td", null, words.against[i].join("; ")),
        ),
      ),
    ),
    change.podsTotal > pods.length && h("p", { class: "note" }, `And ${count(change.podsTotal - pods.length, "more pod")}.`),
  ];
}

const Budgets = ({ of = [] }) =>
  of.length > 0 && [h("h2", null, "Budgets that do not allow it now"), h("ul", { id: "budgets", class: "names said bad" }, of.map((words) => h("li", { key: words }, words)))];

function Drained({ change, words, ns }) {
  return [
    h(Verdict, { words: words.verdict }),
    h(Lines, { id: "notes", of: words.notes }),
    h(Budgets, { of: words.budgets }),
    change.pods?.length > 0 && h("h2", null, "Pods that leave"),
    h(Pods, { id: "moves", change, words, ns }),
  ];
}

// The steps, and below them the pods of each.
function Rolled({ changes, words, ns }) {
  const { rolling } = words;
  const first = changes.length - rolling.steps.length;
  const steps = rolling.steps.map((step, i) => ({ ...step, change: changes[first + i], words: words.changes[first + i] }));
  const has = (field) => steps.some(({ change }) => change[field] > 0);
  const more = [
    ["Gone", "podsGone"],
    ["Waited before", "waitingPlaced"],
  ].filter(([, field]) => has(field));
  const isMarked = steps.some((step) => step.marks);
  const numbers = ["Move", "Wait", ...more.map(([title]) => title)];
  const budgets = steps.flatMap(({ name, words: { budgets: of = [] } }) => of.map((one) => `Step ${name}: ${one}`));
  return [
    h(Verdict, { words: rolling.verdict }),
    h(Lines, { id: "notes", of: rolling.notes }),
    h(Budgets, { of: budgets }),
    h("h2", null, "Steps"),
    h(
      Table,
      { id: "steps", caption: "The steps and what each does to the pods", columns: ["Step", "Nodes", ...numbers, "Fullest afterwards", ...(isMarked ? ["Remarks"] : [])], numbers },
      steps.map(({ name, nodes: named, fullest, marks, change }) =>
        h(
          "tr",
          { key: name },
          h("th", { scope: "row" }, name),
          h("td", null, named),
          h("td", { class: "number" }, change.podsMoved ?? 0),
          h("td", { class: change.podsPendingSoFar ? "number bad" : "number" }, change.podsPendingSoFar ?? 0),
          more.map(([title, field]) => h("td", { key: title, class: "number" }, change[field] ?? 0)),
          h("td", null, fullest),
          isMarked && h("td", { class: "bad" }, marks ?? ""),
        ),
      ),
    ),
    steps
      .filter(({ change }) => change.pods?.length > 0)
      .map(({ name, change, words: said }) =>
        h("details", { key: name }, h("summary", { class: "said" }, `Pods of step ${name}: ${said.verdict}`), h(Pods, { of: ` in step ${name}`, change, words: said, ns })),
      ),
  ];
}

// #/drain/NODE,NODE?selector=TEXT&rolling=N&spare=M&like=NODE&fail&ns=NS
export class DrainView extends Asking {
  componentDidUpdate(before) {
    super.componentDidUpdate(before);
    if (JSON.stringify(this.place(before)) !== JSON.stringify(this.place(this.props))) fill(this.formElement, this.fields());
  }
  fields() {
    const { node, query } = this.props;
    const { selector, rolling = "1", spare = "0", like } = query;
    return { nodes: node, selector, rolling, spare, like };
  }
  isAsked() {
    return Boolean(this.props.node || this.props.query.selector);
  }
  place({ node, query }) {
    return [node, query];
  }
  isAbout(item) {
    return namesOf(this.props.node).includes(item.node);
  }
  // The nodes by name, and those that the selector selects.
  async nodes() {
    const { node, query } = this.props;
    const names = namesOf(node);
    if (!query.selector) return { names };
    const found = await nodesOf(query.selector);
    if (!found.names.length) throw new Error(`No node matches the selector ${query.selector}.`);
    return { names: [...new Set([...names, ...found.names])], selector: names.length ? null : found.selector };
  }
  async changes(spare) {
    const { query } = this.props;
    const { names, selector } = await this.nodes();
    if (isRolling(this.props)) return stepsOf(names, { rolling: Number(query.rolling), spare, like: query.like });
    const isMany = names.length > MOST_TOGETHER;
    if (query.fail && isMany && selector) return [{ type: "FailNodes", selector }];
    if (isMany) throw new Error(`${names.length} nodes are more than ${MOST_TOGETHER} at the same time. Drain them in steps.`);
    return [{ type: query.fail ? "FailNodes" : "DrainNodes", nodeNames: names }];
  }
  async ask(ns, spare = Number(this.props.query.spare ?? 0)) {
    const changes = await this.changes(spare);
    return askWith(ns, { template: NO_POD, changes }, { allNamespaces: "true" });
  }
  // The fewest spare nodes with which nothing waits: asks with more and fewer, then goes to the address of that question.
  async findSpare() {
    const ns = this.state.ns.trim();
    const asked = (this.asked = {});
    const isEnough = async (spare) => (await this.ask(ns, spare)).status.changes.every((one) => !one.podsPending);
    this.setState({ isLoading: true, few: "" });
    try {
      let [few, enough] = [Number(this.props.query.spare ?? 0), MOST_SPARE];
      const isFound = few < enough && (await isEnough(enough));
      while (isFound && enough - few > 1 && asked === this.asked) {
        const middle = few + Math.floor((enough - few) / 2);
        if (await isEnough(middle)) enough = middle;
        else few = middle;
      }
      if (asked !== this.asked) return;
      this.setState({ isLoading: false, few: isFound ? "" : `Also with ${MOST_SPARE} spare nodes some would wait.` });
      if (isFound) go(linkTo("drain", [this.props.node], { ...this.props.query, spare: enough }));
    } catch (error) {
      if (asked === this.asked) this.setState({ error, isLoading: false });
    }
  }
  // Reads the form.
  go(event) {
    event.preventDefault();
    const { nodes: names, selector, how, rolling, spare, like, ns } = event.target.elements;
    const inSteps = how.value === "rolling";
    const spares = inSteps && Number(spare.value) > 0;
    const there = linkTo("drain", [namesOf(names.value).join(",")], {
      selector: selector.value.trim(),
      fail: how.value === "fail",
      rolling: inSteps ? rolling.value || "1" : "",
      spare: spares ? spare.value : "",
      like: spares ? like.value.trim() : "",
      ns: ns.value.trim() === this.usualNs ? "" : ns.value.trim(),
    });
    this.setState({ how: undefined });
    if (!go(there)) this.submit();
  }
  form(isLoading) {
    const { query } = this.props;
    const how = this.state.how ?? (isRolling(this.props) ? "rolling" : query.fail ? "fail" : "");
    const values = this.fields();
    const field = (name, label, more) =>
      h("p", { key: name }, h("label", { for: name }, label), h("input", { id: name, name, defaultValue: values[name], ...more }));
    const hidden = how !== "rolling";
    return h(
      "form",
      { class: "line", onSubmit: (event) => this.go(event), ref: (form) => (this.formElement = form) },
      field("nodes", "Nodes", { placeholder: "one, or several" }),
      field("selector", "or by labels", { placeholder: "pool=general" }),
      h(
        "p",
        null,
        h("label", { for: "how" }, "What happens to them"),
        h(
          "select",
          { id: "how", name: "how", value: how, onInput: (event) => this.setState({ how: event.target.value }) },
          HOW.map(([value, words]) => h("option", { key: value, value }, words)),
        ),
      ),
      h(
        "span",
        { class: "line", hidden },
        field("rolling", "Nodes at a time", { type: "number", min: 1, max: MOST_TOGETHER }),
        field("spare", "Spare nodes", { type: "number", min: 0, max: MOST_SPARE }),
        field("like", "like", { placeholder: "the first node" }),
      ),
      this.namespace("Ask in namespace"),
      h("button", { class: "main", disabled: isLoading }, "Ask podium"),
    );
  }
  command() {
    const { node, query } = this.props;
    const flags = [
      query.selector && `-l '${query.selector}'`,
      query.rolling && `--rolling ${query.rolling}`,
      query.spare && `--spare ${query.spare}`,
      query.like && `--like ${query.like}`,
      query.fail && "--fail",
    ];
    return ["kubectl podium drain", ...namesOf(node), ...flags.filter(Boolean)].join(" ");
  }
  answer({ status, words }, ns) {
    const changes = status.changes ?? [];
    const at = changes.findIndex((one) => one.podsEvicted !== undefined);
    if (at < 0) return h(Verdict, { words: changes[0]?.message ?? status.message });
    if (!words.rolling) return h(Drained, { change: changes[at], words: words.changes[at], ns });
    const waits = changes.some((one) => one.podsPending > 0);
    return [
      h(Rolled, { changes, words, ns }),
      waits && Number(this.props.query.spare ?? 0) < MOST_SPARE && h("p", null, h("button", { id: "find-spare", type: "button", onClick: () => this.findSpare() }, "Find the fewest spare nodes with which nothing waits")),
      h("p", { role: "status" }, this.state.few),
    ];
  }
  render(_, { answeredIn, answer, error, isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What if nodes are drained?"),
      this.form(isLoading),
      h("p", { class: "note" }, "Nothing is evicted or cordoned."),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error, next: "Separate the names of nodes by commas." }),
      answer && [this.answer(answer, answeredIn), h("p", { class: "note" }, "In a terminal: ", h("code", null, this.command()))],
    );
  }
}
