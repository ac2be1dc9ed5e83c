// Numbers, times and verdicts in plain words. The words of reasons are podium's own: an answer has them next to its
// codes, and words.json those of the strategies.

let tables = { strategies: [] };
export function useWords(given) {
  tables = given;
}

export const strategyWords = (name) => tables.strategies.find(([known]) => known === name)?.[1] ?? name;

// The name of an item of a list, or of a victim: "shop/web".
export const fullName = ({ namespace, name }) => `${namespace}/${name}`;

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
// [number, unit] since then.
function span(text) {
  const seconds = Math.max(0, Math.round((Date.now() - new Date(text)) / 1000));
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? UNITS.at(-1);
  return [Math.floor(seconds / size), unit];
}

// How long ago, in one unit; the exact time belongs into the title.
export function ago(text) {
  if (!text) return "";
  const [number, unit] = span(text);
  return spans.format(-number, unit);
}

// How old, in one unit.
export function age(text) {
  if (!text) return "";
  const [number, unit] = span(text);
  return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "short" }).format(number);
}

export const bestWords = ({ topNodes, nodeCounts: { feasible } }) =>
  `The best ${topNodes.length} of ${count(feasible, "node that fits", "nodes that fit")}`;

const placed = (node, words) => `${node}${words.choice ? `: ${words.choice}` : ""}`;

const ended = ({ evictedFor }) => (evictedFor ? `it was evicted to make room for ${fullName(evictedFor)}` : "it has ended or was deleted");

export function podVerdict(pod, { status, words }) {
  if (words.gone && status.outcome !== "Scheduled") return `${pod} is gone: ${ended(words)}. It waited: ${words.blockedBy}.`;
  if (words.gone) return `${pod} was on ${placed(status.choice.nodeName, words)}; ${ended(words)}.`;
  return status.outcome === "Scheduled" ? `${pod} is on ${placed(status.choice.nodeName, words)}.` : `${pod} waits: ${words.blockedBy}.`;
}

export function answerVerdict({ status, words }) {
  const { asked = 1, fitting = status.outcome === "Fits" ? asked : 0 } = status.replicas ?? {};
  const { quotaVerdict } = words;
  if (quotaVerdict) return asked === 1 ? "A quota refuses it." : `${quotaVerdict[0].toUpperCase()}${quotaVerdict.slice(1)}.`;
  if (status.outcome === "Fits") {
    if (!status.choice) return asked === 1 ? "It fits." : `All ${asked} fit.`;
    const first = placed(status.choice.nodeName, words);
    return asked === 1 ? `It fits, and would go to ${first}.` : `All ${asked} fit. The first goes to ${first}.`;
  }
  if (status.outcome === "PartlyFits") {
    const isTried = Boolean(status.firstFailure); // else the budget ended first
    return `${fitting} of ${asked} fit; ${isTried ? "the next does not" : "the others were not tried in time"}.`;
  }
  return `It does not fit: ${words.blockedBy}.`;
}
