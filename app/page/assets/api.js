// Requests to podium's HTTPS API. Only this module and the tab's session storage hold the token.

const KEY = "podium-token";
const asked = new Map(); // the promises of access() by namespace
let token = sessionStorage.getItem(KEY) ?? "";

export const hasToken = () => token !== "";

// `kubectl podium page` has credentials, and takes no other ones.
let isKnown = false;
export const needsNoToken = () => isKnown;

export function setToken(text) {
  token = text.trim();
  asked.clear();
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

// The text of a reply, without the characters that hide or reorder the text around them (base/utf8.h): users choose names
// and messages, and podium sends all but C0 as they are.
const HIDDEN =
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const shown = (text) => text.replace(HIDDEN, "");

// An error reply, with podium's or the API server's message.
export class Refused extends Error {
  constructor(status, message, causes = []) {
    super(message);
    this.status = status;
    this.cause = causes[0]?.reason ?? "";
    // For a pod that is gone: {namespace, name}, as in the words of a decision. A Status has only texts: "ml/vip".
    const [namespace, name] = causes.find((one) => one.reason === "EvictedFor")?.message.split("/") ?? [];
    this.evictedFor = name && { namespace, name };
    this.hasToken = hasToken();
  }
}

function refusal(status, text) {
  try {
    const body = JSON.parse(text);
    return new Refused(status, body.message ?? text, body.details?.causes);
  } catch {
    return new Refused(status, text.trim() || `podium replies with status ${status}`);
  }
}

// The JSON of a path below /v1/. Paths are relative to the page, so that a proxy may put both below a path of its own.
export async function call(path, { body, type, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = type;
  const address = new URL(`../v1/${path}`, document.baseURI);
  let reply, text;
  try {
    reply = await fetch(address, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body,
      credentials: "omit",
      cache: "no-store",
      signal,
    });
    text = shown(await reply.text());
  } catch {
    throw new Refused(0, "podium does not answer. Is the connection to it still open?");
  }
  if (!reply.ok) throw refusal(reply.status, text);
  return JSON.parse(text);
}

const segment = encodeURIComponent;
const inNamespace = (ns) => (ns ? `namespaces/${segment(ns)}/` : "");
// All that have reasons are read with their words.
const said = (parameters) => new URLSearchParams({ ...parameters, words: "true" });

export const reportOf = (ns, pod) => call(`${inNamespace(ns)}pods/${segment(pod)}/report?${said({})}`);

export const decisions = (ns, parameters) => call(`${inNamespace(ns)}decisions?${said(parameters)}`);

// Returns the version of the decisions, once it is another one than `since`, or after a while.
export const changes = (ns, since, signal) => call(`${inNamespace(ns)}changes${since && `?since=${segment(since)}`}`, { signal });

export function ask(ns, manifest, parameters) {
  const type = manifest.trimStart().startsWith("{") ? "application/json" : "application/yaml";
  return call(`${inNamespace(ns)}whatif/report?${said(parameters)}`, { body: manifest, type });
}

// A question with the whole spec of a SchedulingReport.
export const askWith = (ns, spec, parameters = {}) =>
  ask(ns, JSON.stringify({ apiVersion: "podium.dev/v1alpha1", kind: "SchedulingReport", spec: { dryRun: true, ...spec } }), parameters);

// About a pod of the cluster, as stored.
export const askAboutPod = (ns, pod, parameters) => askWith(ns, { podRef: { name: pod } }, parameters);

// Who podium takes the user for, and what they may list: { user, leader, mayListNodes, mayListDecisions }. With a namespace also
// whether they may ask about its pods: mayAskAboutPods.
export function access(ns = "") {
  if (!asked.has(ns)) {
    const reply = call(ns ? `access?namespace=${segment(ns)}` : "access");
    asked.set(ns, reply);
    reply.catch(() => asked.delete(ns));
  }
  return asked.get(ns);
}

export const nodes = (zonesOnly) => call(zonesOnly ? "nodes?zonesOnly=true" : "nodes");
// The nodes whose labels match: { names, selector }, the selector as a report has it.
export async function nodesOf(selector) {
  const { metadata, items } = await call(`nodes?selector=${segment(selector)}`);
  return { names: items.map((one) => one.name), selector: metadata.selector };
}

// The names of the kubeconfig, from `kubectl podium page`: its context, user and namespace.
let names = {};
export const door = () => names;

export async function words() {
  const reply = await fetch(new URL("words.json", document.baseURI));
  isKnown = reply.headers.get("Podium-Credentials") === "kubeconfig";
  if (isKnown) {
    const known = await fetch(new URL("door.json", document.baseURI));
    if (known.ok) names = await known.json();
  }
  return reply.json();
}

// The namespace that the user probably works in: the context's, or that of a ServiceAccount
// ("system:serviceaccount:shop:dev").
export const ownNamespace = (user) => names.namespace || user.split(":")[2] || "default";
