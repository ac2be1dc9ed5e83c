// The table of nodes × strategies, and the sliders of the weights.
import { Component, h } from "./vendor/preact.js";
import { alike, isEqual, rank } from "./scores.js";
import { count, strategyWords } from "./words.js";

const slidersEnd = (weight) => Math.max(10, weight * 2);

// onMove(name, weight) while a weight moves, onMoved(name, weight) when it rests; still: the strategies whose weight moves no shown node; children: elements next to the
// button.
export function Weights({ strategies, moved, still = [], onMove, onMoved, onReset, children }) {
  const isMoved = strategies.some((one) => moved[one.name] !== undefined && moved[one.name] !== one.weight);
  return h(
    "fieldset",
    { class: "weights" },
    h("legend", null, "Weights"),
    strategies.map((one) => {
      const weight = moved[one.name] ?? one.weight;
      const id = `weight-${one.name}`;
      return h(
        "div",
        { key: one.name, class: weight === one.weight ? (still.includes(one.name) ? "still" : "") : "moved" },
        h("label", { for: id, title: one.name }, strategyWords(one.name)),
        h("input", {
          id,
          type: "range",
          min: 0,
          max: slidersEnd(one.weight),
          step: 1,
          value: weight,
          "aria-valuetext": weight === 0 ? "0, switched off" : `${weight}`,
          onInput: (event) => onMove(one.name, Number(event.target.value)),
          onChange: (event) => onMoved(one.name, Number(event.target.value)),
        }),
        h("output", { for: id }, weight),
      );
    }),
    still.length > 0 && h("p", { class: "note" }, "A pale strategy scores all shown nodes the same, so its weight changes no order."),
    h("p", null, h("button", { type: "button", onClick: onReset, disabled: !isMoved }, "Reset weights"), children),
  );
}

function Cell({ row, column, weight, equal }) {
  const score = row.scores[column];
  const level = equal ? "equal" : `heat-${Math.round(Math.min(100, Math.max(0, score)) / 10)}`;
  return h("td", { class: `points ${level}` }, h("b", null, row.points[column]), h("small", null, `${weight}×${score}`));
}

function Shift({ places }) {
  if (!places) return null;
  const up = places > 0;
  return h(
    "small",
    { class: up ? "up" : "down" },
    ` ${up ? "▲" : "▼"}${Math.abs(places)}`,
    h("span", { class: "unseen" }, up ? " places up" : " places down"),
  );
}

// Nodes with the same score of every strategy are one row, until they are asked for.
export class Heat extends Component {
  state = { unfolded: false };
  render({ status, moved, caption }, { unfolded }) {
    const strategies = status.strategies ?? [];
    const rows = rank(status, moved);
    if (!rows.length) return null;
    const leader = alike(rows);
    const followers = (node) => rows.filter((row) => row.node !== node && leader.get(row.node) === node).length;
    const folded = rows.filter((row) => leader.get(row.node) !== row.node).length;
    const columns = rows[0].scores.length ? strategies : [];
    const equal = columns.map((_, i) => rows.length > 1 && isEqual(rows, i));
    const weights = columns.map((one) => moved[one.name] ?? one.weight);
    return h(
      "div",
      { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
      h(
        "table",
        { class: "heat" },
        h("caption", null, caption),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, "Node"),
            h("th", { scope: "col", class: "number" }, "Total"),
            columns.map((one, i) =>
              h(
                "th",
                { key: one.name, scope: "col", class: "number", title: one.name },
                strategyWords(one.name),
                h("small", null, `×${weights[i]}`),
              ),
            ),
          ),
        ),
        h(
          "tbody",
          null,
          rows.map((row, place) =>
            h(
              "tr",
              { key: row.node, class: row.isChosen ? "chosen" : "", hidden: !unfolded && leader.get(row.node) !== row.node },
              h(
                "th",
                { scope: "row" },
                row.node,
                row.isChosen && h("span", { class: "mark" }, "chosen"),
                h(Shift, { places: row.before - place }),
                !unfolded && followers(row.node) > 0 && h("small", { class: "alike" }, ` and ${followers(row.node)} alike`),
              ),
              h("td", { class: "number total" }, h("b", null, row.total)),
              columns.map((one, i) => h(Cell, { key: one.name, row, column: i, weight: weights[i], equal: equal[i] })),
            ),
          ),
        ),
      ),
      folded > 0 &&
        h(
          "p",
          null,
          h(
            "button",
            { type: "button", id: "unfold", "aria-expanded": unfolded ? "true" : "false", onClick: () => this.setState({ unfolded: !unfolded }) },
            unfolded ? "Fold nodes with the same scores" : `Show ${count(folded, "more node")} with the same scores`,
          ),
        ),
      columns.length > 0 &&
        h(
          "p",
          { class: "note" },
          "Points are weight × score, and the total is their sum. The shade is the score, 0 to 100.",
          equal.some(Boolean) && " Columns without a shade are the same for all shown nodes.",
        ),
    );
  }
}
