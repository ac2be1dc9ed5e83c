// Pieces that several views show.
import { Component, h } from "./vendor/preact.js";
import { roundedUp } from "./amounts.js";
import { count, filterWords, quotaWords, reasonWords, roomWords, shortOfWords, shortWords, time } from "./words.js";

export const podLink = (ns, pod) => `#/pod/${encodeURIComponent(ns)}/${encodeURIComponent(pod)}`;

// A refusal: the server's message, and a remedy.
export function Trouble({ error, next }) {
  if (!error) return null;
  const hint =
    error.status === 401
      ? error.hasToken
        ? "The token is not valid here, or no longer. Paste another one."
        : "Paste a token above: podium asks the API server who you are."
      : error.status === 403
        ? "The API server refused it: podium shows only what you may read there. Ask for the right, or for another namespace."
        : next;
  return h(
    "div",
    { class: "trouble", role: "alert" },
    h(
      "p",
      null,
      h("b", null, error.status === 403 ? "You may not see this." : error.status === 401 ? "Who are you?" : "No answer."),
    ),
    h("p", { class: "words" }, error.message),
    hint && h("p", null, hint),
  );
}

const resourceOf = (cause) => cause?.about?.resource;

// What each filter says about a node that the question names: the rejections first.
export function NodeVerdict({ verdict }) {
  const { nodeName, fits, rank, score, checks = [], resources = [] } = verdict;
  const short = new Set(checks.flatMap((one) => (one.causes ?? []).map(resourceOf)));
  const amount = ({ resource, requested, free }) => `${resource}: asks for ${roundedUp(resource, requested)}, ${roundedUp(resource, free)} free`;
  const bad = resources.filter((one) => short.has(one.resource)).map(amount);
  const good = resources.filter((one) => !short.has(one.resource)).map(amount);
  for (const { plugin, passes, reasons = [], causes = [] } of checks) {
    if (passes && !(plugin === "NodeResourcesFit" && resources.length)) good.push(filterWords(plugin));
    reasons.forEach((reason, i) => {
      if (!resources.some((one) => one.resource === resourceOf(causes[i]))) bad.push(reasonWords({ ...causes[i], reason }));
    });
  }
  const line = (mark, kind, words) => h("li", { key: words }, h("b", { class: kind }, mark), h("span", { class: "unseen" }, kind === "bad" ? "rejects: " : "passes: "), ` ${words}`);
  return h(
    "section",
    { class: "node-verdict", "aria-label": `The node ${nodeName}` },
    h("h2", null, fits ? `It fits on ${nodeName}${rank ? `: rank ${rank}` : ""}${score !== undefined ? `, ${count(score, "point")}` : ""}` : `Not on ${nodeName}`),
    h("ul", { class: "checks" }, bad.map((words) => line("✗", "bad", words)), good.map((words) => line("✓", "good", words))),
    verdict.wouldFitWith && h("p", null, `It would fit there, if you ${verdict.wouldFitWith}.`),
  );
}

// `linkOf`: the address of a node's verdict; may be empty.
export function Rejections({ status, linkOf }) {
  const groups = status.rejections ?? [];
  if (!groups.length) return null;
  const isShort = groups.some(shortWords);
  const columns = ["Nodes", "Reason", "For instance", ...(isShort ? ["Missing"] : [])];
  const shown = groups.reduce((sum, one) => sum + one.nodeCount, 0);
  return h(
    "section",
    { "aria-labelledby": "rejected-nodes" },
    h("h2", { id: "rejected-nodes" }, "Rejected nodes"),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        { id: "rejections" },
        h("caption", { class: "unseen" }, "Groups of rejected nodes"),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((text, i) => h("th", { key: text, scope: "col", class: i ? "" : "number" }, text)),
          ),
        ),
        h(
          "tbody",
          null,
          groups.map((one) =>
            h(
              "tr",
              { key: `${one.plugin} ${one.code} ${one.reason}` },
              h("td", { class: "number" }, one.nodeCount),
              h("th", { scope: "row", title: one.reason }, reasonWords(one, one.nodeCount)),
              h("td", null, (one.examples ?? []).map((node, i) => [i > 0 && ", ", linkOf ? h("a", { href: linkOf(node) }, node) : node])),
              isShort && h("td", null, shortWords(one)),
            ),
          ),
        ),
      ),
    ),
    status.rejectionsTotal > groups.length &&
      h("p", { class: "note" }, `${count(shown, "node")} in the ${groups.length} largest of ${status.rejectionsTotal} groups.`),
  );
}

