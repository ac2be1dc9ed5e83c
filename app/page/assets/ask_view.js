// A what-if: a manifest, replicas, weights; and podium's answer.
import { Component, h } from "./vendor/preact.js";
import { ask, askAboutPod } from "./api.js";
import { Heat, Weights } from "./heat.js";
import { Compared } from "./compare.js";
import { Devices, Fixes, Lines, NodeVerdict, Rejections, Table, Trouble, Zones, namesOf } from "./parts.js";
import { go, linkTo, placeOf, rename, weightsIn, weightsText } from "./place.js";
import { changedWeights, movedWords, rank, stillOf } from "./scores.js";
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

const PLACES = 16; // rows that are not folded

export const newQuestion = () => ({
  ns: "default",
  pod: "",
  at: "", // the address that it is of, without weights
  weightsAt: "", // and those
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

// #/ask/NS/POD/NODE?replicas=3&room&no-fixes&weights=NAME:N: about a pod of the cluster, as stored.
// #/ask?ns=NS&nodes=NODE&manifest=TEXT&replicas=3&room&fixes&weights=NAME:N: about a manifest.
export function linkOf({ ns, pod, nodes, manifest, replicas, fixes, room, moved }, strategies) {
  const query = { replicas, room, weights: weightsText(changedWeights(strategies, moved)) };
  const names = namesOf(nodes).join(",");
  if (pod) return linkTo("ask", [ns, pod, names], { ...query, "no-fixes": !fixes });
  return linkTo("ask", [], { ns: ns.trim(), nodes: names, ...query, fixes, manifest });
}

// Whether the address has a question, not only a form.
const isAsked = ({ parts: [, pod], query }) => Boolean(pod || query.manifest);

// The question of an address. The form alone keeps what the user has typed.
export function questionAt(place, question) {
  const { parts, query } = place;
  const [ns = "", pod = "", node = ""] = parts;
  const at = linkTo("ask", parts, { ...query, weights: "" });
  const weightsAt = query.weights ?? "";
  if (at === question.at && weightsAt === question.weightsAt) return question;
  const fresh = { at, weightsAt, answer: null, before: null, error: null };
  if (!isAsked(place)) return question.pod ? { ...newQuestion(), manifest: question.manifest, ...fresh } : question;
  return {
    ...question,
    ...fresh,
    ns: pod ? ns : (query.ns ?? "default"),
    pod,
    nodes: pod ? node : (query.nodes ?? ""),
    manifest: query.manifest ?? question.manifest,
    replicas: query.replicas ?? "",
    room: Boolean(query.room),
    fixes: pod ? !query["no-fixes"] : Boolean(query.fixes),
    moved: weightsIn(query.weights),
  };
}

const hasScores = (question) => question.answer?.status?.topNodes?.length > 0;

export class AskView extends Component {
  // The question outlives the view, so that a user does not type a manifest twice.
  set(change) {
    this.props.onChange({ ...this.props.question, ...change });
  }
  componentDidMount() {
    const { question } = this.props;
    if (isAsked(placeOf(question.at)) && !question.answer && !question.error) this.submit();
  }
  componentDidUpdate(before) {
    // A new question, which has no answer yet: the address has changed.
    const { answer, error, at, weightsAt } = this.props.question;
    const isOther = at !== before.question.at || weightsAt !== before.question.weightsAt;
    if (!answer && !error && isOther && isAsked(placeOf(at))) this.submit();
  }
  ask(event) {
    event.preventDefault();
    const { question, strategies } = this.props;
    const link = linkOf(question, strategies);
    if (linkTo("ask", placeOf(link).parts, { ...placeOf(link).query, weights: "" }) !== question.at) return go(link);
    rename(link);
    this.submit();
  }
  async submit() {
    const { question, strategies } = this.props;
    // Both questions of a comparison draw alike among equal nodes.
    const parameters = { seed: String(Math.random()) };
    if (question.replicas) parameters.replicas = question.replicas;
    if (question.fixes) parameters.fixes = "true";
    const nodes = namesOf(question.nodes).join(",");
    if (nodes) parameters.nodes = nodes;
    if (question.room) parameters.room = "true";
    const moved = Object.entries(changedWeights(strategies, question.moved));
    if (moved.length) parameters.strategies = moved.map(([name, weight]) => `${name}=${weight}`).join(",");
    this.setState({ isLoading: true });
    const asked = (this.asked = {});
    const put = (change) => asked === this.asked && this.props.question.at === question.at && this.set(change);
    try {
      const send = (with_) =>
        question.pod ? askAboutPod(question.ns, question.pod, with_) : ask(question.ns.trim(), question.manifest, with_);
      const answer = await send(parameters);
      // The same with the profile's weights, so that the pods that move can be seen.
      const { replicas, seed } = parameters;
      const before = moved.length ? await send(replicas ? { replicas, seed } : { seed }) : null;
      put({ answer, before, answered: Object.fromEntries(moved), error: null });
      this.props.onReport(before ?? answer);
    } catch (error) {
      put({ answer: null, error });
    }
    if (asked === this.asked) this.setState({ isLoading: false });
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
      { id: "question", class: "ask", onSubmit: (event) => this.ask(event) },
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
            placeholder: "as in the manifest",
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
  // The weights of the address; all else there is what was asked.
  rename(moved) {
    const { parts, query } = placeOf(location.hash);
    rename(linkTo("ask", parts, { ...query, weights: weightsText(changedWeights(this.props.strategies, moved)) }));
  }
  weights(question, strategies, again, still) {
    return h(
      Weights,
      {
        strategies,
        moved: question.moved,
        still,
        onMove: (name, weight) => this.set({ moved: { ...question.moved, [name]: weight } }),
        onMoved: (name, weight) => this.rename({ ...this.props.question.moved, [name]: weight }),
        onReset: () => {
          this.set({ moved: {} });
          this.rename({});
        },
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
    const lacking = Object.entries(changedWeights(this.props.strategies, question.moved))
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
    const shown = places.length > PLACES + 4 ? PLACES : places.length;
    const table = (id, caption, some) =>
      h(
        Table,
        { id, caption, columns: ["Node", "Pods"], numbers: ["Pods"] },
        some.map((one) => h("tr", { key: one.nodeName }, h("th", { scope: "row" }, one.nodeName), h("td", { class: "number" }, one.count))),
      );
    return h(
      "section",
      { "aria-labelledby": "places" },
      h("h2", { id: "places" }, "Where they go"),
      table("placements", "Nodes and how many they take", places.slice(0, shown)),
      shown < places.length &&
        h(
          "details",
          { key: "more" },
          h("summary", null, `${count(places.length - shown, "more node")} that ${places.length - shown === 1 ? "takes" : "take"} as many or fewer`),
          table("more-placements", "More nodes and how many they take", places.slice(shown)),
        ),
      status.placementsTotal > places.length &&
        h("p", { class: "note" }, `And ${count(status.placementsTotal - places.length, "more node")}, not listed.`),
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
      h(Lines, { id: "replaces", of: words.replaces }),
      h(Compared, {
        before: question.before?.status,
        after: status,
        weights: question.answered,
        pod: question.pod && !question.replicas ? `${question.ns}/${question.pod}` : "",
        ns: question.ns,
      }),
      failure && status.replicas?.asked > 1 && h("p", null, failure.replica > 0 && `Replica ${failure.replica}: `, failure.message ?? failure.reason ?? ""),
      h(Fixes, { status, words }),
      status.notModelled?.length > 0 && h("p", { class: "note" }, `Not considered: ${status.notModelled.join(", ")}.`),
      (status.verdicts ?? []).map((verdict, i) => h(NodeVerdict, { key: verdict.nodeName, verdict, words: words.verdicts[i] })),
      h(Lines, { id: "stuck-rollout", of: words.stuckRollout }),
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
