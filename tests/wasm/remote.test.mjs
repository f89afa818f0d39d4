// SPDX-License-Identifier: Apache-2.0
// Files behind HTTP: which bytes are fetched, and what a server may do wrong.
import assert from "node:assert/strict";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";

import {Server} from "./server.mjs";
import {PACKAGE, assertSameBits, file, load, npy, numpact} from "./support.mjs";

const FILE = file("encoded", "trailer.pco");
const NUMBERS = npy("encoded", "trailer.npy").data;
const EMPTY = file("encoded", "empty_trailer.pco");
const NO_TRAILER = file("encoded", "f8_8.pco");

const RESTARTS = file("encoded", "restarts.pco");

const server = new Server({trailer: FILE, empty: EMPTY, none: NO_TRAILER, restarts: RESTARTS});
const {sent} = server;
let base;
before(async () => {
  base = await server.start();
});
after(() => server.close());

test("only the chunks that are asked for are fetched", async () => {
  const remote = await numpact.openUrl(`${base}/good/trailer`, {tailBytes: 24});
  assert.deepEqual([remote.type, remote.count, remote.chunks.length, remote.size],
    ["f64", 50_000, 13, FILE.length]);
  const kept = new Set();
  for (const [first, count, requests] of [[5000, 1, 1], [5001, 100, 0], [3800, 200, 1],
    [20_000, 5000, 1], [20_000, 10, 0], [0, 50_000, 2], [49_990, 10, 0], [12, 0, 0]]) {
    const before = {...sent};
    assertSameBits(await remote.read(first, count), NUMBERS.slice(first, first + count));
    const missing = remote.chunks.filter((chunk) => !kept.has(chunk) && count > 0 &&
      chunk.first < first + count && chunk.first + chunk.count > first);
    assert.equal(sent.count - before.count, requests, `${first} ${count}`);
    assert.equal(sent.bytes - before.bytes, missing.reduce((sum, chunk) => sum + chunk.size, 0));
    missing.forEach((chunk) => kept.add(chunk));
  }
  await assert.rejects(remote.read(49_999, 2), {kind: "invalid_argument"});
  const {first, count} = remote.chunks[2];
  const low = NUMBERS.slice(first, first + count).reduce((a, b) => Math.min(a, b));
  assert.ok(remote.chunksWithin(low, low).includes(2));
  assert.deepEqual(remote.chunksWithin(1e9, 1e10), []);
});

test("reads at the same time share requests, and failed ones are repeated", async () => {
  const remote = await numpact.openUrl(`${base}/good/trailer`);
  const before = sent.count;
  const parts = await Promise.all(Array.from({length: 100}, (_, i) => remote.read(i * 30, 30)));
  parts.forEach((part, i) => assertSameBits(part, NUMBERS.slice(i * 30, i * 30 + 30)));
  assert.equal(sent.count - before, 1);
  let isDown = false;
  const fetch = (...request) => isDown ? Promise.reject(new TypeError("down"))
    : globalThis.fetch(...request);
  const flaky = await numpact.openUrl(`${base}/good/trailer`, {fetch});
  await flaky.read(10_000, 10);
  isDown = true;
  for (let round = 0; round < 3; ++round) {
    const failures = await Promise.allSettled([flaky.read(0, 10), flaky.read(5, 9000),
      flaky.read(0, 50_000), flaky.read(40_000, 10)]);
    assert.ok(failures.every(({reason}) => reason?.kind === "io"));
    assertSameBits(await flaky.read(10_010, 10), NUMBERS.slice(10_010, 10_020));
  }
  isDown = false;
  assertSameBits(await flaky.read(0, 50_000), NUMBERS);
});

test("a part of a chunk is read from a restart point", async () => {
  const numbers = npy("encoded", "restarts.npy").data;
  const remote = await numpact.openUrl(`${base}/good/restarts`);
  const [{size, count}] = remote.chunks;
  assert.ok(remote.chunks[0].restartPoints > 20 && size > 2 ** 19);
  for (const first of [0, 5, 4095, 4096, 99_999, count - 20, count - 5, numbers.length - 10]) {
    const before = {...sent};
    assertSameBits(await remote.read(first, 10), numbers.slice(first, first + 10));
    assert.ok(sent.bytes - before.bytes < size / 4, `${first}`);
    assert.ok(sent.count - before.count <= 4, `${first}`);
    const repeated = sent.count;
    assertSameBits(await remote.read(first + 3, 2), numbers.slice(first + 3, first + 5));
    assert.equal(sent.count, repeated);
  }
  const wide = 3 * (count >> 2);
  assertSameBits(await remote.read(7, wide), numbers.slice(7, wide + 7)); // the whole chunk
  const before = sent.count;
  assertSameBits(await remote.read(77_777, 99), numbers.slice(77_777, 77_876));
  assert.equal(sent.count, before);
  assertSameBits(await remote.read(), numbers);
  const parts = await Promise.all([5, 6000, 5, 99_000].map((first) => remote.read(first, 5)));
  assertSameBits(parts[3], numbers.slice(99_000, 99_005));
  parts[0].fill(0); // the numbers that are kept are not those that callers get
  assertSameBits(await remote.read(5, 5), numbers.slice(5, 10));
});

