// SPDX-License-Identifier: Apache-2.0
// A server of ranges for the tests of remote files, which does things wrong on request.
import {createServer} from "node:http";

/**
 * Serves files by their name, as /BEHAVIOUR/NAME.
 * @param {Record<string, Uint8Array>} files
 */
export class Server {
  /** What was sent of ranges. */
  sent = {count: 0, bytes: 0};
  etag = '"1"';

  constructor(files) {
    this.files = files;
    this.server = createServer((request, response) => this.respond(request, response));
  }

  async start() {
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server.close();
  }

  respond(request, response) {
    const [, behaviour, name] = request.url.split("/").map(decodeURIComponent);
    const whole = this.files[name];
    if (!whole) return response.writeHead(404).end();
    const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range);
    if (behaviour === "whole" || !asked) return response.writeHead(200).end(whole);
    let begin = asked[1] === "" ? Math.max(0, whole.length - Number(asked[2])) : Number(asked[1]);
    const end = asked[1] === "" || asked[2] === "" ? whole.length
      : Math.min(whole.length, Number(asked[2]) + 1);
    if (behaviour === "shifted" && begin > 0) begin -= 1;
    let body = Buffer.from(whole.subarray(begin, end));
    if (behaviour === "changing") this.etag = `"${this.sent.count}"`;
    if (behaviour === "damaging" && asked[1] !== "") body[body.length >> 1] ^= 1;
    const headers = {
      "Content-Range": `bytes ${begin}-${end - 1}/${whole.length}`, ETag: this.etag,
    };
    if (behaviour === "silent") delete headers["Content-Range"];
    if (behaviour.startsWith("bytes ")) headers["Content-Range"] = behaviour;
    if (behaviour === "short") body = body.subarray(1);
    this.sent.count += 1;
    this.sent.bytes += body.length;
    return response.writeHead(206, headers).end(body);
  }
}
