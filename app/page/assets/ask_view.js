// A what-if: a manifest, replicas, weights; and podium's answer.
import { Component, h } from "./vendor/preact.js";
import { ask, askAboutPod } from "./api.js";
import { Heat, Weights } from "./heat.js";
import { Compared, movesOf } from "./compare.js";
import { Devices, Lines, NodeVerdict, Rejections, Table, Trouble, Zones } from "./parts.js";
import { movedWords, rank, stillOf } from "./scores.js";
import { answerVerdict, bestWords, count } from "./words.js";

const EXAMPLE = `apiVersion: v1
kind: Pod
metadata:
  name: api
spec:
  containers:
  - name: main
    image: api:v1
    resources:
      requests: {cpu: 500m, memory: 256Mi}
`;

export const newQuestion = () => ({
  ns: "default",
  pod: "",
  at: "", // NS/POD/NODE of the address
  nodes: "",
  manifest: EXAMPLE,
  replicas: "",
  fixes: false,
  room: false,
  moved: {},
  answer: null,
  before: null, // the answer with the profile's weights, next to one with others
  error: null,
});

// The question about a pod of the cluster, as it is there: what #/ask/NS/POD/NODE asks. Without a pod, about a manifest.
export const questionAbout = (question, ns, pod, node) => ({
  ...question,
  ns,
  pod,
  nodes: node,
  at: pod && `${ns}/${pod}/${node}`,
  replicas: "",
  fixes: Boolean(pod),
  answer: null,
  before: null,
  error: null,
});

// The weights that differ from those of the profile.
const movedOf = (strategies, moved) =>
  Object.entries(moved).filter(([name, weight]) => weight !== strategies.find((one) => one.name === name)?.weight);

// A pod that fits may be asked about on another node.
function fixesTitle({ outcome, replicas, fixes }) {
  if (outcome === "Fits" && fixes[0].nodeName) return `It would fit on ${fixes[0].nodeName}, if you`;
  return replicas?.asked > 1 ? "More would fit, if you" : "It would fit, if you";
}

// With the fix: the place of the node that the question names, next to the best one.
function rankWords({ nodeName, rank, feasible, score, bestNode, bestScore }) {
  if (!rank) return "";
  const place = `; ${nodeName} would rank ${rank} of ${feasible ?? rank}`;
  if (!bestNode || bestScore === undefined || score === undefined) return place;
  if (bestNode === nodeName) return `${place}: it would go there`;
  return bestScore > score ? `${place}: it would still go to ${bestNode}, which has ${count(bestScore - score, "more point")}` : `${place}: as good as ${bestNode}`;
}

const hasScores = (question) => question.answer?.status?.topNodes?.length > 0;

