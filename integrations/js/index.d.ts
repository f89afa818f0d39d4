// SPDX-License-Identifier: Apache-2.0
export type NumberType =
  "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f16" | "f32" | "f64";

// Types of the engine, each from whichever library declares it: "dom", "webworker", that of Node,
// or "esnext.float16". Without it, nothing can have the type.
type CompiledModule =
  typeof globalThis extends {WebAssembly: {Module: {prototype: infer T}}} ? T : never;
type Url = typeof globalThis extends {URL: {prototype: infer T}} ? T : never;
type Signal = typeof globalThis extends {AbortSignal: {prototype: infer T}} ? T : never;
type Float16 = typeof globalThis extends {Float16Array: {prototype: infer T}} ? T : never;

/** The arrays that numbers of a type come in. */
export interface ArrayOf {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  u64: BigUint64Array;
  i8: Int8Array;
  i16: Int16Array;
  i32: Int32Array;
  i64: BigInt64Array;
  /** See DecodeOptions.float16. */
  f16: Float16 | Float32Array | Uint16Array;
  f32: Float32Array;
  f64: Float64Array;
}

export type NumberArray = ArrayOf[NumberType];

export type Bytes = ArrayBufferLike | ArrayBufferView;

export type ErrorKind =
  "invalid_argument" | "type_mismatch" | "does_not_fit" | "corrupt" | "truncated" |
  "unsupported_version" | "checksum" | "limit_exceeded" | "out_of_memory" | "io" | "cancelled" |
  "internal";

export class NumpactError extends Error {
  readonly kind: ErrorKind;
  /** The status of numpact.h; -1: internal. */
  readonly code: number;
  /** Byte of the file. */
  readonly offset?: number;
  readonly chunk?: number;
  /** does_not_fit: bytes that suffice. */
  readonly needed?: number;
  /** Correct numbers at the start of the output. */
  readonly goodCount: number;
}

export interface LoadOptions {
  /** The module, its bytes, or their URL; default: the file next to this one. */
  module?: CompiledModule | Bytes | Url | string;
  /** Default: true if the engine supports it. */
  simd?: boolean;
  /** "decode": the smaller module, which does not encode. */
  variant?: "full" | "decode";
  /** Bytes of memory that the module may take, at least 4 MiB; default: 4 GiB. */
  maxMemory?: number | bigint;
  /** Limits of the output and of the memory of decoding: integers below 2^64; default: none. */
  maxNumbers?: number | bigint;
  maxOutputBytes?: number | bigint;
  maxScratch?: number | bigint;
}

export interface DecodeOptions {
  /** The array type of float16 numbers. Default: "float16" if the engine has Float16Array, else
   * "float32", which holds the same values; "bits": Uint16Array. */
  float16?: "float16" | "float32" | "bits";
  /** The type that the file must have; an empty file without a type matches every type. */
  type?: NumberType;
}

export interface EncodeOptions {
  /** For arrays that do not tell: "f16" with a Uint16Array of bits. */
  type?: NumberType;
  // Integers below 2^32 (level, restartLog, maxPageCount) may be BigInts, too.
  /** 0 (fastest) to 12 (smallest); default 8. */
  level?: number | bigint;
  /** "auto", "classic", "float-mult=0.01", ... as in the command line tool. */
  mode?: string;
  /** "auto", "none", "consecutive=2", ... */
  delta?: string;
  /** The oldest format whose readers can read the file; default "4.1". */
  format?: "1" | "2" | "3" | "4.0" | "4.1";
  trailer?: "none" | "index" | "restarts";
  /** For "restarts": log2 of the distance, 8 to 24; default 12. */
  restartLog?: number | bigint;
  /** Numbers in a chunk at most; default, 0: chosen by the encoder. */
  maxPageCount?: number | bigint;
  /** A decodeWeight of at least 1. */
  favorDecodeSpeed?: boolean;
  /** Bits per number that a nanosecond of decoding is worth: 0 (default; only the size counts) to
   * 128. */
  decodeWeight?: number;
}

/** The latents lower to lower + 2^offsetBits - 1, with a probability of weight / 2^tableLog. */
export interface Bin {
  lower: bigint;
  weight: number;
  offsetBits: number;
}

