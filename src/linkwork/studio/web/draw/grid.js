// Lines of the grid, stronger at every fifth, and the axes: bars of one pixel, told in metres.

/** @returns {{low: number[], high: number[], colour: string}[]} */
export function gridBars(board) {
  const { colours, step, width, height } = board, low = board.pointOf(0, height), high = board.pointOf(width, 0);
  const tones = { axis: mixed(colours.edge, colours.paper, 0.9), fifth: mixed(colours.grid, colours.paper, 0.9), other: mixed(colours.grid, colours.paper, 0.4) };
  const made = { other: [], fifth: [], axis: [] };
  for (const axis of [0, 1]) {
    for (let k = Math.ceil(low[axis] / step); k * step <= high[axis]; k++) {
      const kind = k === 0 ? "axis" : k % 5 === 0 ? "fifth" : "other", at = Math.round(board.pixelOf(axis ? [0, k * step] : [k * step, 0])[axis]);
      const [a, b] = axis ? [board.pointOf(0, at + 1), board.pointOf(width, at)] : [board.pointOf(at, height), board.pointOf(at + 1, 0)];
      made[kind].push({ low: a, high: b, colour: tones[kind] });
    }
  }
  return [...made.other, ...made.fifth, ...made.axis];
}

/** Between two colours "#rrggbb": `share` of the first. */
function mixed(colour, other, share) {
  const levels = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)), [a, b] = [levels(colour), levels(other)];
  return `#${a.map((x, i) => Math.round(share * x + (1 - share) * b[i]).toString(16).padStart(2, "0")).join("")}`;
}
