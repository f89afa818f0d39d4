// SPDX-License-Identifier: Apache-2.0
export type NumberType =
  "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f16" | "f32" | "f64";

/** Float16Array where the engine has it. */
export type NumberArray =
  Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Int8Array | Int16Array | Int32Array |
  BigInt64Array | Float32Array | Float64Array;

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
  module?: WebAssembly.Module | BufferSource | URL | string;
  /** Default: true if the engine supports it. */
  simd?: boolean;
  /** "decode": the smaller module, which does not encode. */
  variant?: "full" | "decode";
  /** Bytes of memory that the module may take; default: 4 GiB. */
  maxMemory?: number;
  /** Limits of the output and of the memory of decoding. */
  maxNumbers?: number;
  maxOutputBytes?: number;
  maxScratch?: number;
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
  /** 0 (fastest) to 12 (smallest); default 8. */
  level?: number;
  /** "auto", "classic", "float-mult=0.01", ... as in the command line tool. */
  mode?: string;
  /** "auto", "none", "consecutive=2", ... */
  delta?: string;
  /** The oldest format whose readers can read the file; default "4.1". */
  format?: "1" | "2" | "3" | "4.0" | "4.1";
  trailer?: "none" | "index" | "restarts";
  /** For "restarts": log2 of the distance; default 12. */
  restartLog?: number;
  /** Numbers in a chunk at most; default: chosen by the encoder. */
  maxPageCount?: number;
  favorDecodeSpeed?: boolean;
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
  maxChunks?: number;
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

/** A loaded module. Its methods throw NumpactError. */
export class Numpact {
  static load(options?: LoadOptions): Promise<Numpact>;
  constructor(module: WebAssembly.Module, options?: LoadOptions);
  readonly version: string;
  /** "wasm": SIMD; "scalar": portable code. */
  readonly target: string;
  readonly canEncode: boolean;
  readonly memoryBytes: number;
  release(): void;
  decode(bytes: Bytes, options?: DecodeOptions): NumberArray;
  /** Returns how many numbers were decoded. */
  decodeInto(bytes: Bytes, target: NumberArray, options?: {type?: NumberType}): number;
  /** The numbers first to first + count - 1; touches only their chunks. */
  decodeRange(bytes: Bytes, first: number, count: number, options?: DecodeOptions): NumberArray;
  count(bytes: Bytes): number;
  /** How many numbers are in the range, both ends included. */
  countWhere(bytes: Bytes, min: number | bigint, max: number | bigint): number;
  crc32(bytes: Bytes): number;
  verify(bytes: Bytes): Verification;
  inspect(bytes: Bytes, options?: InspectOptions): FileInfo;
  encode(numbers: NumberArray, options?: EncodeOptions): Uint8Array;
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
  column?: number | string;
  /** Default: "float32", of integers stored uncompressed or as pco their own; "bfloat16" comes as
   * its bits. */
  dtype?: "float32" | "float16" | "bfloat16" | "int32" | "int64" | "int8" | "uint8";
  float16?: DecodeOptions["float16"];
}

export class CvcFile {
  constructor(numpact: Numpact, bytes: Bytes);
  readonly rows: number;
  readonly columns: CvcColumn[];
  read(first?: number, count?: number, options?: CvcReadOptions): NumberArray;
  gather(rows: Iterable<number | bigint>, options?: CvcReadOptions): NumberArray;
}

export interface RemoteOptions {
  numpact?: Numpact;
  fetch?: typeof fetch;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Bytes of the first request; default 65,536. */
  tailBytes?: number;
}

/** A file with a trailer behind HTTP. */
export class RemoteFile {
  static open(numpact: Numpact, url: string | URL, options?: RemoteOptions): Promise<RemoteFile>;
  readonly url: string;
  readonly size: number;
  readonly type?: NumberType;
  readonly count: number;
  readonly chunks: ChunkSummary[];
  readonly requests: number;
  read(first?: number, count?: number, options?: {float16?: DecodeOptions["float16"]}):
    Promise<NumberArray>;
  chunksWithin(min: number | bigint, max: number | bigint): number[];
}

export function numpact(): Promise<Numpact>;
export function decode(bytes: Bytes, options?: DecodeOptions): Promise<NumberArray>;
export function decodeInto(bytes: Bytes, target: NumberArray, options?: {type?: NumberType}):
  Promise<number>;
export function encode(numbers: NumberArray, options?: EncodeOptions): Promise<Uint8Array>;
export function inspect(bytes: Bytes, options?: InspectOptions): Promise<FileInfo>;
export function openCvc(bytes: Bytes): Promise<CvcFile>;
export function openUrl(url: string | URL, options?: RemoteOptions): Promise<RemoteFile>;
export function hasSimd(): boolean;
