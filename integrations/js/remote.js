// SPDX-License-Identifier: Apache-2.0
// Files behind HTTP: the trailer says where the chunks are, and only those that are asked for are
// fetched, by range requests.
import {NumpactError, invalid} from "./errors.js";
import {trailerContent} from "./inspect.js";

/** Bytes of the first request: the trailer of up to 1,600 chunks. */
const TAIL_BYTES = 65536;
/** Maximum bytes of a trailer that are fetched: 40 for each of 400,000 chunks. */
const MAX_TRAILER_BYTES = 2 ** 24;
/** Maximum bytes of one request for chunks. */
const MAX_REQUEST_BYTES = 2 ** 28;
const RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;

function failed(url, text, cause) {
  return new NumpactError("io", `${url}: ${text}`, cause === undefined ? {} : {cause});
}

/** The version of a file by the headers of a response. */
function versionIn(headers) {
  return headers.get("etag") ?? headers.get("last-modified");
}

class Requests {
  constructor(url, {fetch = globalThis.fetch, headers = {}, signal} = {}) {
    this.url = String(url);
    this.fetch = fetch;
    this.headers = headers;
    this.signal = signal;
    this.version = undefined;
    this.size = undefined;
    this.count = 0;
  }

  /** Fetches a range as RFC 9110 writes it; returns the position and the bytes. */
  async range(text) {
    this.count += 1;
    let response;
    let bytes;
    try {
      response = await this.fetch(this.url, {
        headers: {...this.headers, Range: `bytes=${text}`}, signal: this.signal,
      });
      if (response.status === 206) bytes = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (this.signal?.aborted) throw new NumpactError("cancelled", "the request", {cause});
      throw failed(this.url, "the request failed", cause);
    }
    if (response.status === 200) {
      await response.body?.cancel();
      throw failed(this.url, "the server does not serve ranges");
    }
    if (response.status !== 206) throw failed(this.url, `status ${response.status}`);
    const match = RANGE.exec(response.headers.get("content-range") ?? "");
    if (!match) throw failed(this.url, "the answer does not say which bytes it has");
    const [begin, last, size] = match.slice(1).map(Number);
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

/** Runs of neighbouring chunks, each for one request. */
function runsOf(chunks) {
  const runs = [];
  for (const chunk of chunks) {
    const run = runs.at(-1);
    const end = chunk.offset + chunk.size;
    if (run && run.end === chunk.offset && end - run.begin <= MAX_REQUEST_BYTES) {
      run.end = end;
      run.chunks.push(chunk);
    } else {
      runs.push({begin: chunk.offset, end, chunks: [chunk]});
    }
  }
  return runs;
}

export class RemoteFile {
  #codec;
  #requests;
  #header;

  constructor(codec, requests, trailer, header) {
    this.#codec = codec;
    this.#requests = requests;
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

  static async open(codec, url, {tailBytes = TAIL_BYTES, ...options} = {}) {
    const requests = new Requests(url, options);
    const trailer = await fetchTrailer(codec, requests, tailBytes);
    if (!trailer) {
      throw invalid(`${requests.url} has no trailer: "numpact index" adds one`);
    }
    const end = trailer.chunks.length > 0 ? trailer.chunks[0].offset : trailer.fileSize - 1;
    return new RemoteFile(codec, requests, trailer, await requests.between(0, end));
  }

  /** The numbers first to first + count - 1. */
  async read(first = 0, count = this.count - first, options = {}) {
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || first < 0 || count < 0 ||
        first + count > this.count) {
      throw invalid(`the file has numbers 0 to ${this.count - 1}`);
    }
    const end = first + count;
    const needed = this.chunks.filter((chunk) =>
      chunk.first < end && chunk.first + chunk.count > first && count > 0);
    const parts = [];
    for (const run of runsOf(needed)) {
      const bytes = await this.#requests.between(run.begin, run.end);
      for (const chunk of run.chunks) {
        const numbers = this.#decoded(chunk, bytes.subarray(chunk.offset - run.begin,
          chunk.offset - run.begin + chunk.size), options);
        parts.push(numbers.subarray(Math.max(0, first - chunk.first),
          Math.min(chunk.count, end - chunk.first)));
      }
    }
    return this.#joined(parts, count, options);
  }

  /** The indices of the chunks that may hold a number from min to max. */
  chunksWithin(min, max) {
    const found = [];
    this.chunks.forEach((chunk, index) => {
      if (chunk.min !== undefined && chunk.min <= max && chunk.max >= min) found.push(index);
    });
    return found;
  }

  /** The numbers of a chunk: a file of the header, the chunk and a terminator. */
  #decoded(chunk, bytes, options) {
    const header = this.#header.length;
    const file = new Uint8Array(header + bytes.length + 1);
    file.set(this.#header);
    file.set(bytes, header);
    if (this.#codec.crc32(bytes) !== chunk.crc) {
      throw new NumpactError("checksum", "a chunk has another checksum than the trailer says",
        {offset: chunk.offset});
    }
    const numbers = this.#codec.decode(file, {...options, type: this.type});
    if (numbers.length !== chunk.count) {
      throw new NumpactError("corrupt", "the trailer contradicts the file", {offset: chunk.offset});
    }
    return numbers;
  }

  #joined(parts, count, options) {
    if (parts.length === 1) return parts[0].slice();
    const empty = parts.length === 0
      ? this.#codec.decode(new Uint8Array([...this.#header, 0]),
        {...options, type: this.type ?? "u8"})
      : parts[0];
    const all = new empty.constructor(count);
    let done = 0;
    for (const part of parts) {
      all.set(part, done);
      done += part.length;
    }
    return all;
  }
}

