// SPDX-License-Identifier: Apache-2.0
// numpact in JavaScript: Pco and CVC files by a WebAssembly module. The functions here share one
// Numpact, which is loaded by the first call; its methods do the same without waiting.
import {Numpact} from "./codec.js";
import {CvcFile} from "./cvc.js";
import {NumpactError} from "./errors.js";
import {hasSimd} from "./module.js";
import {RemoteFile} from "./remote.js";
import {RemoteCvcFile} from "./remote_cvc.js";

let shared;

/** The Numpact of the functions below. */
export function numpact() {
  shared ??= Numpact.load().catch((error) => {
    shared = undefined; // the next call tries again
    throw error;
  });
  return shared;
}

export async function decode(bytes, options) {
  return (await numpact()).decode(bytes, options);
}

export async function decodeInto(bytes, target, options) {
  return (await numpact()).decodeInto(bytes, target, options);
}

export async function encode(numbers, options) {
  return (await numpact()).encode(numbers, options);
}

export async function inspect(bytes, options) {
  return (await numpact()).inspect(bytes, options);
}

export async function openCvc(bytes) {
  return new CvcFile(await numpact(), bytes);
}

export async function openUrl(url, options) {
  return RemoteFile.open(options?.numpact ?? await numpact(), url, options);
}

export async function openCvcUrl(url, options) {
  return RemoteCvcFile.open(options?.numpact ?? await numpact(), url, options);
}

export {Numpact, NumpactError, CvcFile, RemoteCvcFile, RemoteFile, hasSimd};
