// SPDX-License-Identifier: Apache-2.0
// The bytes of the chunks of a remote file. Neighbours share a request, and what was fetched last
// is kept: a read of a part of a chunk is often followed by a read of the next part.

/** Maximum bytes of one request for chunks. */
const MAX_REQUEST_BYTES = 2 ** 28;
/** Maximum bytes that a file keeps. A request for more is for a scan, which does not come back. */
const MAX_KEPT_BYTES = 2 ** 24;

export class ChunkCache {
  #between;
  /** Promises of bytes by chunk, also of those under way; the last ones were used last. */
  #kept = new Map();
  #keptBytes = 0;

  /** @param {(begin: number, end: number) => Promise<Uint8Array>} between fetches a range */
  constructor(between) {
    this.#between = between;
  }

  /** Yields chunks, which are in order, with their bytes; one request at a time is under way. */
  async* each(chunks) {
    for (let at = 0; at < chunks.length;) {
      const run = this.#runAt(chunks, at);
      for (const [chunk, bytes] of run) yield [chunk, await bytes];
      at += run.length;
    }
  }

  /** Whether the bytes of a chunk are there, or under way. */
  has(chunk) {
    return this.#kept.has(chunk);
  }

  /** The next read fetches the chunk. */
  drop(chunk) {
    if (this.#kept.delete(chunk)) this.#keptBytes -= chunk.size;
  }

  /** Chunks from a place on, with promises of their bytes: a kept one, or those of a request. */
  #runAt(chunks, at) {
    const first = chunks[at];
    const kept = this.#kept.get(first);
    if (kept) {
      this.#keep(first, kept);
      return [[first, kept]];
    }
    let end = first.offset + first.size;
    let next = at + 1;
    while (next < chunks.length && chunks[next].offset === end && !this.#kept.has(chunks[next]) &&
           end + chunks[next].size - first.offset <= MAX_REQUEST_BYTES) {
      end += chunks[next].size;
      ++next;
    }
    const whole = this.#between(first.offset, end);
    return chunks.slice(at, next).map((chunk) => {
      const begin = chunk.offset - first.offset;
      const isKept = end - first.offset <= MAX_KEPT_BYTES;
      const bytes = whole.then((all) => isKept ? all.slice(begin, begin + chunk.size)
        : all.subarray(begin, begin + chunk.size));
      if (isKept) this.#keep(chunk, bytes);
      bytes.catch(() => {
        if (this.#kept.get(chunk) === bytes) this.drop(chunk);
      });
      return [chunk, bytes];
    });
  }

  #keep(chunk, bytes) {
    this.drop(chunk);
    this.#kept.set(chunk, bytes);
    this.#keptBytes += chunk.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.drop(oldest);
    }
  }
}
