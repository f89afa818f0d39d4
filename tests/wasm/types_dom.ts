// SPDX-License-Identifier: Apache-2.0
// The declarations, for tsc, with types of a browser.
import {Numpact, RemoteFile, openUrl} from "../../integrations/js/index.js";

export async function load(module: WebAssembly.Module, bytes: ArrayBuffer): Promise<Numpact[]> {
  return [new Numpact(module), await Numpact.load({module}), await Numpact.load({module: bytes}),
    await Numpact.load({module: new URL("https://example.org/numpact.wasm")})];
}

export async function open(url: URL, signal: AbortSignal): Promise<RemoteFile[]> {
  return [await openUrl(url), await openUrl("a.pco", {signal, fetch, headers: new Headers()}),
    await openUrl(url, {fetch: (...request) => fetch(...request)}),
    await RemoteFile.open(await Numpact.load(), url, {fetch: window.fetch})];
}
