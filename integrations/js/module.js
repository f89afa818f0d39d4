// SPDX-License-Identifier: Apache-2.0
// An instance of the WebAssembly module: its memory, calls of its functions, and their errors.
import {choice, crosses, flag, text} from "./arguments.js";
import {NumpactError, invalid, kindOf} from "./errors.js";
import {plain, viewOfBytes} from "./types.js";

const PAGE_BYTES = 65536;
/** The memory that the module declares (integrations/js/CMakeLists.txt). */
const INITIAL_PAGES = 64;
const MAX_PAGES = 65536;
const UNKNOWN = 0xffffffffffffffffn;
const ERROR_BYTES = 48;
/** Bytes of one allocation at most: with more, rounding up would wrap. Stack and data of the module
 * take more than the page that is left out, so that no such allocation could succeed. */
const MAX_ALLOCATION = (MAX_PAGES - 1) * PAGE_BYTES;

/** A function (v128) -> v128: valid where the engine has SIMD. */
const SIMD_PROBE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7b, 1, 0x7b, 3, 2, 1, 0, 10, 6, 1, 4, 0,
  0x20, 0, 0x0b,
]);

/** The files by variant: bundlers find a file by such an expression with its name. */
const SIMD_URLS = {
  full: () => new URL("./numpact.wasm", import.meta.url),
  decode: () => new URL("./numpact-decode.wasm", import.meta.url),
};
const SCALAR_URLS = {
  full: () => new URL("./numpact-scalar.wasm", import.meta.url),
  decode: () => new URL("./numpact-decode-scalar.wasm", import.meta.url),
};

export function hasSimd() {
  return WebAssembly.validate(SIMD_PROBE);
}

async function bytesAt(url) {
  if (url.protocol !== "file:") {
    const response = await fetch(url);
    if (!response.ok) throw new NumpactError("io", `${url}: status ${response.status}`);
    return response.arrayBuffer();
  }
  const {readFile} = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
  return readFile(url);
}

/** Compiles the module that suits the engine, or the one that is passed. */
export async function compiled({module, simd = hasSimd(), variant = "full"}) {
  if (module instanceof WebAssembly.Module) return module;
  if (module !== undefined && !(module instanceof URL) && typeof module !== "string") {
    return WebAssembly.compile(viewOfBytes(module));
  }
  const urlOf = choice(flag(simd, "simd") ? SIMD_URLS : SCALAR_URLS, variant, "variant");
  return WebAssembly.compile(await bytesAt(module === undefined ? urlOf()
    : new URL(module, import.meta.url)));
}

/** Memory that calls of one operation use; freed together. */
class Scope {
  #instance;
  #places = [];
  #cleanup = [];

  constructor(instance) {
    this.#instance = instance;
  }

  allocate(size) {
    if (!(size >= 0 && size <= MAX_ALLOCATION)) {
      throw new NumpactError("out_of_memory", `${size} bytes are more than the module can have`);
    }
    const place = this.#instance.exports.malloc(Math.max(1, size)) >>> 0;
    if (place === 0) throw new NumpactError("out_of_memory", "out of memory");
    this.#places.push(place);
    return place;
  }

  copyOf(bytes) {
    const place = this.allocate(bytes.length);
    this.#instance.bytes(place, bytes.length).set(bytes);
    return place;
  }

  /** The value of an option, with a zero at its end. */
  text(string, name) {
    return this.copyOf(new TextEncoder().encode(`${text(string, name)}\0`));
  }

  /** A struct of zeros that begins with its size, as the functions expect it. */
  struct(size) {
    const place = this.allocate(size);
    this.#instance.bytes(place, size).fill(0);
    this.#instance.view().setUint32(place, size, true);
    return place;
  }

  /** Something that `destroy` ends. */
  owned(destroy) {
    this.#cleanup.push(destroy);
  }

  /** Gives a place or an object to the caller, who frees it. */
  keep(place) {
    this.#places = this.#places.filter((other) => other !== place);
  }

