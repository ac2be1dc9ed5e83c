// Ranks the nodes of a report with other weights. Pure functions.
//
// A report has each shown node's score of every strategy, before the weight. So a node's total with other weights is exact.
// A node that the report does not list may still be better, which only podium can evaluate.

// The weights in use: those of the report, and those that the user has moved.
export const weightsOf = (strategies, moved) => strategies.map((one) => moved[one.name] ?? one.weight);

// The moved weights that differ from those of the report or the profile.
export const changedWeights = (strategies = [], moved = {}) =>
  Object.fromEntries(Object.entries(moved).filter(([name, weight]) => weight !== strategies.find((one) => one.name === name)?.weight));

export function rank(status, moved) {
  const strategies = status.strategies ?? [];
  const weights = weightsOf(strategies, moved);
  const rows = (status.topNodes ?? []).map((node, before) => {
    const scores = node.strategyScores ?? [];
    const points = scores.map((score, i) => score * weights[i]);
    return {
      node: node.nodeName,
      isChosen: node.nodeName === status.choice?.nodeName,
      before,
      scores,
      points,
      was: node.score,
      total: scores.length ? points.reduce((sum, one) => sum + one, 0) : node.score,
    };
  });
  // The report's own order has the choice first; with its weights nothing moves.
  if (strategies.some((one, i) => one.weight !== weights[i])) {
    rows.sort((a, b) => b.total - a.total || a.before - b.before);
  }
  return rows;
}

// Whether a strategy scores all rows equally, so that its weight does not change their order.
export const isEqual = (rows, column) => rows.every((row) => row.scores[column] === rows[0].scores[column]);

// Groups rows with the same scores: returns the first node of each group; the chosen node goes first.
export function alike(rows) {
  const keyOf = (row) => JSON.stringify(row.scores.length ? row.scores : row.total);
  const leaders = new Map([...rows].reverse().map((row) => [keyOf(row), row.node]));
  const chosen = rows.find((row) => row.isChosen);
  if (chosen) leaders.set(keyOf(chosen), chosen.node);
  return new Map(rows.map((row) => [row.node, leaders.get(keyOf(row))]));
}

// The strategies whose weight moves none of these rows.
export const stillOf = (status, rows) =>
  (status.strategies ?? [])
    .filter((_, column) => rows.length > 1 && rows[0].scores.length > 0 && isEqual(rows, column))
    .map(({ name }) => name);

// In words, what other weights do to the shown nodes.
export function movedWords(status, rows, strategies, moved) {
  if (!strategies.some((one) => moved[one.name] !== undefined && moved[one.name] !== one.weight)) return "";
  const [first, second] = rows;
  if (!first) return "";
  const tied = rows.filter((row) => row.total === first.total);
  const lead =
    tied.length > 1
      ? `tied with ${tied
          .slice(1, 4)
          .map((row) => row.node)
          .join(", ")}${tied.length > 4 ? " and others" : ""}`
      : second
        ? `${first.total - second.total} ahead of ${second.node}`
        : "alone";
  const chosen = rows.find((row) => row.isChosen);
  const change = !chosen || chosen.total === first.total ? "" : ` ${chosen.node}, the chosen node, has ${chosen.total}.`;
  return `With these weights ${first.node} leads the shown nodes with ${first.total} points, ${lead}.${change}`;
}
