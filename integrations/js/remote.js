// SPDX-License-Identifier: Apache-2.0
// Files behind HTTP: the trailer says where the chunks are, and only those that are asked for are
// fetched, by range requests.
import {known, numeric, range, u32} from "./arguments.js";
import {BLOCK_BYTES, Blocks} from "./blocks.js";
import {ChunkCache} from "./chunk_cache.js";
import {NumpactError, invalid} from "./errors.js";
import {trailerContent} from "./inspect.js";
import {REQUEST_OPTIONS, Requests} from "./requests.js";
import {RestartPoints} from "./restarts.js";

/** Bytes of the first request: the trailer of up to 1,600 chunks. */
const TAIL_BYTES = 65536;
/** Bytes that tell whether a file has a trailer (numpact_trailer_read_tail). */
const MIN_TAIL_BYTES = 24;
/** Maximum bytes of a trailer that are fetched: 40 for each of 400,000 chunks. */
const MAX_TRAILER_BYTES = 2 ** 24;
/** Bytes of the numbers of chunks that a file keeps decoded. */
const MAX_DECODED_BYTES = 2 ** 24;
const OPEN_OPTIONS = [...REQUEST_OPTIONS, "tailBytes"];

/** Reads a trailer from the end of a file; null: the file has none. */
async function fetchTrailer(codec, requests, tailBytes) {
  let {begin, bytes} = await requests.range(`-${tailBytes}`);
  if (begin + bytes.length !== requests.size) {
    throw requests.failed("the answer is not the end of the file");
  }
  const instance = codec.newInstance();
  while (true) {
    const found = instance.scoped((scope) => {
      const place = scope.allocate(8);
      const missing = scope.allocate(8);
      instance.call("numpact_trailer_read_tail", scope.copyOf(bytes), bytes.length, BigInt(begin),
        place, missing);
      const trailer = instance.u32(place);
      if (trailer === 0) return {missing: instance.u64(missing)};
      scope.owned(() => instance.get("numpact_trailer_destroy", trailer));
      return {content: trailerContent(instance, scope, trailer)};
    });
    if (found.content) {
      const {fileSize} = found.content;
      return {...found.content, restarts: new RestartPoints(bytes.slice(fileSize - begin))};
    }
    if (found.missing === 0) return null;
    if (found.missing > Math.min(begin, MAX_TRAILER_BYTES)) {
      throw new NumpactError("limit_exceeded", "the trailer is too large");
    }
    const more = await requests.between(begin - found.missing, begin);
    begin -= more.length;
    const joined = new Uint8Array(more.length + bytes.length);
    joined.set(more);
    joined.set(bytes, more.length);
    bytes = joined;
  }
}

/** The numbers of the chunks that were decoded last. */
class DecodedChunks {
  #kept = new Map();
  #bytes = 0;

  get(chunk, form) {
    const found = this.#kept.get(chunk);
    if (!found || found.form !== form) return undefined;
    this.#kept.delete(chunk);
    this.#kept.set(chunk, found);
    return found.numbers;
  }

  keep(chunk, form, numbers) {
    this.#drop(chunk);
    this.#kept.set(chunk, {form, numbers});
    this.#bytes += numbers.byteLength;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_DECODED_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(chunk) {
    this.#bytes -= this.#kept.get(chunk)?.numbers.byteLength ?? 0;
    this.#kept.delete(chunk);
  }
}

export class RemoteFile {
  #codec;
  #requests;
  #header;
  #cache;
  #blocks;
  #restarts;
  #decodedChunks = new DecodedChunks();

  constructor(codec, requests, trailer, header) {
    this.#codec = codec;
    this.#requests = requests;
    const between = (begin, end) => requests.between(begin, end);
    this.#cache = new ChunkCache(between);
    this.#blocks = new Blocks(requests.size, between);
    this.#restarts = trailer.restarts;
    this.#header = header;
    this.url = requests.url;
    this.size = requests.size;
    this.type = trailer.type;
    this.count = trailer.count;
    this.chunks = trailer.chunks;
  }

  /** How many requests were made so far. */
  get requests() {
    return this.#requests.count;
  }

  static async open(codec, url, options) {
    const {tailBytes = TAIL_BYTES, ...others} = known(options, OPEN_OPTIONS);
    const tail = u32(tailBytes, "tailBytes", MIN_TAIL_BYTES);
    const requests = new Requests(url, others);
    const trailer = await fetchTrailer(codec, requests, tail);
    if (!trailer) {
      throw invalid(`${requests.url} has no trailer: encode with {trailer: "index"} writes one`);
    }
    const end = trailer.chunks.length > 0 ? trailer.chunks[0].offset : trailer.fileSize - 1;
    return new RemoteFile(codec, requests, trailer, await requests.between(0, end));
  }

