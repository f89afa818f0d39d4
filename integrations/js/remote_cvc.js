// SPDX-License-Identifier: Apache-2.0
// CVC files behind HTTP: of rows only their bytes are fetched, of chunks that are read whole all,
// whose checksums are compared.
import {known, range} from "./arguments.js";
import {BLOCK_BYTES, Blocks} from "./blocks.js";
import {CvcReader, requestedRows} from "./cvc.js";
import {NumpactError, invalid} from "./errors.js";
import {REQUEST_OPTIONS, Requests} from "./requests.js";

/** Bytes of the first request: most headers. */
const FIRST_BYTES = 65536;
/** About how many bytes are fetched before any of them are decoded, and so held at a time. */
const BATCH_BYTES = 2 ** 24;
/** Compressions of which a row needs its whole chunk. */
const WHOLE = ["lossless", "pco"];

/** Tasks in order, divided so that each part fetches about BATCH_BYTES. */
function batches(tasks) {
  const parts = [];
  let bytes = BATCH_BYTES;
  for (const task of tasks) {
    if (bytes >= BATCH_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1).push(task);
    bytes += task.bytes;
  }
  return parts;
}

function result(size) {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new NumpactError("out_of_memory", "the engine has no memory for the result", {cause});
  }
}

export class RemoteCvcFile {
  #requests;
  #blocks;
  #reader;

  constructor(requests, blocks, reader) {
    this.#requests = requests;
    this.#blocks = blocks;
    this.#reader = reader;
    this.url = requests.url;
    this.size = requests.size;
    const {rows, columns, chunks} = reader;
    Object.assign(this, {rows, columns, chunks});
  }

  /** How many requests were made so far. */
  get requests() {
    return this.#requests.count;
  }

  static async open(codec, url, options) {
    const requests = new Requests(url, known(options, REQUEST_OPTIONS));
    const {begin, bytes} = await requests.range(`0-${FIRST_BYTES - 1}`);
    if (begin !== 0) throw requests.failed("the answer is not the start of the file");
    const blocks = new Blocks(requests.size, (from, to) => requests.between(from, to));
    blocks.keepStart(bytes);
    let reader;
    await blocks.complete([null], (_, read) => {
      reader = new CvcReader(codec, (instance, context, place) =>
        instance.reading(read, () => instance.call("numpact_js_cvc_open", context,
          BigInt(requests.size), place)));
    });
    return new RemoteCvcFile(requests, blocks, reader);
  }

  /** Rows first to first + count - 1 of a column, one after the other. */
  async read(first, count, options) {
    const part = range(first, count, this.rows, "rows");
    const plan = this.#reader.plan(part.count, options);
    const begin = Number(part.first);
    const tasks = this.chunks.map((chunk) => {
      const from = Math.max(begin, chunk.firstRow);
      const rows = Math.min(begin + part.count, chunk.firstRow + chunk.rows) - from;
      return {from, rows, at: from - begin, bytes: chunk.size * rows / chunk.rows};
    }).filter(({rows}) => rows > 0);
    return this.#values(plan, part.count, tasks, (task, out) =>
      this.#reader.readInto(out, task.from, task.rows, plan), ({at}, row) => at + row);
  }

  /** Single rows, in any order. */
  async gather(rows, options) {
    const requested = requestedRows(rows);
    const plan = this.#reader.plan(requested.length, options);
    const isWhole = WHOLE.includes(this.columns[plan.index].compression);
    const order = Array.from(requested, (row, position) => ({row: Number(row), position}))
      .sort((a, b) => a.row - b.row);
    if (order.length > 0 && order.at(-1).row >= this.rows) {
      throw invalid(`row ${order.at(-1).row}: the file has ${this.rows} rows`);
    }
    const tasks = [];
    let next = 0; // the first chunk behind that of the last task
    for (const {row, position} of order) {
      if (next === 0 || row >= this.chunks[next - 1].firstRow + this.chunks[next - 1].rows) {
        while (row >= this.chunks[next].firstRow + this.chunks[next].rows) ++next;
        tasks.push({wanted: [], positions: [], rows: 0, chunk: this.chunks[next++]});
      }
      const task = tasks.at(-1);
      task.wanted.push(BigInt(row));
      task.positions.push(position);
      task.rows += 1;
      task.bytes = isWhole ? task.chunk.size : task.rows * BLOCK_BYTES;
    }
    return this.#values(plan, requested.length, tasks, (task, out, scope) =>
      this.#reader.gatherInto(out, BigUint64Array.from(task.wanted), plan, scope),
    ({positions}, row) => positions[row]);
  }

  /** `rowOf`: where a row of a task belongs in the result. */
  async #values(plan, count, tasks, fill, rowOf) {
    const {instance} = this.#reader;
    const rowBytes = count > 0 ? plan.size / count : 0;
    const all = result(plan.size);
    for (const batch of batches(tasks)) {
      await this.#blocks.complete(batch, (task, read, isReady) => instance.scoped((scope) => {
        const out = scope.allocate(task.rows * rowBytes);
        instance.reading(read, () => fill(task, out, scope));
        if (!isReady()) return;
        const values = instance.bytes(out, task.rows * rowBytes);
        for (let row = 0; row < task.rows;) {
          const first = row++;
          while (row < task.rows && rowOf(task, row) === rowOf(task, row - 1) + 1) ++row;
          all.set(values.subarray(first * rowBytes, row * rowBytes),
            rowOf(task, first) * rowBytes);
        }
      }));
    }
    return plan.arrayOf(all.buffer);
  }
}
