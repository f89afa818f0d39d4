// SPDX-License-Identifier: Apache-2.0
// Range requests, whose answers are checked.
import {shown} from "./arguments.js";
import {NumpactError, invalid} from "./errors.js";

const RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;
/** Options of functions that open a remote file. */
export const REQUEST_OPTIONS = ["numpact", "fetch", "headers", "signal"];

/** The version of a file by the headers of a response. */
function versionIn(headers) {
  return headers.get("etag") ?? headers.get("last-modified");
}

/** A file behind HTTP, of which ranges are fetched while it stays the same. */
export class Requests {
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

  failed(text, cause) {
    return new NumpactError("io", `${this.url}: ${text}`, cause === undefined ? {} : {cause});
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
      throw this.failed(`the request failed: ${cause?.message ?? cause}`, cause);
    }
    if (response.status === 200) throw this.failed("the server does not serve ranges");
    if (response.status !== 206) throw this.failed(`status ${response.status}`);
    const match = RANGE.exec(response.headers.get("content-range") ?? "");
    const [begin, last, size] = match?.slice(1).map(Number) ?? [];
    if (![begin, last, size].every(Number.isSafeInteger)) {
      throw this.failed("the answer does not say which bytes it has");
    }
    if (bytes.length !== last - begin + 1) throw this.failed("the answer is cut off");
    this.#check(versionIn(response.headers), size);
    return {begin, bytes};
  }

  async between(begin, end) {
    const got = await this.range(`${begin}-${end - 1}`);
    if (got.begin !== begin || got.bytes.length !== end - begin) {
      throw this.failed("the answer has other bytes than were asked for");
    }
    return got.bytes;
  }

  #check(version, size) {
    if (this.size === undefined) {
      this.size = size;
      this.version = version;
    } else if (this.size !== size || this.version !== version) {
      throw this.failed("the file has changed since it was opened");
    }
  }
}
