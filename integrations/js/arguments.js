// SPDX-License-Identifier: Apache-2.0
// What callers pass is checked here before it crosses to the module, where integers of 32 and 64
// bits wrap in silence, and where the wrong kind of a value becomes 0.
import {invalid} from "./errors.js";

/** The greatest size, count and place of a module with 32-bit memory. */
const MAX_U32 = 2 ** 32 - 1;
const MAX_U64 = 2n ** 64n - 1n;
/** Characters of a value that a message quotes at most. */
const SHOWN = 40;

/** A value as messages show it. */
export function shown(value) {
  if (typeof value === "function" || (typeof value === "object" && value !== null)) {
    return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
  }
  const text = String(value);
  const start = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return typeof value === "string" ? `"${start}"` : start;
}

/** Whether the module gets the value itself: a number of 32 bits, or a BigInt of 64. */
export function crosses(value) {
  return typeof value === "bigint" ? value >= 0n && value <= MAX_U64
    : Number.isInteger(value) && value >= 0 && value <= MAX_U32;
}

/** A Number or BigInt that is an integer from `min` to `max`. */
function integer(value, name, min, max) {
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  if (!isInteger || value < min || value > max) {
    throw invalid(`${name} is ${shown(value)}, not an integer from ${min} to ${max}`);
  }
  return value;
}

/** The argument as a number of 32 bits without sign. */
export function u32(value, name, min = 0) {
  return Number(integer(value, name, min, MAX_U32));
}

/** The argument as the BigInt that a parameter or a field of 64 bits without sign takes. */
export function u64(value, name) {
  return BigInt(integer(value, name, 0, MAX_U64));
}

/**
 * `first` (default: 0) and `count` (default: the rest) as a part of `total`.
 * @param {string} what the plural of what is counted
 * @returns {{first: bigint, count: number}}
 */
export function range(first = 0, count, total, what) {
  const begin = u64(first, "first");
  const rest = BigInt(total) - begin;
  const length = count === undefined ? undefined : u32(count, "count");
  if ((length ?? 0) > rest) {
    throw invalid(`first ${begin} and count ${length ?? 0}: the file has ${total} ${what}`);
  }
  return {first: begin, count: length ?? u32(rest, "count")};
}

/** A Number, also with a fraction, from `min` to `max`. */
export function between(value, name, min, max) {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw invalid(`${name} is ${shown(value)}, not a number from ${min} to ${max}`);
}

/** A bound of a range of values. */
export function numeric(value, name) {
  if (typeof value === "number" || typeof value === "bigint") return value;
  throw invalid(`${name} is ${shown(value)}, not a number`);
}

/** An object of options, all of which have one of the names. */
export function known(options = {}, names) {
  if (typeof options !== "object" || options === null) {
    throw invalid(`options are passed as an object, not as ${shown(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw invalid(`there is no option "${name}" here, only ${names.join(", ")}`);
    }
  }
  return options;
}

export function flag(value, name) {
  if (typeof value !== "boolean") throw invalid(`${name} is ${shown(value)}, not true or false`);
  return value;
}

/** What an object has under a text, which is the value of an option. */
export function choice(table, value, name) {
  if (Object.hasOwn(table, value)) return table[value];
  throw invalid(`${name} is ${shown(value)}, none of "${Object.keys(table).join('", "')}"`);
}

/** A text for the module, where a zero ends it. */
export function text(value, name) {
  if (typeof value !== "string" || value.includes("\0")) {
    throw invalid(`${name} is ${shown(value)}, not a text without zeros`);
  }
  return value;
}