// The devices that the pod's claims get.
export function Devices({ status }) {
  const devices = status.devices ?? [];
  if (!devices.length) return null;
  const cut = (status.devicesTotal ?? devices.length) - devices.length;
  return h(
    "section",
    { "aria-labelledby": "devices-title" },
    h("h2", { id: "devices-title" }, "Devices"),
    h(
      "ul",
      { id: "devices" },
      devices.map((one) =>
        h(
          "li",
          { key: `${one.claimName} ${one.request} ${one.pool} ${one.device}` },
          `${one.request}: ${one.pool}/${one.device} of ${one.driver}, claim ${one.claimName}`,
        ),
      ),
    ),
    cut > 0 && h("p", { class: "note" }, `And ${cut} more.`),
  );
}

// How many more fit, and what is short then.
export function Room({ room }) {
  if (!room) return null;
  const words = roomWords(room);
  return h("p", { id: "room-left" }, `${words[0].toUpperCase()}${words.slice(1)}. ${shortOfWords(room.firstFailure)}`.trim());
}

// The number that the quotas of the namespace allow, regardless of room on nodes.
export function Quotas({ status }) {
  if (!status.quotas?.length) return null;
  const asked = status.replicas?.asked ?? 1;
  return h(
    "ul",
    { id: "quotas" },
    status.quotas.map((one) => h("li", { key: one.name }, `Quota ${one.name}: ${quotaWords(one, asked)}.`)),
  );
}

// The replicas by zone, next to the current pods. Omitted for one zone.
export function Zones({ status }) {
  const zones = [...(status.zones ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const cut = (status.zonesTotal ?? zones.length) - zones.length;
  if (zones.length + cut < 2 || !zones.some((one) => one.count > 0)) return null;
  const hasNow = zones.some((one) => one.now > 0);
  const columns = ["Zone", ...(hasNow ? ["Now", "Then"] : ["Pods"])];
  return h(
    "section",
    { "aria-labelledby": "zones-title" },
    h("h2", { id: "zones-title" }, "By zone"),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        { id: "zones" },
        h("caption", { class: "unseen" }, "Zones and how many pods they take"),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((text, i) => h("th", { key: text, scope: "col", class: i ? "number" : "" }, text)),
          ),
        ),
        h(
          "tbody",
          null,
          zones.map((one) =>
            h(
              "tr",
              { key: one.name },
              h("th", { scope: "row" }, one.name),
              hasNow && h("td", { class: "number" }, one.now ?? 0),
              h("td", { class: "number" }, one.count),
            ),
          ),
        ),
      ),
    ),
    cut > 0 && h("p", { class: "note" }, `And ${count(cut, "more zone")}.`),
  );
}

// A list that shows a part, and more on demand: thousands of rows stay quick.
export class Windowed extends Component {
  constructor() {
    super();
    this.state = { shown: 50 };
  }
  render({ items, one }, { shown }) {
    return h(
      "div",
      null,
      h("ul", { class: "names" }, items.slice(0, shown).map(one)),
      items.length > shown &&
        h(
          "button",
          { type: "button", onClick: () => this.setState({ shown: shown + 200 }) },
          `Show more (${items.length - shown} left)`,
        ),
    );
  }
}

export function Attempts({ status }) {
  const now = {
    at: status.decidedAt,
    outcome: status.outcome,
    reason: status.rejections?.[0]?.reason ?? "",
    nodeCount: status.rejections?.[0]?.nodeCount,
  };
  const history = [...(status.history ?? [])].reverse();
  const all = history.concat(now);
  // A gated pod waits: that does not count as an attempt.
  const earlier = status.attempts - (status.outcome === "Gated" ? history : all).length;
  return h(
    "section",
    { "aria-labelledby": "attempts-title" },
    h("h2", { id: "attempts-title" }, `${count(status.attempts, "attempt")}`),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        { id: "attempts" },
        h("caption", { class: "unseen" }, "Attempts in time, the last at the end"),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["When", "Outcome", "Most frequent reason"].map((text) => h("th", { key: text, scope: "col" }, text)),
          ),
        ),
        h(
          "tbody",
          null,
          all.map((one, i) =>
            h(
              "tr",
              { key: i },
              h("th", { scope: "row" }, h("time", { datetime: one.at }, time(one.at))),
              h("td", null, one.outcome),
              h(
                "td",
                null,
                one.reason &&
                  one.outcome !== "Scheduled" &&
                  `${one.reason}${one.nodeCount ? ` (${count(one.nodeCount, "node")})` : ""}`,
              ),
            ),
          ),
        ),
      ),
    ),
    earlier > 0 &&
      h("p", { class: "note" }, `${count(earlier, "earlier attempt")} ${earlier === 1 ? "is" : "are"} no longer known.`),
  );
}
