// Requests to podium's HTTPS API. Only this module and the tab's session storage hold the token.

const KEY = "podium-token";
let token = sessionStorage.getItem(KEY) ?? "";

export const hasToken = () => token !== "";

// `kubectl podium page` has credentials, and takes no other ones.
let isKnown = false;
export const needsNoToken = () => isKnown;

export function setToken(text) {
  token = text.trim();
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

// An error reply, with podium's or the API server's message.
export class Refused extends Error {
  constructor(status, message, cause = "") {
    super(message);
    this.status = status;
    this.cause = cause;
    this.hasToken = hasToken();
  }
}

function refusal(status, text) {
  try {
    const body = JSON.parse(text);
    return new Refused(status, body.message ?? text, body.details?.causes?.[0]?.reason ?? "");
  } catch {
    return new Refused(status, text.trim() || `podium replies with status ${status}`);
  }
}

// The JSON of a path below /v1/. Paths are relative to the page, so that a proxy may put both below a path of its own.
export async function call(path, { body, type } = {}) {
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
    });
    text = await reply.text();
  } catch {
    throw new Refused(0, "podium does not answer. Is the connection to it still open?");
  }
  if (!reply.ok) throw refusal(reply.status, text);
  return JSON.parse(text);
}

const segment = encodeURIComponent;

export const reportOf = (ns, pod) => call(`namespaces/${segment(ns)}/pods/${segment(pod)}/report`);

export function decisions(ns, parameters) {
  const query = new URLSearchParams(parameters);
  return call(`${ns ? `namespaces/${segment(ns)}/` : ""}decisions?${query}`);
}

export function ask(ns, manifest, parameters) {
  const type = manifest.trimStart().startsWith("{") ? "application/json" : "application/yaml";
  const query = new URLSearchParams(parameters);
  return call(`namespaces/${segment(ns)}/whatif/report?${query}`, { body: manifest, type });
}

export async function words() {
  const reply = await fetch(new URL("words.json", document.baseURI));
  isKnown = reply.headers.get("Podium-Credentials") === "kubeconfig";
  return reply.json();
}
