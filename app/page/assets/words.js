// A report in plain words. The words for strategies and reasons are podium's own: words.json.

import { roundedUp } from "./amounts.js";

let tables = { strategies: [], filters: [], reasons: {} };
export function useWords(given) {
  tables = given;
}

export const strategyWords = (name) => tables.strategies.find(([known]) => known === name)?.[1] ?? name;

export const filterWords = (plugin) => tables.filters.find(([known]) => known === plugin)?.[1] ?? plugin;

// The words of a rejection by its code, as reason_words() of explain/report/words.cc; kube-scheduler's own text
// if the code has none.
export function reasonWords({ code, reason, about = {} }, nodes = 1) {
  const known = tables.reasons[code];
  if (!known) return reason ?? "";
  const names = {
    resource: about.resource,
    claim: about.claimName,
    class: about.storageClassName ?? about.deviceClassName,
    volume: about.volumeName,
    request: about.request,
    driver: about.driver,
  };
  return known[nodes === 1 ? 0 : 1].replace(/ ?\{(\w+)\}/g, (all, topic) =>
    names[topic] ? `${all[0] === " " ? " " : ""}${names[topic]}` : "",
  );
}

// Whether the pod itself is the cause, on any node.
export const isOfPod = ({ code }) => tables.reasons[code]?.[2] ?? false;

export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const time = (text) => (text ? clock.format(new Date(text)) : "");

const spans = new Intl.RelativeTimeFormat(undefined, { style: "short" });
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
// How long ago, in one unit; the exact time belongs into the title.
export function ago(text, now = Date.now()) {
  if (!text) return "";
  const seconds = Math.max(0, Math.round((now - new Date(text)) / 1000));
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? UNITS.at(-1);
  return spans.format(-Math.floor(seconds / size), unit);
}

// How the chosen node leads.
export function leadWords(choice, feasible, isQuestion = false) {
  if (feasible === 1 || choice.score === undefined) return "the only node that fits";
  const points = count(choice.score, "point");
  // The UID decides a tie, and a question's pod does not have one yet.
  if (choice.tiedNodes > 1)
    return `${points}, ${isQuestion ? `one of ${choice.tiedNodes} equal nodes` : `a tie of ${choice.tiedNodes} nodes, drawn by the pod’s UID`}`;
  if (choice.margin !== undefined) return `${points}, ${choice.margin} ahead of the next node`;
  return points;
}

// The first score below that of a tie.
export function marginWords(choice) {
  if (!(choice?.tiedNodes > 1)) return "";
  return choice.margin === undefined
    ? "All nodes that fit are in the tie."
    : `Lead over the first node not tied: ${choice.margin}.`;
}

// A sentence for each strategy without which another node would have won.
export const decidedWords = (status) =>
  (status.strategies ?? [])
    .filter((one) => one.without)
    .map((one) => `Decided by ${strategyWords(one.name)}: without it, ${one.without.nodeName} would lead by ${one.without.lead}.`);

const whose = (status) => {
  const first = status.rejections?.[0];
  if (!first) return "";
  return isOfPod(first) ? `: ${reasonWords(first)}` : `: most of them ${reasonWords(first, 2)}`;
};

export const bestWords = ({ topNodes, nodeCounts: { feasible } }) =>
  `The best ${topNodes.length} of ${count(feasible, "node that fits", "nodes that fit")}`;

export function podVerdict(pod, status) {
  const counts = status.nodeCounts ?? {};
  if (status.outcome === "Scheduled")
    return `${pod} is on ${status.choice.nodeName}: ${leadWords(status.choice, counts.feasible)}.`;
  if (status.schedulingGates?.length) return `${pod} waits for its gates: ${status.schedulingGates.join(", ")}.`;
  if (status.outcome === "Gated") return `${pod} ${status.message}.`;
  if (status.outcome === "Unschedulable") return `${pod} waits: none of ${count(counts.total, "node")} fits${whose(status)}.`;
  return `${pod} was not placed: ${status.message ?? status.outcome}`;
}

