// Topology: the zones and their nodes as bars of what is requested of a resource and what is free.
import { Component, h } from "./vendor/preact.js";
import { access, nodes } from "./api.js";
import { amountWords } from "./amounts.js";
import { LiveView, readPart, readWaiting } from "./lists.js";
import { Trouble, Windowed } from "./parts.js";
import { count } from "./words.js";

const WIDTH = 8; // of a bar with its gap
const HEIGHT = 40;
const LINE = HEIGHT + 6;
const AGAIN = 10000; // milliseconds between two readings
const FULL = 0.9; // the share from which a node counts as full

export const topologyLink = (resource, node = "") =>
  `#/topology/${encodeURIComponent(resource)}${node && `/${encodeURIComponent(node)}`}`;

const share = (requested, allocatable) => (allocatable > 0 ? Math.min(1, requested / allocatable) : requested > 0 ? 1 : 0);

// By resource, how many pods wait for it.
export function wantedOf(items) {
  const wanted = new Map();
  for (const item of items) {
    const resource = item.rejection?.about?.resource;
    if (resource && item.outcome !== "Gated") wanted.set(resource, (wanted.get(resource) ?? 0) + 1);
  }
  return wanted;
}

// The list's nodes by zone, with the amounts of one resource; the fullest first, those that lack it last.
export function zonesOf(list, index) {
  const zones = new Map(list.zones.map((zone) => [zone.name, { ...zone, has: zone.allocatable[index], asked: zone.requested[index], free: zone.free[index], bars: [] }]));
  for (const node of list.items) {
    const [has, asked] = [node.allocatable[index], node.requested[index]];
    zones.get(node.zone).bars.push({ node, has, asked, share: share(asked, has), lacks: has <= 0 });
  }
  for (const zone of zones.values())
    zone.bars.sort((a, b) => a.lacks - b.lacks || b.share - a.share || (a.node.name < b.node.name ? -1 : 1));
  return [...zones.values()];
}

// One path for each kind of bar: thousands of nodes are a few elements.
export function paths(bars, columns) {
  const out = { free: "", used: "", full: "", cordoned: "" };
  bars.forEach((bar, i) => {
    const [x, y] = [(i % columns) * WIDTH, Math.floor(i / columns) * LINE];
    if (bar.lacks) {
      out.free += `M${x} ${y + HEIGHT - 1}h7v1h-7z`;
      return;
    }
    const tall = Math.round(bar.share * HEIGHT);
    const kind = bar.node.cordoned ? "cordoned" : isFull(bar) ? "full" : "used";
    if (bar.node.cordoned) {
      // Its room is not free: stripes.
      for (let at = 0; at < HEIGHT - tall; at += 4) out.cordoned += `M${x} ${y + at}h7v1h-7z`;
    } else if (tall < HEIGHT) {
      out.free += `M${x} ${y}h7v${HEIGHT - tall}h-7z`;
    }
    if (tall > 0) out[kind] += `M${x} ${y + HEIGHT - tall}h7v${tall}h-7z`;
  });
  return out;
}

// Whether a bar is red while pods wait for the resource.
const isFull = (bar) => !bar.lacks && !bar.node.cordoned && bar.share >= FULL;

export function wantedVerdict(resource, pods, zones) {
  if (!pods) return `No pod waits for ${resource}.`;
  const waits = `${count(pods, "pod waits", "pods wait")} for ${resource}`;
  return zones.some(({ bars }) => bars.some(isFull)) ? `${waits}: the red nodes have less than a tenth of it free.` : `${waits}.`;
}

// What cordoned nodes have left, which is not free: ", 8 on cordoned nodes".
export function cordonedWords(resource, bars) {
  const left = bars.reduce((sum, { node, has, asked }) => sum + (node.cordoned ? Math.max(0, has - asked) : 0), 0);
  return left > 0 ? `, ${amountWords(resource, left)} on cordoned nodes` : "";
}

const ofWords = (resource, asked, has) => `${amountWords(resource, asked)} of ${amountWords(resource, has)}`;

class Zone extends Component {
  // A bar is drawn again only if it changes.
  shouldComponentUpdate(next) {
    return ["zone", "resource", "columns", "isWanted", "chosen"].some((name) => next[name] !== this.props[name]);
  }
  pick(event) {
    const { zone, resource, columns } = this.props;
    const box = event.currentTarget.getBoundingClientRect();
    const [column, line] = [Math.floor((event.clientX - box.left) / WIDTH), Math.floor((event.clientY - box.top) / LINE)];
    const bar = column < columns ? zone.bars[line * columns + column] : undefined;
    if (bar) location.hash = topologyLink(resource, bar.node.name);
  }
  render({ zone, resource, columns, isWanted, chosen }) {
    const { bars } = zone;
    const drawn = paths(bars, columns);
    const at = bars.findIndex((bar) => bar.node.name === chosen);
    const height = Math.ceil(bars.length / columns) * LINE;
    const words = ofWords(resource, zone.asked, zone.has);
    const id = `zone-${zone.name || "none"}`;
    const row = ({ node, asked, has, lacks }) =>
      h(
        "li",
        { key: node.name },
        h("a", { href: topologyLink(resource, node.name) }, node.name),
        lacks ? ` has no ${resource}` : ` ${ofWords(resource, asked, has)}`,
        node.cordoned && ", cordoned",
      );
    return h(
      "section",
      { class: "zone", "aria-labelledby": id },
      h("h2", { id }, zone.name || "without a zone", h("small", null, ` ${count(zone.nodes, "node")}`, zone.cordoned > 0 && `, ${zone.cordoned} cordoned`)),
      h(
        "p",
        { class: "sum" },
        h("meter", { min: 0, max: 1, value: share(zone.asked, zone.has), "aria-label": `${resource} of ${zone.name || "nodes without a zone"}` }),
        ` ${resource}: ${words} requested, ${amountWords(resource, zone.free)} free${cordonedWords(resource, bars)}`,
      ),
      h(
        "svg",
        {
          class: isWanted ? "bars wanted" : "bars",
          width: columns * WIDTH,
          height,
          "aria-hidden": "true",
          onClick: (event) => this.pick(event),
        },
        Object.entries(drawn).map(([kind, d]) => h("path", { key: kind, class: kind, d })),
        at >= 0 &&
          h("rect", { class: "picked", x: (at % columns) * WIDTH - 1, y: Math.floor(at / columns) * LINE - 1, width: 9, height: HEIGHT + 2 }),
      ),
      h("details", null, h("summary", null, "Its nodes, the fullest first"), h(Windowed, { items: bars, one: row })),
    );
  }
}

