// SPDX-License-Identifier: Apache-2.0
// Files behind HTTP: the trailer says where the chunks are, and only those that are asked for are
// fetched, by range requests.
import {ChunkCache} from "./chunk_cache.js";
import {known, numeric, range, shown, u32} from "./arguments.js";
import {NumpactError, invalid} from "./errors.js";
import {trailerContent} from "./inspect.js";

/** Bytes of the first request: the trailer of up to 1,600 chunks. */
const TAIL_BYTES = 65536;
/** Bytes that tell whether a file has a trailer (numpact_trailer_read_tail). */
const MIN_TAIL_BYTES = 24;
/** Maximum bytes of a trailer that are fetched: 40 for each of 400,000 chunks. */
const MAX_TRAILER_BYTES = 2 ** 24;
const RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;
const OPEN_OPTIONS = ["numpact", "fetch", "headers", "signal", "tailBytes"];

function failed(url, text, cause) {
  return new NumpactError("io", `${url}: ${text}`, cause === undefined ? {} : {cause});
}

/** The version of a file by the headers of a response. */
function versionIn(headers) {
  return headers.get("etag") ?? headers.get("last-modified");
}

class Requests {
  #fetch;

  constructor(url, {fetch, headers = {}, signal}) {
    if (fetch !== undefined && typeof fetch !== "function") {
      throw invalid(`fetch is ${shown(fetch)}, not a function`);
    }
    this.url = String(url);
    // Browsers refuse their own fetch as a method of any other object.
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.headers = headers[Symbol.iterator] ? Object.fromEntries(headers) : headers;
    this.signal = signal;
    this.version = undefined;
    this.size = undefined;
    this.count = 0;
  }

  /** Fetches a range as RFC 9110 writes it; returns the position and the bytes. */
  async range(text) {
    this.count += 1;
    const fetch = this.#fetch;
    let response;
    let bytes;
    try {
      response = await fetch(this.url, {
        headers: {...this.headers, Range: `bytes=${text}`}, signal: this.signal,
      });
      if (response.status === 206) bytes = new Uint8Array(await response.arrayBuffer());
      else await response.body?.cancel();
    } catch (cause) {
      if (this.signal?.aborted) throw new NumpactError("cancelled", "the request", {cause});
      throw failed(this.url, `the request failed: ${cause?.message ?? cause}`, cause);
    }
    if (response.status === 200) throw failed(this.url, "the server does not serve ranges");
    if (response.status !== 206) throw failed(this.url, `status ${response.status}`);
    const match = RANGE.exec(response.headers.get("content-range") ?? "");
    const [begin, last, size] = match?.slice(1).map(Number) ?? [];
    if (![begin, last, size].every(Number.isSafeInteger)) {
      throw failed(this.url, "the answer does not say which bytes it has");
    }
    if (bytes.length !== last - begin + 1) throw failed(this.url, "the answer is cut off");
    this.#check(versionIn(response.headers), size);
    return {begin, bytes};
  }

  async between(begin, end) {
    const got = await this.range(`${begin}-${end - 1}`);
    if (got.begin !== begin || got.bytes.length !== end - begin) {
      throw failed(this.url, "the answer has other bytes than were asked for");
    }
    return got.bytes;
  }

  #check(version, size) {
    if (this.size === undefined) {
      this.size = size;
      this.version = version;
    } else if (this.size !== size || this.version !== version) {
      throw failed(this.url, "the file has changed since it was opened");
    }
  }
}

/** Reads a trailer from the end of a file; null: the file has none. */
async function fetchTrailer(codec, requests, tailBytes) {
  let {begin, bytes} = await requests.range(`-${tailBytes}`);
  if (begin + bytes.length !== requests.size) {
    throw failed(requests.url, "the answer is not the end of the file");
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
    if (found.content) return found.content;
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

export class RemoteFile {
  #codec;
  #requests;
  #header;
  #cache;

  constructor(codec, requests, trailer, header) {
    this.#codec = codec;
    this.#requests = requests;
    this.#cache = new ChunkCache((begin, end) => requests.between(begin, end));
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
    const parts = [];
    for await (const [chunk, bytes] of this.#cache.each(needed)) {
      const numbers = this.#decoded(chunk, bytes, decoding);
      parts.push(numbers.subarray(Math.max(0, begin - chunk.first),
        Math.min(chunk.count, end - chunk.first)));
    }
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