test("a part that arrived damaged is fetched again", async () => {
  let isDamaging = false;
  const fetch = async (...request) => {
    const {status, headers, ...response} = await globalThis.fetch(...request)
      .then(async (answer) => ({status: answer.status, headers: answer.headers,
        bytes: new Uint8Array(await answer.arrayBuffer())}));
    if (isDamaging) response.bytes.fill(0xff);
    return {status, headers, arrayBuffer: async () => response.bytes.buffer};
  };
  const remote = await numpact.openUrl(`${base}/good/restarts`, {fetch});
  isDamaging = true;
  await assert.rejects(remote.read(50_000, 10), numpact.NumpactError);
  isDamaging = false;
  assertSameBits(await remote.read(50_000, 10),
    npy("encoded", "restarts.npy").data.slice(50_000, 50_010));
});

test("a chunk that arrived damaged is fetched again", async () => {
  let isDamaging = false;
  const fetch = async (...request) => {
    const response = await globalThis.fetch(...request);
    const {status, headers} = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (isDamaging) bytes[bytes.length >> 1] ^= 1;
    return {status, headers, arrayBuffer: async () => bytes.buffer};
  };
  const remote = await numpact.openUrl(`${base}/good/trailer`, {fetch});
  isDamaging = true;
  await assert.rejects(remote.read(0, 10), {kind: "checksum"});
  await assert.rejects(remote.read(0, 10), {kind: "checksum"});
  isDamaging = false;
  assertSameBits(await remote.read(0, 10), NUMBERS.slice(0, 10));
});

test("only so much is kept", async () => {
  const {ChunkCache} = await import(pathToFileURL(join(PACKAGE, "chunk_cache.js")));
  const chunks = Array.from({length: 10}, (_, i) => ({offset: i * 2 ** 22, size: 2 ** 22}));
  let fetched = [];
  const cache = new ChunkCache(async (begin, end) => {
    fetched.push([begin / 2 ** 22, end / 2 ** 22]);
    return new Uint8Array(end - begin).fill(begin / 2 ** 22);
  });
  const read = async (...indices) => {
    fetched = [];
    const found = [];
    for await (const [chunk, bytes] of cache.each(indices.map((i) => chunks[i]))) {
      assert.equal(bytes.length, chunk.size);
      found.push(chunk);
    }
    assert.deepEqual(found, indices.map((i) => chunks[i]));
    return fetched;
  };
  assert.deepEqual(await read(0, 1, 3), [[0, 2], [3, 4]]);
  assert.deepEqual(await read(0, 1, 2, 3), [[2, 3]]);
  assert.deepEqual(await read(0), []);
  assert.deepEqual(await read(4), [[4, 5]]); // in place of 1, which was used before the others
  assert.deepEqual(await read(0, 2, 3, 4), []);
  assert.deepEqual(await read(1), [[1, 2]]);
  assert.deepEqual(await read(5, 6, 7, 8, 9), [[5, 10]]); // more than is kept
  assert.deepEqual(await read(1), []);
  assert.deepEqual(await read(9), [[9, 10]]);
});

test("the tail that is fetched first may be of any size", async () => {
  for (const tailBytes of [24, 100, 2000, FILE.length, 10 * FILE.length]) {
    const remote = await numpact.openUrl(`${base}/good/trailer`, {tailBytes});
    assertSameBits(await remote.read(100, 100), NUMBERS.slice(100, 200));
  }
});

test("an empty file", async () => {
  const remote = await numpact.openUrl(`${base}/good/empty`);
  assert.equal(remote.count, 0);
  assert.deepEqual(await remote.read(), new Int32Array(0));
});

test("what a server does wrong is an error of its kind", async () => {
  for (const [path, kind] of [["good/none", "invalid_argument"], ["whole/trailer", "io"],
    ["silent/trailer", "io"], ["short/trailer", "io"], ["good/missing", "io"]]) {
    await assert.rejects(numpact.openUrl(`${base}/${path}`), (error) => {
      assert.ok(error instanceof numpact.NumpactError);
      assert.equal(error.kind, kind, `${path}: ${error.message}`);
      return true;
    });
  }
  await assert.rejects(numpact.openUrl("http://127.0.0.1:1/"), {kind: "io"});
  await assert.rejects(numpact.openUrl(`${base}/shifted/trailer`, {tailBytes: 2000}), {kind: "io"});
  await assert.rejects(numpact.openUrl(`${base}/changing/trailer`), {kind: "io"});
  server.etag = '"1"';
});

