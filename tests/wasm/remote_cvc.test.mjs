// SPDX-License-Identifier: Apache-2.0
// CVC files behind HTTP: the rows of the file in memory, and which bytes are fetched for them.
import assert from "node:assert/strict";
import {after, before, test} from "node:test";

import {Server} from "./server.mjs";
import {assertSameBits, file, load, namesIn, numpact} from "./support.mjs";

const codec = load();
const FILES = Object.fromEntries(namesIn("cvc", ".cvc").filter((name) => name !== "zeros")
  .map((name) => [name, file("cvc", `${name}.cvc`)]));

function isSound(name) {
  try {
    new numpact.CvcFile(codec, FILES[name]);
    return true;
  } catch {
    return false;
  }
}
const NAMES = Object.keys(FILES).filter(isSound);

const server = new Server(FILES);
const {sent} = server;
let base;
before(async () => {
  base = await server.start();
});
after(() => server.close());

test("every file has the rows that it has in memory", async () => {
  assert.ok(NAMES.length > 20);
  for (const name of NAMES) {
    const local = new numpact.CvcFile(codec, FILES[name]);
    const remote = await numpact.openCvcUrl(`${base}/good/${name}`);
    assert.deepEqual([remote.rows, remote.columns, remote.chunks, remote.size],
      [local.rows, local.columns, local.chunks, FILES[name].length], name);
    for (const column of local.columns.keys()) {
      assertSameBits(await remote.read(0, local.rows, {column}), local.read(0, local.rows, {column}),
        name);
      if (local.rows === 0) continue;
      const rows = Array.from({length: 20}, (_, i) => i * 7919 % local.rows);
      assertSameBits(await remote.gather(rows, {column}), local.gather(rows, {column}), name);
    }
  }
});

test("only the bytes of the rows are fetched", async () => {
  // Blocks: a place of codes for each of three chunks, and of ranges; places that are near each
  // other are fetched together.
  for (const [name, blocks] of [["fp16", 5], ["int8_row", 24], ["rot4", 18]]) {
    const local = new numpact.CvcFile(codec, FILES[`rows_${name}`]);
    const remote = await numpact.RemoteCvcFile.open(codec, `${base}/good/rows_${name}`);
    assert.equal(remote.requests, 1);
    const rows = [39_999, 5, 20_000, 39_999, 20_001];
    const before = {...sent};
    assertSameBits(await remote.gather(rows), local.gather(rows), name);
    assert.ok(sent.bytes - before.bytes <= blocks * 2 ** 14, name);
    assert.ok(sent.count - before.count <= 8, name);
    const repeated = sent.count;
    assertSameBits(await remote.gather([39_998, 4]), local.gather([39_998, 4]), name);
    assertSameBits(await remote.read(20_000, 2), local.read(20_000, 2), name);
    assert.equal(sent.count, repeated);
  }
});

test("reads at the same time share requests, and failed ones are repeated", async () => {
  const local = new numpact.CvcFile(codec, FILES.rows_fp16);
  let isDown = false;
  const fetch = (...request) => isDown ? Promise.reject(new TypeError("down"))
    : globalThis.fetch(...request);
  const remote = await numpact.openCvcUrl(`${base}/good/rows_fp16`, {fetch});
  isDown = true;
  await assert.rejects(remote.read(30_000, 5), {kind: "io", message: /down/});
  isDown = false;
  const before = sent.count;
  const parts = await Promise.all(Array.from({length: 100}, (_, i) => remote.read(30_000 + i, 1)));
  parts.forEach((part, i) => assertSameBits(part, local.read(30_000 + i, 1)));
  assert.equal(sent.count - before, 1);
  assertSameBits(await remote.read(8990, 9020), local.read(8990, 9020));
});

test("what arrived damaged is refused, and fetched again", async () => {
  let isDamaging = false;
  const fetch = async (...request) => {
    const {status, headers, ...answer} = await globalThis.fetch(...request);
    void answer;
    return {status, headers, arrayBuffer: async () => {
      const bytes = (await globalThis.fetch(...request)).arrayBuffer();
      if (isDamaging) new Uint8Array(await bytes).fill(3);
      return bytes;
    }};
  };
  const local = new numpact.CvcFile(codec, FILES.rows_pco);
  const remote = await numpact.openCvcUrl(`${base}/good/rows_pco`, {fetch});
  isDamaging = true;
  await assert.rejects(remote.read(9000, 9000), {kind: "checksum"});
  isDamaging = false;
  assertSameBits(await remote.read(9000, 9000), local.read(9000, 9000));
});

test("what a server does wrong is an error of its kind", async () => {
  for (const path of ["whole/rows_fp16", "silent/rows_fp16", "short/rows_fp16", "good/missing"]) {
    await assert.rejects(numpact.openCvcUrl(`${base}/${path}`), {name: "NumpactError", kind: "io"});
  }
  const changing = await numpact.openCvcUrl(`${base}/good/rows_fp16`);
  server.etag = '"2"';
  await assert.rejects(changing.read(39_000, 5), {kind: "io", message: /has changed/});
  server.etag = '"1"';
  await assert.rejects(numpact.openCvcUrl(`${base}/good/rows_fp16`,
    {signal: AbortSignal.abort()}), {kind: "cancelled"});
  await assert.rejects(numpact.openCvcUrl(`${base}/good/rows_fp16`, {tailBytes: 24}),
    {message: /no option "tailBytes"/});
});

test("damaged files are refused as in memory", async () => {
  const names = namesIn("cvc/bad", ".cvc");
  const bad = new Server(Object.fromEntries(names.map((name) =>
    [name, file("cvc", "bad", `${name}.cvc`)])));
  const at = await bad.start();
  for (const name of names) {
    const outcome = async (open) => {
      try {
        const found = await open();
        await found.read(0, found.rows);
        return "none";
      } catch (error) {
        assert.ok(error instanceof numpact.NumpactError, `${name}: ${error}`);
        return error.kind;
      }
    };
    if (bad.files[name].length === 0) continue; // it has no range
    assert.equal(await outcome(() => numpact.openCvcUrl(`${at}/good/${name}`)),
      await outcome(async () => new numpact.CvcFile(codec, bad.files[name])), name);
  }
  bad.close();
});

test("rows and options that are none", async () => {
  const remote = await numpact.openCvcUrl(`${base}/good/rows_fp16`);
  for (const rows of [[40_000], [-1], [0.5], "12", null]) {
    await assert.rejects(remote.gather(rows), {kind: "invalid_argument"});
  }
  await assert.rejects(remote.read(39_999, 2), {kind: "invalid_argument"});
  await assert.rejects(remote.read(0, 1, {column: 1}), {message: /no column 1/});
  await assert.rejects(remote.read(0, 1, {rows: 1}), {message: /no option "rows"/});
  assert.equal((await remote.gather([])).length, 0);
  assert.equal((await remote.read(5, 0)).length, 0);
  const limited = await numpact.openCvcUrl(`${base}/good/rows_fp16`,
    {numpact: load("numpact", {maxNumbers: 100})});
  await assert.rejects(limited.read(0, 4), {kind: "limit_exceeded"});
});