export interface Variable {
  name: "delta" | "primary" | "secondary";
  binCount: number;
  tableLog: number;
  bins?: Bin[];
}

export interface ChunkInfo {
  offset: number;
  /** Bytes to the next chunk; of the last one, to the terminator of a file with a trailer, else to
   * the last byte. */
  size: number;
  metaSize: number;
  first: number;
  count: number;
  mode: "classic" | "int-mult" | "float-mult" | "float-quant" | "dict";
  delta: "none" | "consecutive" | "lookback" | "conv1";
  description: string;
  variables: Variable[];
}

export interface ChunkSummary {
  offset: number;
  size: number;
  first: number;
  count: number;
  nanCount: number;
  restartPoints: number;
  crc: number;
  /** Undefined: all numbers are NaN. */
  min?: number | bigint;
  max?: number | bigint;
}

export interface TrailerInfo {
  type?: NumberType;
  count: number;
  fileSize: number;
  chunks: ChunkSummary[];
}

export interface FileInfo {
  type?: NumberType;
  count: number;
  size: number;
  standaloneVersion: number;
  formatVersion: string;
  headerSize: number;
  chunkCount: number;
  /** The first ones: `maxChunks` at most. */
  chunks: ChunkInfo[];
  trailer?: TrailerInfo;
}

export interface InspectOptions {
  /** Default 1000. */
  maxChunks?: number | bigint;
  /** Default true. */
  bins?: boolean;
}

export interface Verification {
  isSound: boolean;
  trailer: "absent" | "sound" | "damaged" | "unrecognized";
  soundCount: number;
  damageCount: number;
  damagedChunk?: number;
  damagedOffset?: number;
}

/**
 * A loaded module. Its methods throw NumpactError, of kind "invalid_argument" for an option that
 * they do not have, and for a number that is no integer of its range.
 */
export class Numpact {
  static load(options?: LoadOptions): Promise<Numpact>;
  constructor(module: CompiledModule, options?: LoadOptions);
  readonly version: string;
  /** "wasm": SIMD; "scalar": portable code. */
  readonly target: string;
  readonly canEncode: boolean;
  readonly memoryBytes: number;
  release(): void;
  decode<T extends NumberType>(bytes: Bytes, options: DecodeOptions & {type: T}): ArrayOf[T];
  decode(bytes: Bytes, options?: DecodeOptions): NumberArray;
  /** Returns how many numbers were decoded. */
  decodeInto(bytes: Bytes, target: NumberArray, options?: {type?: NumberType}): number;
  /** The numbers first (default: 0) to first + count - 1 (default: the last); touches only their
   * chunks. */
  decodeRange<T extends NumberType>(bytes: Bytes, first: number | bigint | undefined,
    count: number | bigint | undefined, options: DecodeOptions & {type: T}): ArrayOf[T];
  decodeRange(bytes: Bytes, first?: number | bigint, count?: number | bigint,
    options?: DecodeOptions): NumberArray;
  count(bytes: Bytes): number;
  /** How many numbers are in the range, both ends included. Of floats, the nearest number of the
   * file's type stands for a bound that is a Number; other bounds are exact or refused. */
  countWhere(bytes: Bytes, min: number | bigint, max: number | bigint): number;
  crc32(bytes: Bytes): number;
  verify(bytes: Bytes): Verification;
  inspect(bytes: Bytes, options?: InspectOptions): FileInfo;
  encode(numbers: NumberArray | Uint8ClampedArray, options?: EncodeOptions): Uint8Array;
}

export interface CvcColumn {
  /** Empty in a file of one array. */
  name: string;
  compression: string;
  dimension: number;
  dtype: string;
}

export interface CvcReadOptions {
  /** Index or name; default 0. */
  column?: number | bigint | string;
  /** Default: "float32", of integers stored uncompressed or as pco their own; "bfloat16" comes as
   * its bits. */
  dtype?: "float32" | "float16" | "bfloat16" | "int32" | "int64" | "int8" | "uint8";
  float16?: DecodeOptions["float16"];
}

/** The arrays that rows come in by their dtype. */
export interface RowsOf {
  float32: Float32Array;
  /** See DecodeOptions.float16. */
  float16: ArrayOf["f16"];
  bfloat16: Uint16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  int8: Int8Array;
  uint8: Uint8Array;
}

