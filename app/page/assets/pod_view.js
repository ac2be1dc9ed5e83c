// The story of a pod on one screen: the verdict, what would help, the scores, why not on a node, and the timeline.
import { h } from "./vendor/preact.js";
import { access, askAboutPod, reportOf } from "./api.js";
import { Compared } from "./compare.js";
import { Heat, Weights } from "./heat.js";
import { LiveView } from "./lists.js";
import { Devices, Fixes, Lines, NodeVerdict, Rejections, Timeline, Trouble, fill, podLink } from "./parts.js";
import { go, linkTo, rename, weightsIn, weightsText } from "./place.js";
import { changedWeights, movedWords, rank, stillOf } from "./scores.js";
import { answerVerdict, bestWords, count, fullName, podVerdict } from "./words.js";

const VICTIMS = 4; // named in the sentence
const AGAIN = 30000; // milliseconds until a new decision causes a new question

// A pod that waits is asked about by itself.
const waits = ({ status, words }) => status.outcome !== "Scheduled" && !words.gone;

// #/pod/NS/POD?node=NODE&now&weights=NAME:N
export class PodView extends LiveView {
  constructor(props) {
    super();
    this.state = { report: null, error: null, moved: weightsIn(props.query.weights), asked: null };
  }
  componentDidMount() {
    if (this.props.pod) this.begin(this.props.ns);
  }
  componentDidUpdate(before) {
    const { query } = this.props;
    if (before.query.weights !== query.weights) this.setState({ moved: weightsIn(query.weights) });
    if (before.query.node !== query.node) fill(this.whyNotForm, { node: query.node });
    if (["node", "now", "weights"].some((name) => before.query[name] !== query[name])) this.ask();
  }
  link(change) {
    const { ns, pod, query } = this.props;
    return linkTo("pod", [ns, pod], { ...query, ...change });
  }
  async read() {
    const { ns, pod } = this.props;
    try {
      const report = await reportOf(ns, pod);
      this.setState({ report, error: null }, () => this.ask());
      this.props.onReport(report);
    } catch (error) {
      this.failed(error);
      this.setState({ report: null, error });
    }
  }
  // Asks what the address asks, and what would help a pod that waits. A new decision causes a new question after a while.
  async ask() {
    const { report, asked } = this.state;
    if (!report || this.isGone) return;
    const { ns, pod, query } = this.props;
    const weights = query.now ? changedWeights(report.status.strategies, weightsIn(query.weights)) : {};
    const isWanted = !report.words.gone && (waits(report) || query.node || query.now);
    const key = `${query.node ?? ""} ${JSON.stringify(weights)}`;
    const stamp = `${report.metadata.uid} ${report.status.decidedAt} ${report.status.outcome}`;
    if (!isWanted) return asked && this.setState({ asked: null });
    if (asked?.key === key && (asked.stamp === stamp || asked.isLoading || Date.now() - asked.at < AGAIN)) return;
    const one = { key, stamp, weights, at: Date.now(), isLoading: true, answer: asked?.key === key ? asked.answer : null };
    this.setState({ asked: one });
    const put = (change) => this.state.asked === one && this.setState({ asked: { ...one, isLoading: false, ...change } });
    try {
      const { mayAskAboutPods } = await access(ns);
      if (!mayAskAboutPods) return put({ isRefused: true });
      const draw = { seed: String(Math.random()) };
      const strategies = Object.entries(weights).map(([name, weight]) => `${name}=${weight}`);
      const parameters = { ...draw, fixes: "true", ...(query.node && { nodes: query.node }), ...(strategies.length && { strategies: strategies.join(",") }) };
      const answer = await askAboutPod(ns, pod, parameters);
      const before = strategies.length ? await askAboutPod(ns, pod, draw) : null;
      put({ answer, before });
    } catch (error) {
      put({ error });
    }
  }
  find(event) {
    event.preventDefault();
    const form = event.target.elements;
    if (!go(podLink(form.namespace.value.trim(), form.pod.value.trim()))) this.read();
  }
  form() {
    const { ns, pod } = this.props;
    return h(
      "form",
      { key: `${ns}/${pod}`, class: "line", onSubmit: (event) => this.find(event) },
      h(
        "p",
        null,
        h("label", { for: "namespace" }, "Namespace"),
        h("input", { id: "namespace", name: "namespace", required: true, defaultValue: ns || "default" }),
      ),
      h("p", null, h("label", { for: "pod" }, "Pod"), h("input", { id: "pod", name: "pod", required: true, defaultValue: pod ?? "" })),
      h("button", null, pod ? "Show again, or another pod" : "Why is it there?"),
      pod && this.liveNote(),
    );
  }
  scores(status, moved) {
    if (!status.topNodes?.length) return null;
    const strategies = status.strategies ?? [];
    const rows = rank(status, moved);
    const changed = movedWords(status, rows, strategies, moved);
    const weights = weightsText(changedWeights(strategies, moved));
    return h(
      "section",
      { "aria-labelledby": "scores" },
      h("h2", { id: "scores" }, "Scores"),
      h(Heat, { status, moved, caption: bestWords(status) }),
      strategies.length > 0 &&
        rows[0].scores.length > 0 && [
          h("p", { class: "live", role: "status", id: "moved" }, changed),
          h(Weights, {
            strategies,
            moved,
            still: stillOf(status, rows),
            onMove: (name, weight) => this.setState({ moved: { ...this.state.moved, [name]: weight } }),
            onMoved: (name, weight) =>
              rename(this.link({ weights: weightsText(changedWeights(strategies, { ...this.state.moved, [name]: weight })), now: "" })),
            onReset: () => this.setState({ moved: {} }, () => rename(this.link({ weights: "", now: "" }))),
          }),
          changed &&
            h(
              "p",
              { class: "note" },
              "Computed in the page, from the shown nodes only. Another node may be better: ",
              h("a", { id: "ask-weights", href: this.link({ weights, now: true }) }, "ask podium with these weights"),
              ".",
            ),
        ],
    );
  }
  preemption({ status, words }) {
    const found = status.preemption;
    if (!found) return null;
    const named = (found.victims ?? []).map(fullName);
    const more = found.victimsTotal - Math.min(named.length, VICTIMS);
    const names = `${named.slice(0, VICTIMS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    const verb = status.outcome === "Scheduled" ? "evicted" : "evicts";
    const against = words.violatedBudgets ? `, violating ${words.violatedBudgets}` : "";
    const stays = found.staticPods > 0 ? ` Static pods among them: ${found.staticPods}. The kubelet runs these again.` : "";
    return h(
      "div",
      { id: "preemption" },
      h("p", null, `To make room on ${found.nodeName}, podium ${verb} ${count(found.victimsTotal, "pod")}: ${names}${against}.${stays}`),
      named.length > VICTIMS &&
        h(
          "details",
          null,
          h("summary", null, named.length < found.victimsTotal ? `The first ${named.length} of them` : "All of them"),
          h("p", null, named.join(", ")),
        ),
    );
  }
  evictor({ evictedFor }) {
    if (!evictedFor) return null;
    const { namespace, name } = evictedFor;
    return h("p", null, "Why was it evicted? See ", h("a", { id: "evictor", href: podLink(namespace, name) }, fullName(evictedFor)), ".");
  }
  // The answer to the question that starts from this pod.
  now(report) {
    const { ns, pod, query } = this.props;
    const { asked } = this.state;
    if (report.words.gone) return null;
    const isPending = waits(report);
    const full = linkTo("ask", [ns, pod], { weights: query.weights });
    const more = h("p", null, h("a", { id: "ask-about", href: full }, "Ask with replicas, other weights or several nodes"), ".");
    return h(
      "section",
      { "aria-labelledby": "now-title" },
      h("h2", { id: "now-title" }, isPending ? "What would help?" : "Where would it go now?"),
      !asked && h("p", null, h("a", { id: "ask-now", href: this.link({ now: true }) }, "Ask podium"), ". Nothing is created or changed."),
      asked?.isLoading && !asked.answer && h("p", { role: "status" }, "Asking podium …"),
      asked?.isRefused && h("p", { class: "note", id: "may-not-ask" }, `You may not ask what-ifs about the pods of namespace ${ns}.`),
      h(Trouble, { error: asked?.error }),
      asked?.answer && [
        h("p", { id: "now", role: "status" }, answerVerdict(asked.answer)),
        h(Compared, { before: asked.before?.status, after: asked.answer.status, weights: asked.weights, pod: `${ns}/${pod}`, ns }),
        h(Fixes, { status: asked.answer.status, words: asked.answer.words }),
      ],
      !asked?.isRefused && more,
    );
  }
  whyNot() {
    const { query } = this.props;
    const { asked } = this.state;
    const { answer } = asked ?? {};
    const find = (event) => {
      event.preventDefault();
      if (!go(this.link({ node: event.target.elements.node.value.trim() }))) this.ask();
    };
    return h(
      "section",
      { "aria-labelledby": "why-not-title" },
      h("h2", { id: "why-not-title" }, "Why not on a node?"),
      h(
        "form",
        { class: "line", onSubmit: find, ref: (form) => (this.whyNotForm = form) },
        h("p", null, h("label", { for: "why-not" }, "Node"), h("input", { id: "why-not", name: "node", required: true, defaultValue: query.node ?? "" })),
        h("button", null, "What does each filter say?"),
      ),
      query.node && asked?.isLoading && h("p", { role: "status" }, "Asking podium …"),
      h(
        "div",
        { "aria-live": "polite" },
        query.node &&
          asked?.key.startsWith(`${query.node} `) &&
          (answer?.status.verdicts ?? []).map((verdict, i) => h(NodeVerdict, { key: verdict.nodeName, verdict, words: answer.words.verdicts[i] })),
      ),
    );
  }
  story(report) {
    const { ns, pod } = this.props;
    const { moved } = this.state;
    const { status, words } = report;
    const life = h("div", { class: "pair" }, this.now(report), h(Timeline, { attempts: status.attempts, moments: words.timeline }));
    return h(
      "div",
      { id: "report" },
      h("p", { class: "verdict", id: "verdict", role: "status" }, podVerdict(`${ns}/${pod}`, report)),
      h(
        "p",
        null,
        status.nodeCounts &&
          status.outcome !== "Gated" &&
          `${status.nodeCounts.feasible} of ${count(status.nodeCounts.total, "node")} fit. `,
        words.lead,
      ),
      h(Lines, { of: words.decided }),
      this.evictor(words),
      this.preemption(report),
      h(Lines, { id: "selector", of: words.selector }),
      h(Lines, { id: "replaces", of: words.replaces }),
      waits(report) && life,
      this.scores(status, moved),
      h(Devices, { status }),
      h(
        "div",
        { class: "pair" },
        h(Rejections, { status, words: words.rejections, linkOf: words.gone ? undefined : (node) => this.link({ node }) }),
        !words.gone && this.whyNot(),
      ),
      !waits(report) && life,
      h("p", { class: "note" }, "In a terminal: ", h("code", null, `kubectl podium why ${pod} -n ${ns}`)),
    );
  }
  render({ pod }, { report, error }) {
    const isGone = report?.words.gone;
    const isThere = !report || report.status.outcome === "Scheduled";
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, pod ? `Why ${isGone ? "was" : "is"} ${pod} ${isThere ? "there" : "not placed"}?` : "Why is a pod where it is?"),
      this.form(),
      pod && !report && !error && h("p", { role: "status" }, "Asking podium …"),
      h(Trouble, {
        error,
        next: "podium keeps the last decision on each pod for a while; the reports in the cluster may be kept longer.",
      }),
      error && this.evictor(error),
      report && this.story(report),
    );
  }
}