  free() {
    for (const destroy of this.#cleanup.reverse()) destroy();
    for (const place of this.#places.reverse()) this.#instance.exports.free(place);
  }
}

export class Instance {
  #error = 0;
  #views = {};
  /** What reads the file that the running call reads in ranges. */
  #read = null;

  /**
   * @param {WebAssembly.Module} module
   * @param {number} maxMemory bytes
   */
  constructor(module, maxMemory) {
    const maximum = Math.min(MAX_PAGES, Math.floor(maxMemory / PAGE_BYTES));
    if (maximum < INITIAL_PAGES) {
      throw invalid(`the module needs a memory of ${INITIAL_PAGES * PAGE_BYTES} bytes`);
    }
    this.memory = new WebAssembly.Memory({initial: INITIAL_PAGES, maximum});
    const env = {memory: this.memory, numpact_js_read_at: (...range) => this.#readAt(...range)};
    this.exports = new WebAssembly.Instance(module, {env}).exports;
    /** Set by a trap: the contents of memory are invalid then. */
    this.isBroken = false;
    this.exports._initialize();
    this.#error = this.exports.malloc(ERROR_BYTES);
    if (this.#error === 0) throw new NumpactError("out_of_memory", "out of memory");
  }

  has(name) {
    return name in this.exports;
  }

  bytes(place, length) {
    if (this.#views.bytes?.buffer !== this.memory.buffer) {
      this.#views.bytes = new Uint8Array(this.memory.buffer);
    }
    return this.#views.bytes.subarray(place, place + length);
  }

  /** A copy of a result, in a buffer of its own. */
  copied(place, size) {
    let copy;
    try {
      copy = this.memory.buffer.slice(place, place + size);
    } catch (cause) {
      throw new NumpactError("out_of_memory", "the engine has no memory for the result", {cause});
    }
    if (copy.byteLength !== size) {
      throw new NumpactError("internal", "the result is not within the memory of the module");
    }
    return copy;
  }

  view() {
    if (this.#views.data?.buffer !== this.memory.buffer) {
      this.#views.data = new DataView(this.memory.buffer);
    }
    return this.#views.data;
  }

  u32(place) {
    return this.view().getUint32(place, true);
  }

  u64(place) {
    return plain(this.view().getBigUint64(place, true));
  }

  /** A string that ends with zero. */
  text(place) {
    const all = this.bytes(place, this.memory.buffer.byteLength - place);
    return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
  }

  /** Runs an operation with memory that is freed afterwards. */
  scoped(operation) {
    const scope = new Scope(this);
    try {
      return operation(scope);
    } finally {
      if (!this.isBroken) scope.free();
    }
  }

  /**
   * Runs an operation that reads a file in ranges.
   * @param {(begin: number, out: Uint8Array) => number} read returns the count of bytes; throws not
   */
  reading(read, operation) {
    this.#read = read;
    try {
      return operation();
    } finally {
      this.#read = null;
    }
  }

  /** numpact_read_at_function (numpact.h). */
  #readAt(_, offset, out, capacity, size) {
    if (!this.#read) return -1;
    const count = this.#read(Number(BigInt.asUintN(64, offset)),
      this.bytes(out >>> 0, capacity >>> 0));
    this.view().setUint32(size >>> 0, count, true);
    return 0;
  }

  /** A function without a status. */
  get(name, ...values) {
    if (!values.every(crosses)) {
      throw new NumpactError("internal", `${name} is given a number that wraps`);
    }
    try {
      return this.exports[name](...values);
    } catch (cause) {
      this.isBroken = true;
      throw new NumpactError("internal", `${name} failed`, {cause});
    }
  }

  /** A function that returns a count of 64 bits. */
  count(name, ...values) {
    return plain(BigInt.asUintN(64, this.get(name, ...values)));
  }

  /** A function that returns a status, and takes the error behind the other arguments. */
  call(name, ...values) {
    this.view().setUint32(this.#error, ERROR_BYTES, true);
    const status = this.get(name, ...values, this.#error);
    if (status !== 0) throw this.#thrown(status);
  }

  #thrown(status) {
    const at = (place) => {
      const value = this.view().getBigUint64(this.#error + place, true);
      return value === UNKNOWN ? undefined : plain(value);
    };
    return new NumpactError(kindOf(status), this.text(this.u32(this.#error + 12)), {
      offset: at(16), chunk: at(24), needed: at(32), goodCount: at(40),
    });
  }
}
