// The page: its location (the address's hash), its user (the token), and its views.
import { Component, h, render } from "./vendor/preact.js";
import { access, door, hasToken, needsNoToken, nodes, setToken, words } from "./api.js";
import { AskView, newQuestion, questionAt } from "./ask_view.js";
import { CapacityView } from "./capacity_view.js";
import { DrainView } from "./drain_view.js";
import { FindView, SearchForm } from "./find_view.js";
import { PodsView, WaitingView } from "./lists.js";
import { NowView } from "./now_view.js";
import { NodesView } from "./nodes_view.js";
import { linkTo, placeOf } from "./place.js";
import { PodView } from "./pod_view.js";
import { TopologyView } from "./topology.js";
import { WeightsView } from "./weights_view.js";
import { count, useWords } from "./words.js";

// Where the page is: { view, parts, query, ns, pod }; ns and pod are the first parts of most views.
function here() {
  const { view, parts, query } = placeOf(location.hash);
  const known = ["find", "weights"].includes(view) || VIEWS.some(([name]) => name === view) ? view : "now";
  const [ns = "", pod = ""] = parts;
  return { view: known, parts, query, ns, pod };
}

const VIEWS = [
  ["now", "Now"],
  ["pod", "A pod"],
  ["ask", "What if"],
  ["waiting", "Waiting"],
  ["pods", "Decisions"],
  ["topology", "Topology"],
  ["drain", "Drain"],
  ["capacity", "Capacity"],
  ["nodes", "Nodes"],
];

class Token extends Component {
  save(event) {
    event.preventDefault();
    const field = event.target.elements.token;
    setToken(field.value);
    field.value = "";
    this.props.onToken();
  }
  render({ onToken }) {
    if (needsNoToken()) return h("p", { class: "token", id: "known" }, "podium answers with the rights of your kubeconfig's user.");
    if (hasToken()) {
      return h(
        "p",
        { class: "token" },
        "A token is in use. ",
        h(
          "button",
          {
            type: "button",
            onClick: () => {
              setToken("");
              onToken();
            },
          },
          "Remove the token",
        ),
      );
    }
    return h(
      "form",
      { class: "token", onSubmit: (event) => this.save(event) },
      h("label", { for: "token" }, "Token"),
      h("input", {
        id: "token",
        name: "token",
        type: "password",
        autocomplete: "off",
        required: true,
        "aria-describedby": "token-note",
      }),
      h("button", null, "Use"),
      h("small", { id: "token-note" }, h("code", null, "kubectl create token NAME"), " prints one. It stays in this tab."),
    );
  }
}

// The context and the user of the kubeconfig; for those who may list nodes, the leader and the number of nodes.
class Where extends Component {
  constructor() {
    super();
    this.state = { known: null, cluster: null };
  }
  componentDidMount() {
    this.read();
  }
  async read() {
    if (!hasToken() && !needsNoToken()) return;
    try {
      const known = await access();
      this.setState({ known });
      if (known.mayListNodes) this.setState({ cluster: (await nodes(true)).metadata });
    } catch {
      this.setState({ known: null }); // the view has the same trouble, and says so
    }
  }
  render(_, { known, cluster }) {
    const { context, user = known?.user, namespace } = door();
    const parts = [
      context && `context ${context}`,
      user && (namespace ? `${user}@${namespace}` : user),
      known?.leader && `leader ${known.leader.split("_")[0]}`,
      cluster && `${count(cluster.nodes, "node")}${cluster.cordoned ? `, ${cluster.cordoned} cordoned` : ""}`,
    ].filter(Boolean);
    return parts.length > 0 && h("p", { id: "where" }, parts.join(" · "));
  }
}

class Page extends Component {
  constructor() {
    super();
    const at = here();
    this.state = { at, question: Page.asked(at, newQuestion()), strategies: [], logins: 0 };
    this.report = (report) => {
      const strategies = report.status?.strategies ?? [];
      if (strategies.length) this.setState({ strategies: strategies.map(({ name, weight }) => ({ name, weight })) });
    };
  }
  static asked(at, question) {
    return at.view === "ask" ? questionAt(at, question) : question;
  }
  componentDidMount() {
    const entitle = () => {
      const title = document.querySelector("main h1");
      document.title = `${title?.textContent ?? ""} · podium`;
      return title;
    };
    entitle();
    addEventListener("hashchange", () => {
      const [at, before] = [here(), this.state.at];
      const isSame = linkTo(at.view, at.parts) === linkTo(before.view, before.parts);
      // Another question of the same view leaves the focus where it is.
      this.setState({ at, question: Page.asked(at, this.state.question) }, () => (isSame ? entitle() : entitle()?.focus()));
    });
    addEventListener("placerenamed", () => {
      const at = here();
      const { question } = this.state;
      this.setState({ at, question: at.view === "ask" ? { ...question, weightsAt: at.query.weights ?? "" } : question });
    });
  }
  view({ at, question, strategies, logins }) {
    const { query } = at;
    const key = `${at.view}/${at.ns}/${at.pod}/${logins}`;
    const onNamespace = (ns) => {
      location.hash = linkTo(at.view, [ns]);
    };
    switch (at.view) {
      case "ask":
        return h(AskView, { question, strategies, onReport: this.report, onChange: (next) => this.setState({ question: next }) });
      case "waiting":
        return h(WaitingView, { key, ns: at.ns, onNamespace });
      case "pods":
        return h(PodsView, { key, ns: at.ns, query, onNamespace });
      case "pod":
        return h(PodView, { key, ns: at.ns, pod: at.pod, query, onReport: this.report });
      case "topology":
        return h(TopologyView, { key: `topology/${logins}`, resource: at.ns, node: at.pod });
      case "drain":
        return h(DrainView, { key: `drain/${logins}`, node: at.ns, query });
      case "nodes":
        return h(NodesView, { key: `nodes/${logins}`, kind: at.ns, query });
      case "capacity":
        return h(CapacityView, { key: `capacity/${logins}`, query });
      case "weights":
        return h(WeightsView, { key: `weights/${logins}`, query });
      case "find":
        return h(FindView, { key: `find/${logins}`, text: at.ns });
      default:
        return h(NowView, { key, ns: at.ns, onNamespace });
    }
  }
  render(_, state) {
    return [
      h(
        "a",
        {
          class: "skip",
          href: "#main",
          onClick: (event) => {
            event.preventDefault();
            document.getElementById("main").focus();
          },
        },
        "Skip to content",
      ),
      h(
        "header",
        null,
        h("a", { class: "brand", href: "#/now" }, h("img", { src: "icon.svg", alt: "", width: 22, height: 22 }), "podium"),
        h(
          "nav",
          { "aria-label": "Views" },
          VIEWS.map(([name, title]) =>
            h("a", { key: name, href: `#/${name}`, "aria-current": state.at.view === name ? "page" : undefined }, title),
          ),
        ),
        h(SearchForm, { text: state.at.view === "find" ? state.at.ns : "" }),
        h(Where, { key: state.logins }),
        h(Token, {
          onToken: () => this.setState({ logins: state.logins + 1, question: { ...state.question, error: null, answer: null } }),
        }),
      ),
      h("main", { id: "main", tabindex: -1 }, this.view(state)),
    ];
  }
}

useWords(await words());
render(h(Page), document.getElementById("page"));