/** Rows of all columns that are stored together. */
export interface CvcChunk {
  firstRow: number;
  rows: number;
  offset: number;
  size: number;
}

export class CvcFile {
  constructor(numpact: Numpact, bytes: Bytes);
  readonly rows: number;
  readonly columns: CvcColumn[];
  readonly chunks: CvcChunk[];
  read<T extends keyof RowsOf>(first: number | bigint | undefined,
    count: number | bigint | undefined, options: CvcReadOptions & {dtype: T}): RowsOf[T];
  read(first?: number | bigint, count?: number | bigint, options?: CvcReadOptions): NumberArray;
  gather<T extends keyof RowsOf>(rows: Iterable<number | bigint>,
    options: CvcReadOptions & {dtype: T}): RowsOf[T];
  gather(rows: Iterable<number | bigint>, options?: CvcReadOptions): NumberArray;
}

/** What is used of a Response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: {get(name: string): string | null};
  readonly body?: {cancel(): Promise<void>} | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface RemoteCvcOptions {
  numpact?: Numpact;
  /** Called without an object; default: that of the engine. */
  fetch?: (url: string, init: {headers: Record<string, string>; signal?: Signal}) =>
    Promise<FetchResponse>;
  /** Also an object Headers. */
  headers?: Record<string, string> | Iterable<[string, string]>;
  signal?: Signal;
}

export interface RemoteOptions extends RemoteCvcOptions {
  /** Bytes of the first request, at least 24; default 65,536. */
  tailBytes?: number | bigint;
}

/** A file with a trailer behind HTTP. */
export class RemoteFile {
  static open(numpact: Numpact, url: string | Url, options?: RemoteOptions): Promise<RemoteFile>;
  readonly url: string;
  readonly size: number;
  readonly type?: NumberType;
  readonly count: number;
  readonly chunks: ChunkSummary[];
  readonly requests: number;
  /** Keeps the bytes of the chunks fetched last, and the numbers of those decoded last, up to 16
   * MiB of each. */
  read(first?: number | bigint, count?: number | bigint,
    options?: {float16?: DecodeOptions["float16"]}): Promise<NumberArray>;
  chunksWithin(min: number | bigint, max: number | bigint): number[];
}

/** A CVC file behind HTTP. Keeps what was fetched last, up to 16 MiB. */
export class RemoteCvcFile {
  static open(numpact: Numpact, url: string | Url, options?: RemoteCvcOptions):
    Promise<RemoteCvcFile>;
  readonly url: string;
  readonly size: number;
  readonly rows: number;
  readonly columns: CvcColumn[];
  readonly chunks: CvcChunk[];
  readonly requests: number;
  read<T extends keyof RowsOf>(first: number | bigint | undefined,
    count: number | bigint | undefined, options: CvcReadOptions & {dtype: T}): Promise<RowsOf[T]>;
  read(first?: number | bigint, count?: number | bigint, options?: CvcReadOptions):
    Promise<NumberArray>;
  gather<T extends keyof RowsOf>(rows: Iterable<number | bigint>,
    options: CvcReadOptions & {dtype: T}): Promise<RowsOf[T]>;
  gather(rows: Iterable<number | bigint>, options?: CvcReadOptions): Promise<NumberArray>;
}

export function numpact(): Promise<Numpact>;
export function decode<T extends NumberType>(bytes: Bytes, options: DecodeOptions & {type: T}):
  Promise<ArrayOf[T]>;
export function decode(bytes: Bytes, options?: DecodeOptions): Promise<NumberArray>;
export function decodeInto(bytes: Bytes, target: NumberArray, options?: {type?: NumberType}):
  Promise<number>;
export function encode(numbers: NumberArray | Uint8ClampedArray, options?: EncodeOptions):
  Promise<Uint8Array>;
export function inspect(bytes: Bytes, options?: InspectOptions): Promise<FileInfo>;
export function openCvc(bytes: Bytes): Promise<CvcFile>;
export function openUrl(url: string | Url, options?: RemoteOptions): Promise<RemoteFile>;
export function openCvcUrl(url: string | Url, options?: RemoteCvcOptions): Promise<RemoteCvcFile>;
export function hasSimd(): boolean;