// All that a node has, in words.
function NodeLine({ list, name }) {
  const node = list.items.find((one) => one.name === name);
  if (!node) return h("p", { id: "node", role: "status" }, `There is no node ${name}.`);
  return h(
    "div",
    { id: "node", role: "status" },
    h("p", { class: "verdict" }, `${node.name}${node.zone && ` in ${node.zone}`}: ${count(node.pods, "pod")}${node.cordoned ? ", cordoned" : ""}.`),
    h(
      "ul",
      null,
      list.resources.map(
        (resource, i) =>
          (node.allocatable[i] > 0 || node.requested[i] > 0) &&
          h("li", { key: resource }, `${resource}: ${ofWords(resource, node.requested[i], node.allocatable[i])} requested`),
      ),
    ),
    h("p", null, h("a", { href: `#/drain/${encodeURIComponent(node.name)}` }, "What if it is drained?")),
  );
}

export class TopologyView extends LiveView {
  constructor() {
    super();
    this.state = { list: null, wanted: new Map(), error: null, isLoading: false, columns: 100 };
    this.measure = () => {
      const width = document.getElementById("topology")?.clientWidth ?? 800;
      this.setState({ columns: Math.max(20, Math.floor(width / WIDTH)) });
    };
  }
  componentDidMount() {
    this.measure();
    addEventListener("resize", this.measure);
    this.begin("", AGAIN);
  }
  componentWillUnmount() {
    super.componentWillUnmount();
    removeEventListener("resize", this.measure);
  }
  async read() {
    this.setState({ isLoading: true });
    try {
      if (!(await access()).mayListNodes) {
        this.stop?.();
        return this.setState({ isRefused: true, isLoading: false });
      }
      // The pods that wait only colour the bars.
      const waiting = readPart("", readWaiting).catch(() => ({ items: [] }));
      const list = await nodes(false);
      this.zones = null;
      this.setState({ list, wanted: wantedOf((await waiting).items), error: null, isLoading: false });
    } catch (error) {
      this.failed(error);
      this.setState({ list: null, error, isLoading: false });
    }
  }
  // Computed once for a list and a resource.
  zonesOf(list, resource) {
    if (this.zones?.resource !== resource) this.zones = { resource, all: zonesOf(list, list.resources.indexOf(resource)) };
    return this.zones.all;
  }
  resources(list, wanted, resource) {
    const ordered = [...list.resources].sort((a, b) => (wanted.get(b) ?? 0) - (wanted.get(a) ?? 0));
    return h(
      "nav",
      { class: "resources", "aria-label": "Resources" },
      ordered.map((one) =>
        h(
          "a",
          { key: one, href: topologyLink(one), "aria-current": one === resource ? "true" : undefined },
          one,
          wanted.has(one) && h("small", null, ` ${wanted.get(one)} wait`),
        ),
      ),
    );
  }
  shown({ list, wanted, columns }, asked, node) {
    const most = [...wanted].sort((a, b) => b[1] - a[1])[0]?.[0];
    const resource = [asked, most, "cpu"].find((one) => list.resources.includes(one));
    const isWanted = wanted.has(resource);
    return [
      this.resources(list, wanted, resource),
      h(
        "p",
        { class: "verdict", id: "verdict", role: "status" },
        wantedVerdict(resource, wanted.get(resource), this.zonesOf(list, resource)),
      ),
      h(
        "p",
        { class: "legend note" },
        [["used", "requested"], isWanted && ["full", "requested, nine tenths or more"], ["cordoned", "cordoned"], ["free", "free"]].filter(Boolean).map(([kind, words]) =>
          h("span", { key: kind }, h("i", { class: `${kind}${isWanted ? " wanted" : ""}` }), ` ${words}`),
        ),
      ),
      node && h(NodeLine, { list, name: node }),
      this.zonesOf(list, resource).map((zone) => h(Zone, { key: zone.name, zone, resource, columns, isWanted, chosen: node })),
    ];
  }
  render({ resource, node }, { error, isLoading, isRefused, ...state }) {
    return h(
      "div",
      { id: "topology" },
      h("h1", { tabindex: -1 }, "What is free, by zone and node?"),
      !isRefused && h("p", { class: "line" }, h("button", { type: "button", disabled: isLoading, onClick: () => this.read() }, "Read again"), this.liveNote()),
      isLoading && !state.list && h("p", { role: "status" }, "Asking podium …"),
      isRefused
        ? h(
            "p",
            { class: "verdict", id: "verdict", role: "status" },
            "You may not list the nodes of this cluster. Ask for the right to list nodes, or ask where a pod would go: ",
            h("a", { href: "#/ask" }, "What if"),
            ".",
          )
        : h(Trouble, { error }),
      state.list && this.shown(state, resource, node),
    );
  }
}
