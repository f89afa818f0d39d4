// SPDX-License-Identifier: Apache-2.0
// A remote file in blocks, of which only those are fetched that something reads. What was fetched
// last is kept, and reads at the same time share requests.

/** Bytes of a block: rows of vectors take some of them, and a block costs little beside the time
 * that a request takes to arrive. */
export const BLOCK_BYTES = 2 ** 14;
/** Blocks between two others that are fetched along, so that one request suffices. */
const MAX_GAP = 3;
/** Maximum blocks of one request. */
const MAX_RUN = 2 ** 28 / BLOCK_BYTES;
/** Maximum blocks that a file keeps, 16 MiB. A request for more is for a scan, which does not come
 * back. */
const MAX_KEPT = 2 ** 24 / BLOCK_BYTES;
/** Requests under way at most: what browsers open to a server by HTTP/1.1. */
const MAX_REQUESTS = 6;

export class Blocks {
  #between;
  #size;
  /** By block {promise, bytes}; bytes when they are there; the last ones were used last. */
  #kept = new Map();
  #lanes = Array(MAX_REQUESTS).fill(Promise.resolve());
  #nextLane = 0;

  /**
   * @param {number} size bytes of the file
   * @param {(begin: number, end: number) => Promise<Uint8Array>} between fetches a range
   */
  constructor(size, between) {
    this.#size = size;
    this.#between = between;
  }

  /** Keeps the start of the file. */
  keepStart(bytes) {
    for (let begin = 0; begin < bytes.length; begin += BLOCK_BYTES) {
      const end = begin + BLOCK_BYTES;
      if (end <= bytes.length || bytes.length === this.#size) {
        const block = bytes.slice(begin, end);
        this.#keep(begin / BLOCK_BYTES, Promise.resolve(block), block);
      }
    }
  }

  /**
   * Runs a function for each task, which reads the file synchronously by `read(begin, out)`: the
   * count of bytes, fewer only at the end of the file. Where `read` lacked bytes it gave zeros, and
   * the task is run again when they are there; what it returned or threw before does not count.
   * @param {(task, read: (begin: number, out: Uint8Array) => number, isReady: () => boolean)
   *   => void} run
   */
  async complete(tasks, run) {
    const held = new Map();
    for (let left = tasks; left.length > 0;) {
      const missing = new Set();
      left = left.filter((task) => this.#lacks(held, missing, task, run));
      await this.#fetch(held, missing);
    }
  }

  /** Runs a task; true: it lacked bytes. */
  #lacks(held, missing, task, run) {
    let lacks = false;
    const read = (begin, out) => {
      const count = Math.max(0, Math.min(out.length, this.#size - begin));
      lacks = this.#copy(held, missing, begin, out.subarray(0, count)) || lacks;
      return count;
    };
    try {
      run(task, read, () => !lacks);
    } catch (error) {
      if (lacks) return true;
      for (const block of held.keys()) this.#kept.delete(block); // they may have been damaged
      throw error;
    }
    return lacks;
  }

  #copy(held, missing, begin, out) {
    let lacks = false;
    for (let done = 0; done < out.length;) {
      const block = Math.floor((begin + done) / BLOCK_BYTES);
      const at = begin + done - block * BLOCK_BYTES;
      const count = Math.min(out.length - done, BLOCK_BYTES - at);
      if (!held.has(block)) {
        const kept = this.#kept.get(block);
        if (kept?.bytes) {
          held.set(block, kept.bytes);
          this.#kept.delete(block);
          this.#kept.set(block, kept); // the last one that was used
        }
      }
      const bytes = held.get(block);
      if (bytes) {
        out.set(bytes.subarray(at, at + count), done);
      } else {
        out.fill(0, done, done + count);
        missing.add(block);
        lacks = true;
      }
      done += count;
    }
    return lacks;
  }

  async #fetch(held, missing) {
    const blocks = [...missing].sort((a, b) => a - b);
    const promises = new Map(blocks.map((block) => [block, this.#kept.get(block)?.promise]));
    for (const [first, end] of this.#runs(blocks)) this.#request(first, end, promises);
    for (const block of blocks) held.set(block, await promises.get(block));
  }

  /** Neighbouring blocks that are neither kept nor under way, as pairs of first and end. */
  #runs(blocks) {
    const runs = [];
    for (const block of blocks) {
      if (this.#kept.has(block)) continue;
      const last = runs.at(-1);
      if (last && block - last[1] <= MAX_GAP && block - last[0] < MAX_RUN) last[1] = block + 1;
      else runs.push([block, block + 1]);
    }
    return runs;
  }

  #request(first, end, promises) {
    const lane = this.#nextLane;
    this.#nextLane = (lane + 1) % MAX_REQUESTS;
    const begin = first * BLOCK_BYTES;
    const whole = this.#lanes[lane].then(() =>
      this.#between(begin, Math.min(end * BLOCK_BYTES, this.#size)));
    this.#lanes[lane] = whole.catch(() => {});
    const isKept = end - first <= MAX_KEPT;
    for (let block = first; block < end; ++block) {
      const at = block * BLOCK_BYTES - begin;
      const bytes = whole.then((all) => isKept ? all.slice(at, at + BLOCK_BYTES)
        : all.subarray(at, at + BLOCK_BYTES));
      bytes.catch(() => {}); // the reads that wait for it get the error
      promises.set(block, bytes);
      if (isKept) this.#keep(block, bytes);
    }
  }

  #keep(block, promise, bytes) {
    const entry = {promise, bytes};
    this.#kept.set(block, entry);
    promise.then((arrived) => {
      entry.bytes ??= arrived;
    }, () => {
      if (this.#kept.get(block) === entry) this.#kept.delete(block);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
  }
}