  /** The numbers first to first + count - 1. */
  async read(first, count, options) {
    const decoding = {...known(options, ["float16"]), type: this.type};
    const part = range(first, count, this.count, "numbers");
    const begin = Number(part.first);
    const end = begin + part.count;
    const needed = this.chunks.filter((chunk) =>
      chunk.first < end && chunk.first + chunk.count > begin && part.count > 0);
    const found = new Map();
    const wanted = (chunk) => [Math.max(0, begin - chunk.first),
      Math.min(chunk.count, end - chunk.first)];
    for (const chunk of needed) {
      const numbers = this.#decodedChunks.get(chunk, decoding.float16) ??
        await this.#fromRestart(chunk, ...wanted(chunk), decoding);
      if (numbers) found.set(chunk, numbers);
    }
    const whole = needed.filter((chunk) => !found.has(chunk));
    for await (const [chunk, bytes] of this.#cache.each(whole)) {
      const numbers = this.#decodedChunks.get(chunk, decoding.float16) ??
        this.#decoded(chunk, bytes, decoding);
      this.#decodedChunks.keep(chunk, decoding.float16, numbers);
      found.set(chunk, numbers);
    }
    const parts = needed.map((chunk) => {
      const numbers = found.get(chunk);
      return numbers.length === chunk.count ? numbers.subarray(...wanted(chunk)) : numbers;
    });
    return this.#joined(parts, part.count, decoding);
  }

  /** The indices of the chunks that may hold a number from min to max. */
  chunksWithin(min, max) {
    numeric(min, "min");
    numeric(max, "max");
    const found = [];
    this.chunks.forEach((chunk, index) => {
      if (chunk.min !== undefined && chunk.min <= max && chunk.max >= min) found.push(index);
    });
    return found;
  }

  /** Some numbers of a chunk from the restart point before them, where that needs much less than
   * the chunk; else undefined. */
  async #fromRestart(chunk, begin, end, decoding) {
    const isWhole = begin === 0 && end === chunk.count;
    if (isWhole || chunk.restartPoints === 0 || this.#cache.has(chunk)) return undefined;
    const part = this.#restarts.part(this.chunks.indexOf(chunk), chunk.size, chunk.count, begin,
      end);
    if (part.pageAt + part.to - part.from + 3 * BLOCK_BYTES > chunk.size / 2) return undefined;
    const bytes = new Uint8Array(chunk.size);
    const crc32 = (some) => this.#codec.crc32(some);
    let numbers;
    await this.#blocks.complete([part], (_, read, isReady) => {
      read(chunk.offset, bytes.subarray(0, part.pageAt));
      read(chunk.offset + part.from, bytes.subarray(part.from, part.to));
      if (!isReady()) return;
      const file = this.#restarts.fileOf(part, this.#header, bytes, crc32);
      numbers = this.#codec.decodeRange(file, part.first, part.last - part.first, decoding);
    });
    return numbers.subarray(begin - part.first, end - part.first);
  }

  /** The numbers of a chunk: a file of the header, the chunk and a terminator. */
  #decoded(chunk, bytes, decoding) {
    const header = this.#header.length;
    const file = new Uint8Array(header + bytes.length + 1);
    file.set(this.#header);
    file.set(bytes, header);
    if (this.#codec.crc32(bytes) !== chunk.crc) {
      this.#cache.drop(chunk);
      throw new NumpactError("checksum", "a chunk has another checksum than the trailer says",
        {offset: chunk.offset});
    }
    const numbers = this.#codec.decode(file, decoding);
    if (numbers.length !== chunk.count) {
      throw new NumpactError("corrupt", "the trailer contradicts the file", {offset: chunk.offset});
    }
    return numbers;
  }

  #joined(parts, count, decoding) {
    if (parts.length === 1) return parts[0].slice();
    const empty = parts.length === 0
      ? this.#codec.decode(new Uint8Array([...this.#header, 0]),
        {...decoding, type: this.type ?? "u8"})
      : parts[0];
    let all;
    try {
      all = new empty.constructor(count);
    } catch (cause) {
      throw new NumpactError("out_of_memory", "the engine has no memory for the result", {cause});
    }
    let done = 0;
    for (const part of parts) {
      all.set(part, done);
      done += part.length;
    }
    return all;
  }
}

