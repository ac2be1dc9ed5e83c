// The page: its location (the address's hash), its user (the token), and its views.
import { Component, h, render } from "./vendor/preact.js";
import { hasToken, needsNoToken, setToken, words } from "./api.js";
import { AskView, newQuestion } from "./ask_view.js";
import { PodsView, WaitingView } from "./lists.js";
import { NowView } from "./now_view.js";
import { PodView } from "./pod_view.js";
import { useWords } from "./words.js";

// #/now/NS, #/pod/NS/POD, #/ask, #/waiting/NS, #/pods/NS
function here() {
  const [view = "", ns = "", pod = ""] = location.hash
    .replace(/^#\//, "")
    .split("/")
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  return { view: VIEWS.some(([name]) => name === view) ? view : "now", ns, pod };
}

const VIEWS = [
  ["now", "Now"],
  ["pod", "A pod"],
  ["ask", "What if"],
  ["waiting", "Waiting"],
  ["pods", "Decisions"],
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
    if (needsNoToken()) return h("p", { class: "token", id: "known" }, "podium is asked as the user of your kubeconfig.");
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
          "Forget it",
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

class Page extends Component {
  constructor() {
    super();
    this.state = { at: here(), question: newQuestion(), strategies: [], logins: 0 };
    this.report = (report) => {
      const strategies = report.status?.strategies ?? [];
      if (strategies.length) this.setState({ strategies: strategies.map(({ name, weight }) => ({ name, weight })) });
    };
  }
  componentDidMount() {
    addEventListener("hashchange", () => {
      this.setState({ at: here() }, () => {
        const title = document.querySelector("main h1");
        title?.focus();
        document.title = `${title?.textContent ?? ""} · podium`;
      });
    });
  }
  view({ at, question, strategies, logins }) {
    const key = `${at.view}/${at.ns}/${at.pod}/${logins}`;
    const onNamespace = (ns) => {
      location.hash = `#/${at.view}/${encodeURIComponent(ns)}`;
    };
    switch (at.view) {
      case "ask":
        return h(AskView, { question, strategies, onReport: this.report, onChange: (next) => this.setState({ question: next }) });
      case "waiting":
        return h(WaitingView, { key, ns: at.ns, onNamespace });
      case "pods":
        return h(PodsView, { key, ns: at.ns, onNamespace });
      case "pod":
        return h(PodView, {
          key,
          ns: at.ns,
          pod: at.pod,
          onReport: this.report,
          onCarry: (ns, moved) => this.setState({ question: { ...question, ns, moved: { ...moved } } }),
        });
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
        "To the content",
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
