// SPDX-License-Identifier: Apache-2.0
import type {LoadOptions, Numpact} from "./index.js";

/** The ids that register() sets. */
export const CODEC_NAMES: string[];

/** An entry for the registry, as zarrita describes one. */
export function codecEntry(numpact: Numpact, BoolArray?: Function): {
  kind: "array_to_bytes";
  fromConfig(config: unknown, meta: {dataType: string; shape: number[]}): {
    kind: "array_to_bytes";
    decode(bytes: Uint8Array): {data: unknown; shape: number[]; stride: number[]};
    encode(chunk: {data: unknown; shape: number[]; stride: number[]}): Uint8Array;
  };
};

export function register(
  registry: Map<string, () => Promise<any>>,
  options?: LoadOptions & {numpact?: Numpact; BoolArray?: Function},
): void;
