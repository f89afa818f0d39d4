// SPDX-License-Identifier: Apache-2.0
// Restart points: parts of a chunk are decoded without the bytes before them. The library decodes
// from the points of a file's trailer; here a small file is made of a chunk, its points, and those
// of its bytes that are needed (docs/format/trailer.md).

const FRONT_BYTES = 32;
const RECORD_BYTES = 40;
const FOOTER_BYTES = 24;
const NO_POINTS = 65535;

function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The points of the chunks of a trailer, which the library has checked. */
export class RestartPoints {
  #trailer;
  #log;
  /** By chunk: {at, stateBytes, count}; of chunks without points undefined. */
  #places = [];

  constructor(trailer) {
    this.#trailer = trailer;
    const view = viewOf(trailer);
    const chunks = Number(view.getBigUint64(16, true));
    this.#log = view.getUint8(7);
    if ((view.getUint8(6) & 1) === 0) return;
    let at = FRONT_BYTES + RECORD_BYTES * chunks;
    for (let i = 0; i < chunks; ++i) {
      const numbers = view.getUint32(FRONT_BYTES + RECORD_BYTES * i + 8, true);
      if (numbers <= 2 ** this.#log) continue;
      const stateBytes = view.getUint16(at, true);
      if (stateBytes !== NO_POINTS) {
        const count = Math.floor((numbers - 1) / 2 ** this.#log);
        this.#places[i] = {at, stateBytes, count};
        at += count * (4 + stateBytes);
      }
      at += 2;
    }
  }

  /**
   * What decoding the numbers [begin, end) of a chunk needs: its first `pageAt` bytes, those from
   * `from` to `to`, and the numbers from `first` to `last` that they are decoded to. Undefined: the
   * chunk has no points.
   */
  part(index, size, numbers, begin, end) {
    const place = this.#places[index];
    if (!place) return undefined;
    const view = viewOf(this.#trailer);
    const pageAt = view.getUint32(FRONT_BYTES + RECORD_BYTES * index + 12, true);
    const distance = 2 ** this.#log;
    const start = Math.floor(begin / distance);
    const stop = Math.floor((end - 1) / distance) + 1;
    const bitOf = (point) =>
      view.getUint32(place.at + 2 + (point - 1) * (4 + place.stateBytes), true);
    const isLast = stop > place.count;
    return {
      index, size, pageAt, first: start * distance, last: isLast ? numbers : stop * distance,
      from: start === 0 ? pageAt : pageAt + Math.floor(bitOf(start) / 8),
      to: isLast ? size : Math.min(size, pageAt + Math.ceil(bitOf(stop) / 8)),
    };
  }

  /** A file of one chunk, whose bytes are `chunk`; those that are not needed may be zeros. */
  fileOf(part, header, chunk, crc32) {
    const place = this.#places[part.index];
    const points = 2 + place.count * (4 + place.stateBytes);
    const end = header.length + chunk.length + 1;
    const file = new Uint8Array(end + FRONT_BYTES + RECORD_BYTES + points + FOOTER_BYTES);
    file.set(header);
    file.set(chunk, header.length);
    const trailer = file.subarray(end);
    const record = FRONT_BYTES + RECORD_BYTES * part.index;
    trailer.set(this.#trailer.subarray(0, FRONT_BYTES));
    trailer.set(this.#trailer.subarray(record, record + RECORD_BYTES), FRONT_BYTES);
    trailer.set(this.#trailer.subarray(place.at, place.at + points), FRONT_BYTES + RECORD_BYTES);
    const view = viewOf(trailer);
    view.setBigUint64(16, 1n, true);
    view.setBigUint64(24, BigInt(view.getUint32(FRONT_BYTES + 8, true)), true);
    view.setBigUint64(FRONT_BYTES, BigInt(header.length), true);
    const footer = trailer.length - FOOTER_BYTES;
    view.setBigUint64(footer, BigInt(end), true);
    view.setUint32(footer + 8, crc32(trailer.subarray(0, footer)), true);
    view.setUint32(footer + 12, crc32(trailer.subarray(footer, footer + 12)), true);
    trailer.set(this.#trailer.subarray(-8), footer + 16);
    return file;
  }
}
