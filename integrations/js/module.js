// SPDX-License-Identifier: Apache-2.0
// An instance of the WebAssembly module: its memory, calls of its functions, and their errors.
import {NumpactError, invalid, kindOf} from "./errors.js";
import {plain} from "./types.js";

const PAGE_BYTES = 65536;
/** The memory that the module declares (integrations/js/CMakeLists.txt). */
const INITIAL_PAGES = 64;
const MAX_PAGES = 65536;
const UNKNOWN = 0xffffffffffffffffn;
const ERROR_BYTES = 48;

/** A function (v128) -> v128: valid where the engine has SIMD. */
const SIMD_PROBE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7b, 1, 0x7b, 3, 2, 1, 0, 10, 6, 1, 4, 0,
  0x20, 0, 0x0b,
]);

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
export async function compiled({module, simd = hasSimd(), variant = "full"} = {}) {
  if (module instanceof WebAssembly.Module) return module;
  if (module !== undefined && !(module instanceof URL) && typeof module !== "string") {
    return WebAssembly.compile(module);
  }
  if (variant !== "full" && variant !== "decode") throw invalid(`no module is called "${variant}"`);
  const name = `./numpact${variant === "decode" ? "-decode" : ""}${simd ? "" : "-scalar"}.wasm`;
  return WebAssembly.compile(await bytesAt(new URL(module ?? name, import.meta.url)));
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

  text(string) {
    return this.copyOf(new TextEncoder().encode(`${string}\0`));
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
    this.exports = new WebAssembly.Instance(module, {env: {memory: this.memory}}).exports;
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

  /** A function without a status. */
  get(name, ...values) {
    try {
      return this.exports[name](...values);
    } catch (cause) {
      this.isBroken = true;
      throw new NumpactError("internal", `${name} failed`, {cause});
    }
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
