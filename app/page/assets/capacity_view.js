// What a namespace could still run: pods of given requests, each alone, and what limits them.
import { h } from "./vendor/preact.js";
import { askWith, ownNamespace, access } from "./api.js";
import { Asking } from "./asking.js";
import { fill, Table, Trouble } from "./parts.js";
import { go, linkTo } from "./place.js";

const USUAL = "cpu=500m,memory=1Gi\ncpu=2,memory=8Gi";
const MOST = 8;

// "cpu=500m,memory=1Gi"
function requestsOf(line) {
  const requests = {};
  for (const one of line.split(",")) {
    const [name, amount, ...more] = one.trim().split("=");
    if (!name || !amount || more.length) throw new Error(`“${line}” is not a list such as cpu=500m,memory=1Gi.`);
    if (name in requests) throw new Error(`“${line}”: ${name} is given twice.`);
    requests[name] = amount;
  }
  return requests;
}

// The API server takes extended resources and huge pages with limits only.
function podOf(line) {
  const requests = requestsOf(line);
  const limits = Object.fromEntries(Object.entries(requests).filter(([name]) => name.includes("/") || name.startsWith("hugepages-")));
  return { spec: { containers: [{ name: "main", image: "none", resources: { requests, limits } }] } };
}

const linesOf = (text = "") =>
  text
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter(Boolean);

// #/capacity?ns=NS&pods=cpu=500m,memory=1Gi;cpu=2
export class CapacityView extends Asking {
  componentDidUpdate(before) {
    super.componentDidUpdate(before);
    if (before.query.pods !== this.props.query.pods) fill(this.formElement, { pods: this.pods().join("\n") || USUAL });
  }
  isAsked() {
    return Boolean(this.props.query.pods);
  }
  place({ query }) {
    return query;
  }
  async usual() {
    return ownNamespace((await access()).user);
  }
  pods() {
    return linesOf(this.props.query.pods);
  }
  async ask(ns) {
    const lines = this.pods();
    if (!lines.length) throw new Error("Write the requests of a pod, such as cpu=500m,memory=1Gi.");
    if (lines.length > MOST) throw new Error(`${lines.length} kinds of pods are more than ${MOST}.`);
    const pods = lines.map(podOf);
    const rows = [];
    // One after the other: a user has few places.
    for (const [i, template] of pods.entries()) {
      try {
        const { status, words } = await askWith(ns, { template, replicas: 1, room: true });
        const { more = "–", limit = status.message ?? "", competing = "" } = words.capacity ?? {};
        rows.push({ line: lines[i], more, limit, competing });
      } catch (error) {
        if (error.status !== 422) throw error;
        rows.push({ line: lines[i], more: "0", limit: `refused: ${error.message}`, competing: "" });
      }
    }
    return { ns, rows, competing: rows.find((row) => row.competing)?.competing ?? "" };
  }
  render(_, { ns, answer, error, isLoading }) {
    const again = (event) => {
      event.preventDefault();
      const pods = linesOf(event.target.elements.pods.value).join(";");
      if (!go(linkTo("capacity", [], { ns: ns.trim() === this.usualNs ? "" : ns.trim(), pods }))) this.submit();
    };
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "What could a namespace still run?"),
      h(
        "form",
        { class: "ask", onSubmit: again, ref: (form) => (this.formElement = form) },
        h("label", { for: "pods" }, "Requests of a pod, one kind on each line"),
        h("textarea", { id: "pods", name: "pods", rows: 4, spellcheck: false, defaultValue: this.pods().join("\n") || USUAL }),
        h("div", { class: "line" }, this.namespace("Namespace"), h("button", { disabled: isLoading }, "Ask")),
      ),
      isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, { error }),
      answer && [
        h("p", { class: "verdict", role: "status", id: "verdict" }, `What ${answer.ns} could still run, each alone:`),
        h(
          Table,
          { id: "capacity", caption: `What ${answer.ns} could still run`, columns: ["Pods of", "More", "Limited by"], numbers: ["More"] },
          answer.rows.map(({ line, more, limit }) =>
            h("tr", { key: line }, h("th", { scope: "row" }, line), h("td", { class: "number" }, h("b", null, more)), h("td", null, limit)),
          ),
        ),
        h("p", { class: "note" }, `${answer.competing} Nothing was created. Quotas of the namespace are counted.`.trim()),
      ],
    );
  }
}