test("bytes that were damaged on the way, and a file that changes", async () => {
  const damaging = await numpact.openUrl(`${base}/damaging/trailer`).catch((error) => error);
  // The header is damaged: either it is refused at once, or with the chunks.
  if (damaging instanceof numpact.RemoteFile) {
    await assert.rejects(damaging.read(0, 10), numpact.NumpactError);
  }
  const remote = await numpact.openUrl(`${base}/good/trailer`);
  server.etag = '"2"';
  await assert.rejects(remote.read(0, 10), {kind: "io"});
  server.etag = '"1"';
  const aborted = await numpact.openUrl(`${base}/good/trailer`,
    {signal: AbortSignal.abort(), numpact: load()}).catch((error) => error);
  assert.equal(aborted.kind, "cancelled");
});

test("fetch is called as browsers want it", async (context) => {
  const nodeFetch = globalThis.fetch;
  const calls = [];
  /** Like that of a browser: no method of any object but the global one. */
  function strict(...request) {
    calls.push(this);
    if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
    return nodeFetch(...request);
  }
  context.after(() => {
    globalThis.fetch = nodeFetch;
  });
  globalThis.fetch = strict;
  for (const options of [{}, {fetch: undefined}, {fetch: strict}]) {
    const remote = await numpact.openUrl(`${base}/good/trailer`, options);
    assertSameBits(await remote.read(100, 100), NUMBERS.slice(100, 200));
    const same = await numpact.RemoteFile.open(load(), new URL(`${base}/good/trailer`), options);
    assertSameBits(await same.read(49_000), NUMBERS.slice(49_000));
  }
  assert.equal(calls.length, 3 * 2 * 3);
  for (const fetch of [null, "fetch", {}]) {
    await assert.rejects(numpact.openUrl(`${base}/good/trailer`, {fetch}),
      {kind: "invalid_argument", message: /fetch is /});
  }
});

test("headers of every form are sent", async () => {
  const seen = [];
  const fetch = (url, init) => {
    const given = new Headers(init.headers);
    seen.push(given.get("authorization"), given.has("range"));
    return globalThis.fetch(url, init);
  };
  const headers = {Authorization: "Bearer 5"};
  for (const form of [headers, Object.entries(headers), new Headers(headers), new Map(
    Object.entries(headers))]) {
    await numpact.openUrl(`${base}/good/trailer`, {fetch, headers: form});
  }
  assert.deepEqual(seen, Array(8).fill(["Bearer 5", true]).flat());
});

test("ranges and options that are none", async () => {
  const remote = await numpact.openUrl(`${base}/good/trailer`);
  const before = remote.requests;
  const wrong = [-1, 0.5, NaN, Infinity, "5", null, true, 2 ** 64, 2n ** 64n, -1n];
  for (const value of wrong) {
    await assert.rejects(remote.read(value, 1), {kind: "invalid_argument", message: /first is /});
    await assert.rejects(remote.read(0, value), {kind: "invalid_argument", message: /count is /});
  }
  for (const value of [...wrong, 0, 23, 2 ** 32, 2 ** 32 + 65536]) {
    await assert.rejects(numpact.openUrl(`${base}/good/trailer`, {tailBytes: value}),
      {kind: "invalid_argument", message: /tailBytes is /});
  }
  for (const [first, count] of [[0, 50_001], [50_001], [2 ** 32, 1], [1, 2 ** 32 - 1],
    [2n ** 64n - 1n, 1]]) {
    await assert.rejects(remote.read(first, count),
      {kind: "invalid_argument", message: /the file has 50000 numbers/});
  }
  await assert.rejects(remote.read(0, 1, {type: "f32"}), {message: /no option "type"/});
  for (const value of ["5", null, undefined]) {
    assert.throws(() => remote.chunksWithin(value, 5), {kind: "invalid_argument"});
    assert.throws(() => remote.chunksWithin(5, value), {kind: "invalid_argument"});
  }
  assert.equal(remote.requests, before);
  assertSameBits(await remote.read(49_990n), NUMBERS.slice(49_990));
  assertSameBits(await remote.read(5n, 10n), NUMBERS.slice(5, 15));
});

test("sizes that a server claims", async () => {
  const digits = "9".repeat(400);
  for (const range of ["bytes 0-1/*", "bytes 5-4/9", `bytes ${digits}-${digits}/${digits}`,
    `bytes 0-${digits}/${digits}`, "bytes 18446744073709551616-18446744073709551616/5",
    `bytes ${2n ** 60n}-${2n ** 60n + 4095n}/${2n ** 60n + 4096n}`]) {
    await assert.rejects(numpact.openUrl(`${base}/${encodeURIComponent(range)}/trailer`),
      {name: "NumpactError", kind: "io"});
  }
});

test("messages say why a request failed, and what a browser can do", async () => {
  const fetch = async () => {
    throw new TypeError("the network is down");
  };
  await assert.rejects(numpact.openUrl(`${base}/good/trailer`, {fetch}),
    {kind: "io", message: /the request failed: the network is down/});
  await assert.rejects(numpact.openUrl(`${base}/good/none`), (error) => {
    assert.doesNotMatch(error.message, /numpact index/);
    assert.match(error.message, /has no trailer: encode with \{trailer: "index"\} writes one/);
    return true;
  });
});
