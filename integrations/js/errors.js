// SPDX-License-Identifier: Apache-2.0
// The one class of errors, of the library and of checks before it is called.

/** Names of the statuses of numpact.h. */
const KINDS = new Map([
  [10, "invalid_argument"], [11, "type_mismatch"], [12, "does_not_fit"],
  [20, "corrupt"], [21, "truncated"], [22, "unsupported_version"], [23, "checksum"],
  [30, "limit_exceeded"], [31, "out_of_memory"], [40, "io"], [50, "cancelled"],
]);
/** The texts of errors about intact files of other formats begin so; their kind is "corrupt". */
const OTHER_FORMAT = "another format: ";
const CODES = new Map([...KINDS].map(([code, kind]) => [kind, code]));

export class NumpactError extends Error {
  /**
   * @param {string} kind "corrupt", "truncated", ...; "internal": a fault of the library
   * @param {string} text
   * @param {{offset?: number, chunk?: number, needed?: number, goodCount?: number,
   *   cause?: unknown}} [details]
   */
  constructor(kind, text, details = {}) {
    const place = details.offset === undefined ? "" : ` (at byte ${details.offset})`;
    const named = text.startsWith(OTHER_FORMAT) ? text : `${kind}: ${text}`;
    super(`${named}${place}`, "cause" in details ? {cause: details.cause} : undefined);
    this.name = "NumpactError";
    this.kind = kind;
    this.code = CODES.get(kind) ?? -1;
    this.offset = details.offset;
    this.chunk = details.chunk;
    this.needed = details.needed;
    this.goodCount = details.goodCount ?? 0;
  }
}

export function kindOf(code) {
  return KINDS.get(code) ?? "internal";
}

export function invalid(text) {
  return new NumpactError("invalid_argument", text);
}
