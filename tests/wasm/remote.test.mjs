// SPDX-License-Identifier: Apache-2.0
// Files behind HTTP: which bytes are fetched, and what a server may do wrong.
import assert from "node:assert/strict";
import {createServer} from "node:http";
import {after, before, test} from "node:test";

import {assertSameBits, file, load, npy, numpact} from "./support.mjs";

const FILE = file("encoded", "trailer.pco");
const NUMBERS = npy("encoded", "trailer.npy").data;
const EMPTY = file("encoded", "empty_trailer.pco");
const NO_TRAILER = file("encoded", "f8_8.pco");

/** Bytes that were sent, by path. */
const sent = {count: 0, bytes: 0};
let etag = '"1"';

function respond(request, response) {
  const [, behaviour, name] = request.url.split("/");
  const whole = {trailer: FILE, empty: EMPTY, none: NO_TRAILER}[name];
  if (!whole) return response.writeHead(404).end();
  const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range);
  if (behaviour === "whole" || !asked) return response.writeHead(200).end(whole);
  let begin = asked[1] === "" ? Math.max(0, whole.length - Number(asked[2])) : Number(asked[1]);
  const end = asked[1] === "" || asked[2] === "" ? whole.length
    : Math.min(whole.length, Number(asked[2]) + 1);
  if (behaviour === "shifted" && begin > 0) begin -= 1;
  let body = Buffer.from(whole.subarray(begin, end));
  if (behaviour === "changing") etag = `"${sent.count}"`;
  if (behaviour === "damaging" && asked[1] !== "") body[body.length >> 1] ^= 1;
  const headers = {"Content-Range": `bytes ${begin}-${end - 1}/${whole.length}`, ETag: etag};
  if (behaviour === "silent") delete headers["Content-Range"];
  if (behaviour === "short") body = body.subarray(1);
  sent.count += 1;
  sent.bytes += body.length;
  return response.writeHead(206, headers).end(body);
}

const server = createServer(respond);
let base;
before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

test("only the chunks that are asked for are fetched", async () => {
  const remote = await numpact.openUrl(`${base}/good/trailer`, {tailBytes: 24});
  assert.deepEqual([remote.type, remote.count, remote.chunks.length, remote.size],
    ["f64", 50_000, 13, FILE.length]);
  for (const [first, count] of [[0, 10], [5000, 1], [4000, 200], [0, 50_000], [49_990, 10],
    [12, 0]]) {
    const before = {...sent};
    assertSameBits(await remote.read(first, count), NUMBERS.slice(first, first + count));
    const expected = remote.chunks.filter((chunk) =>
      chunk.first < first + count && chunk.first + chunk.count > first && count > 0);
    assert.equal(sent.count - before.count, count > 0 ? 1 : 0);
    assert.equal(sent.bytes - before.bytes, expected.reduce((sum, chunk) => sum + chunk.size, 0));
  }
  await assert.rejects(remote.read(49_999, 2), {kind: "invalid_argument"});
  const {first, count} = remote.chunks[2];
  const low = NUMBERS.slice(first, first + count).reduce((a, b) => Math.min(a, b));
  assert.ok(remote.chunksWithin(low, low).includes(2));
  assert.deepEqual(remote.chunksWithin(1e9, 1e10), []);
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
  etag = '"1"';
});

test("bytes that were damaged on the way, and a file that changes", async () => {
  const damaging = await numpact.openUrl(`${base}/damaging/trailer`).catch((error) => error);
  // The header is damaged: either it is refused at once, or with the chunks.
  if (damaging instanceof numpact.RemoteFile) {
    await assert.rejects(damaging.read(0, 10), numpact.NumpactError);
  }
  const remote = await numpact.openUrl(`${base}/good/trailer`);
  etag = '"2"';
  await assert.rejects(remote.read(0, 10), {kind: "io"});
  etag = '"1"';
  const aborted = await numpact.openUrl(`${base}/good/trailer`,
    {signal: AbortSignal.abort(), numpact: load()}).catch((error) => error);
  assert.equal(aborted.kind, "cancelled");
});
