// SPDX-License-Identifier: Apache-2.0
// The package as one file, as `npm install FILE` unpacks it.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readdirSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";

import {PACKAGE} from "./support.mjs";

const PROGRAM = `
  import {Numpact} from "numpact";
  import {register} from "numpact/zarrita";
  const numpact = await Numpact.load();
  const file = numpact.encode(new Float64Array([3.5, 2, 5]));
  const decoding = await Numpact.load({variant: "decode", simd: false});
  console.log(typeof register, numpact.target, ...decoding.decode(file));
`;

test("a program finds all that it needs", (context) => {
  const build = join(PACKAGE, "..");
  const packed = readdirSync(build).filter((name) => name.endsWith(".tgz"));
  assert.equal(packed.length, 1);
  const folder = mkdtempSync(join(tmpdir(), "numpact-"));
  context.after(() => rmSync(folder, {recursive: true}));
  const place = join(folder, "node_modules", "numpact");
  mkdirSync(place, {recursive: true});
  execFileSync("tar", ["-xzf", join(build, packed[0]), "-C", place, "--strip-components=1"]);
  const shown = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM],
    {cwd: folder, encoding: "utf8"});
  assert.equal(shown, "function wasm 3.5 2 5\n");
});
