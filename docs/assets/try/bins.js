// SPDX-License-Identifier: Apache-2.0
// The picture of the bins of a chunk, and their cost.
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 160;
const MARGIN = 24;
/** A bin of one latent is drawn at least so wide. */
const MIN_BOX = 1.5;
const BITS = {u8: 8, i8: 8, u16: 16, i16: 16, f16: 16, u32: 32, i32: 32, f32: 32};

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Share, range and bits of each bin. */
export function shares({bins, tableLog}) {
  return bins.map(({lower, weight, offsetBits}) => {
    const share = weight / 2 ** tableLog;
    return {lower, share, offsetBits, width: 2 ** offsetBits, bits: offsetBits - Math.log2(share)};
  });
}

/** Bits of a latent in the mean, if the bins occur as often as their weights say. */
export function meanBits(variable) {
  return shares(variable).reduce((sum, {share, bits}) => sum + share * bits, 0);
}

/** Latents are counted from the middle of their range where they are differences. */
function placeOf(lower, type, isSigned) {
  const middle = isSigned ? 1n << BigInt((BITS[type] ?? 64) - 1) : 0n;
  return Number(lower - middle);
}

/** An SVG of a latent variable: a box for each bin, as wide as its range. */
export function picture(variable, type, delta) {
  const isSigned = delta !== "none" && variable.name === "primary";
  const boxes = shares(variable).map((bin) => ({...bin, at: placeOf(bin.lower, type, isSigned)}));
  const low = Math.min(...boxes.map(({at}) => at));
  const high = Math.max(...boxes.map(({at, width}) => at + width));
  const densities = boxes.map(({share, width}) => Math.log2(share / width));
  const lowest = Math.min(...densities) - 1;
  const range = Math.max(...densities) - lowest;
  const inner = WIDTH - 2 * MARGIN;
  const scale = inner / (high - low || 1);
  const floor = HEIGHT - MARGIN;
  const maxBits = Math.max(1, ...boxes.map(({offsetBits}) => offsetBits));
  const drawn = boxes.map(({at, width, share, offsetBits, bits}, i) => {
    const height = Math.max(2, (densities[i] - lowest) / range * (floor - MARGIN / 2));
    const title = document.createElementNS(SVG, "title");
    title.textContent = `${(100 * share).toFixed(2)} %, ${bits.toFixed(1)} bits each`;
    return element("rect", {
      x: (MARGIN + (at - low) * scale).toFixed(2), y: (floor - height).toFixed(2),
      width: Math.max(MIN_BOX, width * scale).toFixed(2), height: height.toFixed(2),
      fill: `hsl(${220 - Math.round(180 * offsetBits / maxBits)} 65% 50%)`, "fill-opacity": 0.75,
    }, title);
  });
  const mark = (x, anchor, text) => {
    const made = element("text", {x, y: HEIGHT - 8, "text-anchor": anchor, "font-size": 12,
      fill: "currentColor"});
    made.textContent = text;
    return made;
  };
  const axis = element("line", {x1: MARGIN, x2: WIDTH - MARGIN, y1: floor, y2: floor,
    stroke: "currentColor"});
  const label = `${variable.name} latents: ${boxes.length} bins from ${low} to ${high - 1}, ` +
    `${meanBits(variable).toFixed(2)} bits a latent in the mean`;
  return element("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label},
    axis, ...drawn, mark(MARGIN, "start", low.toLocaleString("en")),
    mark(WIDTH - MARGIN, "end", (high - 1).toLocaleString("en")));
}
