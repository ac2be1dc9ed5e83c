// Addresses: "#/VIEW/PART/PART?NAME=VALUE&NAME=VALUE". What a view shows is in its address, so that a link, a reload and
// the way back show it again.

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
// These stay readable.
const encoded = (text) => encodeURIComponent(text).replace(/%(2C|3A|2F|3D)/g, decodeURIComponent);

// { view, parts, query }: missing parts are "".
export function placeOf(hash) {
  const [path, ...rest] = hash.replace(/^#\//, "").split("?");
  const [view = "", ...parts] = path.split("/").map(decoded);
  const query = {};
  for (const one of rest.join("?").split("&").filter(Boolean)) {
    const at = one.indexOf("=");
    query[decoded(at < 0 ? one : one.slice(0, at))] = at < 0 ? "true" : decoded(one.slice(at + 1));
  }
  return { view, parts, query };
}

// Empty parts at the end and empty values are left out; true is a name alone.
export function linkTo(view, parts = [], query = {}) {
  const path = [view, ...parts.map(encodeURIComponent)];
  while (path.length > 1 && !path.at(-1)) path.pop();
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== "" && value !== false)
    .map(([name, value]) => (value === true || value === "true" ? name : `${name}=${encoded(String(value))}`));
  return `#/${path.join("/")}${pairs.length ? `?${pairs.join("&")}` : ""}`;
}

// Goes to the place. False: this is the current one.
export function go(link) {
  if (location.hash === link) return false;
  location.hash = link;
  return true;
}

// The same place with other values: no step back is needed.
export function rename(link) {
  if (location.hash === link) return;
  history.replaceState(null, "", link);
  dispatchEvent(new Event("placerenamed"));
}

// Weights: "NodeResourcesFit:5,ImageLocality:0".
export const weightsText = (weights) =>
  Object.entries(weights)
    .map(([name, weight]) => `${name}:${weight}`)
    .join(",");

export function weightsIn(text = "") {
  const weights = {};
  for (const one of text.split(",")) {
    const [name, weight] = one.split(":");
    if (name && /^\d+$/.test(weight ?? "")) weights[name] = Number(weight);
  }
  return weights;
}
