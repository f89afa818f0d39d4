// SPDX-License-Identifier: Apache-2.0
// The declarations, for tsc: without the names of a browser, and with them (types_dom.ts).
import {
  CvcFile, Numpact, NumpactError, RemoteCvcFile, RemoteFile, decode, encode, inspect, openCvcUrl,
  openUrl,
} from "../../integrations/js/index.js";
import type {FetchResponse, NumberArray} from "../../integrations/js/index.js";
import {codecEntry, register} from "../../integrations/js/zarrita.js";

export async function arrays(bytes: Uint8Array): Promise<void> {
  const codec = await Numpact.load({variant: "decode", maxNumbers: 2n ** 40n, maxMemory: 2 ** 24});
  const doubles: Float64Array = codec.decode(bytes, {type: "f64"});
  const longs: BigInt64Array = codec.decodeRange(bytes, 0n, 5, {type: "i64"});
  const rest: Uint8Array = codec.decodeRange(bytes, undefined, undefined, {type: "u8"});
  const singles: Float32Array = await decode(bytes, {type: "f32"});
  const any: NumberArray = codec.decode(bytes);
  const some: NumberArray = codec.decodeRange(bytes.buffer, 5);
  // @ts-expect-error: without a type it may be any array
  const wrong: Float64Array = codec.decode(bytes);
  // @ts-expect-error: another type
  const other: Float32Array = codec.decode(bytes, {type: "f64"});
  // @ts-expect-error: there is no such type
  codec.decode(bytes, {type: "f128"});
  const halves: NumberArray = codec.decode(bytes, {type: "f16", float16: "bits"});
  const count: number = codec.countWhere(bytes, 5, 10n) + codec.decodeInto(bytes, doubles);
  void [longs, rest, singles, any, some, wrong, other, halves, count];
}

export async function options(numbers: Float64Array): Promise<Uint8Array> {
  const codec = await Numpact.load();
  codec.encode(new Uint8ClampedArray(5), {level: 4n, trailer: "index"});
  // @ts-expect-error: a misspelled option
  codec.encode(numbers, {lvel: 3});
  // @ts-expect-error: a text is no level
  codec.encode(numbers, {level: "3"});
  // @ts-expect-error: there is no such format
  codec.encode(numbers, {format: "5"});
  const made = await encode(numbers, {maxPageCount: 1000, favorDecodeSpeed: true,
    decodeWeight: 0.5});
  const {chunks, trailer} = await inspect(made, {maxChunks: 5, bins: false});
  const low: number | bigint | undefined = trailer?.chunks[0]?.min;
  void [chunks[0]?.variables[0]?.bins?.[0]?.lower, low];
  return made;
}

export async function files(bytes: ArrayBuffer): Promise<number> {
  const codec = await Numpact.load();
  const cvc = new CvcFile(codec, bytes);
  const rows: Float32Array = cvc.read(0n, 5, {column: "a", dtype: "float32"});
  const ids: Promise<BigInt64Array> = openCvcUrl("a.cvc", {headers: {A: "b"}}).then(
    (found: RemoteCvcFile) => found.gather([1, 2n], {dtype: "int64"}));
  // @ts-expect-error: rows of another type
  const wrong: Int8Array = cvc.gather([5], {dtype: "float32"});
  void [rows, await ids, wrong, cvc.chunks[0]?.firstRow];
  cvc.gather(new Set([1, 2n]), {float16: "bits"});
  const fetch = async (_: string, {headers}: {headers: Record<string, string>}):
  Promise<FetchResponse> => ({
    status: headers["Range"] ? 206 : 200, headers: new Map<string, string>() as never,
    arrayBuffer: async () => bytes,
  });
  const remote: RemoteFile = await openUrl("a.pco", {fetch, headers: {A: "b"}, tailBytes: 24});
  const numbers = await remote.read(5, 10n, {float16: "float32"});
  // @ts-expect-error: the type is that of the file
  await remote.read(5, 10, {type: "f64"});
  return numbers.length + remote.chunksWithin(5, 10n).length;
}

export function kindOf(error: unknown): string | undefined {
  return error instanceof NumpactError && error.kind === "checksum" ? error.message : undefined;
}

export function zarr(registry: Map<string, () => Promise<unknown>>, codec: Numpact): unknown {
  register(registry as Map<string, () => Promise<any>>, {numpact: codec, maxNumbers: 5});
  return codecEntry(codec).fromConfig({}, {dataType: "int8", shape: [5]}).decode(new Uint8Array(5));
}