export function answerVerdict(status) {
  const { asked = 1, fitting = status.outcome === "Fits" ? asked : 0 } = status.replicas ?? {};
  if (status.outcome === "Fits") {
    const lead = status.choice
      ? ` The first goes to ${status.choice.nodeName}: ${leadWords(status.choice, status.nodeCounts.feasible, true)}.`
      : "";
    return asked === 1
      ? `It fits, and would go to ${status.choice?.nodeName}: ${leadWords(status.choice, status.nodeCounts.feasible, true)}.`
      : `All ${asked} fit.${lead}`;
  }
  if (status.outcome === "PartlyFits") return `${fitting} of ${asked} fit; the next does not.`;
  return `It does not fit: none of ${count(status.nodeCounts?.total ?? 0, "node")} takes it${whose(status)}.`;
}

// As main_rejection() of app/render/words.cc.
const mainOf = (groups) =>
  groups.reduce(
    (best, one) =>
      one.nodeCount > best.nodeCount || (one.nodeCount === best.nodeCount && shortWords(one) && !shortWords(best)) ? one : best,
    groups[0],
  );

const leastWords = ({ least, resource }) =>
  resource === "pods" && least === "1" ? "least short: 1 pod" : `least short: ${roundedUp(resource, least)} ${resource}`;

// As device_words() of app/render/words.cc.
function deviceWords({ request, matched, inUse, tainted, tooSmall, taintRules = [] }) {
  if (!matched) return `${request}: no device matches`;
  const free = Math.max(0, matched - inUse - tainted - tooSmall);
  const parts = [
    [inUse, "in use"],
    [tainted, taintRules.length ? `tainted (DeviceTaintRule ${taintRules.join(", ")})` : "tainted"],
    [tooSmall, "too small"],
    [free, "free"],
  ];
  const counts = parts.filter(([number]) => number > 0).map(([number, words]) => `, ${number} ${words}`);
  return `${request}: ${count(matched, "device matches", "devices match")}${counts.join("")}`;
}

// The missing amount on a group of nodes.
export function shortWords({ devices, shortfall }) {
  if (devices?.length) return devices.map(deviceWords).join("; ");
  if (!shortfall) return "";
  const { nodesWithout = 0 } = shortfall;
  return nodesWithout > 0 ? `${nodesWithout} have none; ${leastWords(shortfall)}` : leastWords(shortfall);
}

// As room_words() and short_of() of app/render/what_if.cc.
export const roomWords = ({ count: more, mayBeMore }) =>
  more === 0 && !mayBeMore ? "no room for more after that" : `room for ${mayBeMore ? "at least " : ""}${more} more after that`;

// As quota_words() of explain/report/words.cc.
export function quotaWords({ allowed, reason, resources = [] }, asked) {
  if (reason) return `refuses these pods: ${reason}`;
  const amounts = resources.slice(0, 4).map((use) => `${use.resource} ${use.then}/${use.hard}`);
  return `${amounts.join(", ")}: ${allowed < asked ? `exceeded from replica ${allowed + 1} on` : `allows ${allowed - asked} more`}`;
}

export function shortOfWords(failure) {
  if (!failure?.rejections?.length) return "";
  const main = mainOf(failure.rejections);
  const short = shortWords(main);
  return `After that ${count(main.nodeCount, "node")} ${reasonWords(main, main.nodeCount)}${short && `; ${short}`}.`;
}

// The effect of a fix: how many of several replicas fit, or where the pod goes.
export const fixOutcome = ({ fitting = 0, mayBeMore, nodeName, score }, asked = 1) => {
  if (asked > 1 && fitting >= asked) return ` → all ${asked} fit`;
  if (asked > 1 && fitting > 0) return ` → ${mayBeMore ? "at least " : ""}${fitting} of ${asked} fit`;
  return nodeName ? ` (then on ${nodeName}${score !== undefined ? `, ${count(score, "point")}` : ""})` : "";
};

// Lines of YAML for the spec of a pod: the toleration that was tried.
export const tolerations = ({ key, value = "", effect }) =>
  `tolerations:\n- {key: ${JSON.stringify(key)}, operator: Equal, value: ${JSON.stringify(value)}, effect: ${effect}}`;