export class AskView extends Component {
  // The question outlives the view, so that a user does not type a manifest twice.
  set(change) {
    this.props.onChange({ ...this.props.question, ...change });
  }
  componentDidMount() {
    if (this.props.question.pod) this.submit();
  }
  componentDidUpdate(before) {
    // A new question, which has no answer yet: the address has changed.
    const { pod, answer, error, at } = this.props.question;
    if (pod && !answer && !error && at !== before.question.at) this.submit();
  }
  async submit(event) {
    event?.preventDefault();
    const { question, strategies } = this.props;
    // Both questions of a comparison draw alike among equal nodes.
    const parameters = { seed: String(Math.random()) };
    if (question.replicas) parameters.replicas = question.replicas;
    if (question.fixes) parameters.fixes = "true";
    const nodes = question.nodes.split(/[\s,]+/).filter(Boolean).join(",");
    if (nodes) parameters.nodes = nodes;
    if (question.room) parameters.room = "true";
    const moved = movedOf(strategies, question.moved);
    if (moved.length) parameters.strategies = moved.map(([name, weight]) => `${name}=${weight}`).join(",");
    this.setState({ isLoading: true });
    try {
      const send = (with_) =>
        question.pod ? askAboutPod(question.ns, question.pod, with_) : ask(question.ns.trim(), question.manifest, with_);
      const answer = await send(parameters);
      // The same with the profile's weights, so that the pods that move can be seen.
      const { replicas, seed } = parameters;
      const before = moved.length ? await send(replicas ? { replicas, seed } : { seed }) : null;
      this.set({ answer, before, answered: Object.fromEntries(moved), error: null });
      if (!moved.length) this.props.onReport(answer);
    } catch (error) {
      this.set({ answer: null, error });
    }
    this.setState({ isLoading: false });
  }
  form(question, strategies, isLoading) {
    const put = (field) => (event) => this.set({ [field]: event.target.value });
    const check = (field, label) =>
      h(
        "p",
        { class: "check" },
        h("input", {
          id: field,
          type: "checkbox",
          checked: question[field],
          onInput: (event) => this.set({ [field]: event.target.checked }),
        }),
        h("label", { for: field }, label),
      );
    return h(
      "form",
      { id: "question", class: "ask", onSubmit: (event) => this.submit(event) },
      h(
        "div",
        { class: "line" },
        h(
          "p",
          null,
          h("label", { for: "ask-namespace" }, "Namespace"),
          h("input", { id: "ask-namespace", required: true, readonly: Boolean(question.pod), value: question.ns, onInput: put("ns") }),
        ),
        h(
          "p",
          null,
          h("label", { for: "replicas" }, "Replicas"),
          h("input", {
            id: "replicas",
            type: "number",
            min: 1,
            max: 10000,
            value: question.replicas,
            placeholder: "as it says",
            onInput: put("replicas"),
          }),
        ),
        h(
          "p",
          null,
          h("label", { for: "ask-nodes" }, "Why not on"),
          h("input", { id: "ask-nodes", value: question.nodes, placeholder: "a node, or several", onInput: put("nodes") }),
        ),
        check("room", "count how many more fit"),
        check("fixes", "look for a change that would let it fit"),
      ),
      question.pod
        ? h(
            "p",
            { id: "about" },
            `About the pod ${question.ns}/${question.pod}, as it is in the cluster. `,
            h("a", { href: "#/ask" }, "Ask with a manifest"),
          )
        : h(
            "p",
            null,
            h("label", { for: "manifest" }, "A Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet or Job, in YAML or JSON"),
            h("textarea", {
              id: "manifest",
              rows: 14,
              spellcheck: false,
              required: true,
              value: question.manifest,
              onInput: put("manifest"),
            }),
          ),
      !strategies.length && h("p", { class: "note" }, "The first answer shows the weights; then you can move them."),
      strategies.length > 0 && !hasScores(question) && this.weights(question, strategies),
      h(
        "p",
        null,
        h("button", { id: "ask", class: "main", disabled: isLoading }, isLoading ? "Asking …" : "Ask podium"),
        h("span", { class: "note" }, " Nothing is created or changed."),
      ),
    );
  }
  weights(question, strategies, again, still) {
    return h(
      Weights,
      {
        strategies,
        moved: question.moved,
        still,
        onMove: (name, weight) => this.set({ moved: { ...question.moved, [name]: weight } }),
        onReset: () => this.set({ moved: {} }),
      },
      again,
    );
  }
  // The effect of a weight that is moved after the answer on the shown rows, until podium is asked again.
  scores(status, question) {
    if (!status.topNodes?.length) return null;
    const strategies = status.strategies ?? [];
    const moved = {};
    for (const one of strategies) {
      const profile = this.props.strategies.find((other) => other.name === one.name)?.weight ?? one.weight;
      moved[one.name] = question.moved[one.name] ?? profile;
    }
    const rows = rank(status, moved);
    const changed = movedWords(status, rows, strategies, moved);
    const lacking = movedOf(this.props.strategies, question.moved)
      .concat(Object.entries(question.answered ?? {}))
      .some(([name]) => !strategies.some((one) => one.name === name) && (question.moved[name] ?? 1) !== 0);
    return h(
      "section",
      { "aria-labelledby": "answer-scores" },
      h("h2", { id: "answer-scores" }, "Scores of the first one"),
      h(Heat, {
        status,
        moved,
        caption: bestWords(status),
      }),
      h("p", { class: "live", role: "status", id: "moved" }, changed && `${changed} Ask again for the real answer.`),
      lacking && h("p", { class: "note" }, "A strategy that was off has no scores here: ask again."),
      this.weights(
        question,
        this.props.strategies.length ? this.props.strategies : strategies,
        h(
          "button",
          { id: "ask-again", form: "question", class: "main", disabled: this.state.isLoading },
          "Ask podium with these weights",
        ),
        stillOf(status, rows),
      ),
    );
  }
  places(status) {
    const places = status.placements ?? [];
    if (!places.length) return null;
    return h(
      "section",
      { "aria-labelledby": "places" },
      h("h2", { id: "places" }, "Where they go"),
      h(
        Table,
        { id: "placements", caption: "Nodes and how many they take", columns: ["Node", "Pods"], numbers: ["Pods"] },
        places.map((one) => h("tr", { key: one.nodeName }, h("th", { scope: "row" }, one.nodeName), h("td", { class: "number" }, one.count))),
      ),
      status.placementsTotal > places.length &&
        h("p", { class: "note" }, `And ${count(status.placementsTotal - places.length, "more node")}.`),
    );
  }
  answer(question) {
    const status = question.answer?.status;
    if (!status) return null;
    const { words } = question.answer;
    const failure = status.firstFailure;
    return h(
      "section",
      { id: "answer", "aria-labelledby": "answer-title" },
      h("h2", { id: "answer-title" }, "Answer"),
      h("p", { class: "verdict", role: "status", id: "answer-verdict" }, answerVerdict(question.answer)),
      words.lead && h("p", null, words.lead),
      h(Lines, { of: words.decided }),
      h(Lines, { id: "selector", of: words.selector }),
      h(Compared, { moves: question.before && movesOf(question.before.status, status), weights: question.answered }),
      failure && status.replicas?.asked > 1 && h("p", null, `Replica ${failure.replica}: ${failure.message ?? failure.reason ?? ""}`),
      status.fixes?.length > 0 && [
        h("h2", null, fixesTitle(status)),
        h(
          "ul",
          { id: "fixes-found" },
          words.fixes.map(({ what, outcome, snippet }, i) =>
            h("li", { key: what }, what, outcome, rankWords(status.fixes[i]), snippet && h("pre", null, snippet)),
          ),
        ),
      ],
      h(Lines, { of: words.noFix }),
      status.notModelled?.length > 0 && h("p", { class: "note" }, `Not considered: ${status.notModelled.join(", ")}.`),
      (status.verdicts ?? []).map((verdict, i) => h(NodeVerdict, { key: verdict.nodeName, verdict, words: words.verdicts[i], feasible: status.nodeCounts?.feasible })),
      h(Lines, { id: "room-left", of: words.room }),
      h(Lines, { id: "quotas", of: words.quotas }),
      h(Zones, { status }),
      this.places(status),
      this.scores(status, question),
      h(Devices, { status }),
      failure ? h(Rejections, { status: failure, words: words.firstFailure?.rejections }) : h(Rejections, { status, words: words.rejections }),
    );
  }
  render({ question, strategies }, { isLoading }) {
    return h(
      "div",
      null,
      h("h1", { tabindex: -1 }, "Where would a pod go?"),
      this.form(question, strategies, isLoading),
      h(Trouble, {
        error: question.error,
        next: question.error?.status === 400 || question.error?.status === 422 ? "Correct the manifest and ask again." : "",
      }),
      this.answer(question),
    );
  }
}
