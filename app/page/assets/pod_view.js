// A pod: the verdict, the nodes, the rejected nodes, then the attempts.
import { h } from "./vendor/preact.js";
import { reportOf } from "./api.js";
import { Heat, Weights } from "./heat.js";
import { LiveView } from "./lists.js";
import { Attempts, Devices, Lines, Rejections, Trouble, podLink } from "./parts.js";
import { movedWords, rank, stillOf } from "./scores.js";
import { bestWords, count, podVerdict } from "./words.js";

const askLink = (ns, pod) => `#/ask/${encodeURIComponent(ns)}/${encodeURIComponent(pod)}`;

export class PodView extends LiveView {
  constructor() {
    super();
    this.state = { report: null, error: null, moved: {}, isLoading: false };
  }
  componentDidMount() {
    if (this.props.pod) this.begin(this.props.ns);
  }
  async read() {
    const { ns, pod } = this.props;
    this.setState({ isLoading: true });
    try {
      const report = await reportOf(ns, pod);
      this.setState({ report, error: null, isLoading: false });
      this.props.onReport(report);
    } catch (error) {
      this.failed(error);
      this.setState({ report: null, error, isLoading: false });
    }
  }
  find(event) {
    event.preventDefault();
    const form = event.target.elements;
    const there = podLink(form.namespace.value.trim(), form.pod.value.trim());
    if (location.hash === there) this.read();
    else location.hash = there;
  }
  form() {
    const { ns, pod } = this.props;
    return h(
      "form",
      { class: "line", onSubmit: (event) => this.find(event) },
      h(
        "p",
        null,
        h("label", { for: "namespace" }, "Namespace"),
        h("input", { id: "namespace", name: "namespace", required: true, value: ns || "default" }),
      ),
      h("p", null, h("label", { for: "pod" }, "Pod"), h("input", { id: "pod", name: "pod", required: true, value: pod ?? "" })),
      h("button", null, pod ? "Read again or another" : "Why is it there?"),
      pod && this.liveNote(),
    );
  }
  scores(status, moved) {
    const { ns, pod } = this.props;
    if (!status.topNodes?.length) return null;
    const strategies = status.strategies ?? [];
    const rows = rank(status, moved);
    const changed = movedWords(status, rows, strategies, moved);
    return h(
      "section",
      { "aria-labelledby": "scores" },
      h("h2", { id: "scores" }, "Scores"),
      h(Heat, {
        status,
        moved,
        caption: bestWords(status),
      }),
      strategies.length > 0 &&
        rows[0].scores.length > 0 && [
          h("p", { class: "live", role: "status", id: "moved" }, changed),
          h(Weights, {
            strategies,
            moved,
            still: stillOf(status, rows),
            onMove: (name, weight) => this.setState({ moved: { ...this.state.moved, [name]: weight } }),
            onReset: () => this.setState({ moved: {} }),
          }),
          changed &&
            h(
              "p",
              { class: "note" },
              "Computed here, from the shown nodes alone. Another node may be better: ",
              h("a", { href: askLink(ns, pod), onClick: () => this.props.onCarry(moved) }, "ask podium with these weights"),
              ".",
            ),
        ],
    );
  }
  preemption(status) {
    const found = status.preemption;
    if (!found) return null;
    const names = (found.victims ?? []).map((one) => `${one.namespace}/${one.name}`).join(", ");
    const verb = status.outcome === "Scheduled" ? "evicted" : "evicts";
    return h("p", null, `To make room on ${found.nodeName}, podium ${verb} ${count(found.victimsTotal, "pod")}: ${names}.`);
  }
  render({ ns, pod }, { report, error, moved, isLoading }) {
    const status = report?.status;
    const isGone = report?.words.gone;
    return h(
      "div",
      null,
      h(
        "h1",
        { tabindex: -1 },
        pod
          ? `Why ${isGone ? "was" : "is"} ${pod} ${!status || status.outcome === "Scheduled" ? "there" : "not placed"}?`
          : "Why is a pod where it is?",
      ),
      this.form(),
      isLoading && !report && !error && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, {
        error,
        next: "podium keeps the last decision on each pod for a while; the reports in the cluster may be kept longer.",
      }),
      status &&
        h(
          "div",
          { id: "report" },
          h("p", { class: "verdict", id: "verdict", role: "status" }, podVerdict(`${ns}/${pod}`, report)),
          h(
            "p",
            null,
            status.nodeCounts &&
              status.outcome !== "Gated" &&
              `${status.nodeCounts.feasible} of ${count(status.nodeCounts.total, "node")} fit. `,
            report.words.lead,
          ),
          h(Lines, { of: report.words.decided }),
          this.preemption(status),
          h(Lines, { id: "selector", of: report.words.selector }),
          this.scores(status, moved),
          h(Devices, { status }),
          h(Rejections, { status, words: report.words.rejections, linkOf: (node) => `${askLink(ns, pod)}/${encodeURIComponent(node)}` }),
          h(Attempts, { status, words: report.words }),
          h(
            "section",
            null,
            h("h2", null, "Next"),
            h(
              "p",
              null,
              "In a terminal: ",
              h("code", null, `kubectl podium why ${pod} -n ${ns}`),
              ".",
              !isGone && [
                " Where would it go now? ",
                h("a", { id: "ask-about", href: askLink(ns, pod), onClick: () => this.props.onCarry(moved) }, "Ask a what-if about it"),
                ".",
              ],
            ),
          ),
        ),
    );
  }
}
