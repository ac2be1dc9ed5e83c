// A view with a question about nodes, which is asked in a namespace.
import { Component, h } from "./vendor/preact.js";
import { access, decisions, ownNamespace } from "./api.js";

// A question needs a pod. This one fits nowhere, so it takes no room from the others.
export const NO_POD = { spec: { nodeSelector: { "podium.dev/no-node": "true" }, containers: [{ name: "none", image: "none" }] } };

// The namespace of the most of these decisions.
function mostOf(items, otherwise) {
  const numbers = new Map();
  for (const { namespace } of items) numbers.set(namespace, (numbers.get(namespace) ?? 0) + 1);
  return [...numbers].sort((a, b) => b[1] - a[1])[0]?.[0] ?? otherwise;
}

// A form with a namespace (?ns=), in which the question is asked. Derived: isAsked(), ask(ns), which returns the answer,
// and place(), the part of the address that the question follows from.
export class Asking extends Component {
  constructor() {
    super();
    // ns: as it is typed; answeredIn: of the answer.
    this.state = { ns: "", answeredIn: "", answer: null, error: null, isLoading: false };
  }
  async componentDidMount() {
    const ns = this.props.query.ns ?? (await this.known());
    if (this.state.ns) return; // the user was faster
    this.setState({ ns }, () => this.isAsked() && !this.state.answer && !this.state.isLoading && this.submit());
  }
  known() {
    return (this.search ??= this.usual()
      .catch(() => "default")
      .then((ns) => (this.usualNs = ns)));
  }
  // The namespace with the most pods that the question is about, of those that the user may list.
  async usual() {
    const { user, mayListDecisions } = await access();
    if (!mayListDecisions) return ownNamespace(user);
    const { items } = await decisions("", this.about());
    return mostOf(items.filter((item) => this.isAbout(item)), ownNamespace(user));
  }
  about() {
    return { newest: "true", limit: "500" };
  }
  isAbout() {
    return true;
  }
  componentDidUpdate(before) {
    const is = (props) => JSON.stringify(this.place(props));
    if (is(before) === is(this.props)) return;
    this.asked = null; // an answer to the old place comes too late
    const asked = this.props;
    this.setState({ answer: null, error: null, isLoading: false });
    Promise.resolve(asked.query.ns ?? this.known()).then((ns) => {
      if (is(asked) === is(this.props)) this.setState({ ns }, () => this.isAsked() && this.submit());
    });
  }
  async submit() {
    const asked = (this.asked = {});
    this.setState({ isLoading: true });
    try {
      const ns = this.state.ns.trim() || (await this.known());
      const answer = await this.ask(ns);
      if (asked === this.asked) this.setState({ ns, answeredIn: ns, answer, error: null, isLoading: false });
    } catch (error) {
      if (asked === this.asked) this.setState({ answer: null, error, isLoading: false });
    }
  }
  namespace(words) {
    return h(
      "p",
      null,
      h("label", { for: "asked-namespace" }, words),
      h("input", { id: "asked-namespace", name: "ns", value: this.state.ns, onInput: (event) => this.setState({ ns: event.target.value }) }),
    );
  }
}
