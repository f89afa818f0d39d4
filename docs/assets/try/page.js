// SPDX-License-Identifier: Apache-2.0
// The page on which visitors try numpact: their actions, and the reports of the worker.
import {meanBits, picture, shares} from "./bins.js";
import {npyFile} from "./formats.js";

/** Bins that the table lists. */
const LISTED_BINS = 12;
/** Chunks that the table lists. */
const LISTED_CHUNKS = 20;
const HEADS = ["column", "type", "numbers", "bytes", "numpact", "gzip", "ratio", ""];

const place = document.getElementById("try");
const urls = [];
let worker;
let isBusy = false;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const input = element("input", {type: "file", id: "try-file",
  accept: ".npy,.csv,.tsv,.txt,.pco,.cvc,*/*"});
const level = element("select", {id: "try-level"},
  ...[0, 2, 4, 6, 8].map((value) =>
    element("option", {value, textContent: value, selected: value === 8})));
const cancel = element("button", {type: "button", textContent: "Stop", hidden: true});
const status = element("p", {id: "try-status", textContent: "Loading the module."});
status.setAttribute("role", "status");
const problem = element("p", {id: "try-problem", hidden: true});
problem.setAttribute("role", "alert");
const bar = element("progress", {max: 1, value: 0, hidden: true});
bar.setAttribute("aria-label", "progress");
const rows = element("tbody");
const scroll = element("div", {className: "try-scroll", hidden: true, tabIndex: 0},
  element("table", {}, element("thead", {}, element("tr", {},
    ...HEADS.map((textContent) => element("th", {scope: "col", textContent})))), rows));
scroll.setAttribute("role", "region");
scroll.setAttribute("aria-label", "columns");
const detail = element("section", {id: "try-detail", hidden: true});

function plainly(number) {
  return number === undefined ? "-" : number.toLocaleString("en");
}

function reset() {
  for (const url of urls.splice(0)) URL.revokeObjectURL(url);
  rows.replaceChildren();
  detail.replaceChildren();
  scroll.hidden = detail.hidden = problem.hidden = true;
}

function say(text) {
  status.textContent = text;
}

function busy(now) {
  isBusy = now;
  bar.hidden = cancel.hidden = !now;
  bar.value = 0;
  place.setAttribute("aria-busy", String(now));
}

function download(name, blob) {
  const href = URL.createObjectURL(blob);
  urls.push(href);
  return element("a", {href, download: name, textContent: `Download ${name}`});
}

function listOf(pairs) {
  return element("dl", {}, ...pairs.flatMap(([term, text]) =>
    [element("dt", {textContent: term}), element("dd", {textContent: text})]));
}

function tableOf(heads, lines) {
  const table = element("table", {}, element("thead", {}, element("tr", {},
    ...heads.map((textContent) => element("th", {scope: "col", textContent})))),
  element("tbody", {}, ...lines.map((cells) => element("tr", {},
    ...cells.map((textContent) => element("td", {textContent}))))));
  const around = element("div", {className: "try-scroll", tabIndex: 0}, table);
  around.setAttribute("role", "region");
  around.setAttribute("aria-label", heads.join(", "));
  return around;
}

/** Pictures and tables of the first chunk's latent variables. */
function variablesOf(info) {
  const {mode, delta, variables} = info.picture;
  return variables.flatMap((variable) => {
    const bins = shares(variable).sort((a, b) => b.share - a.share).slice(0, LISTED_BINS);
    return [
      element("h3", {textContent: `Bins of ${variable.name} latents`}),
      element("p", {textContent: `Mode ${mode}, delta ${delta}: ${variable.binCount} bins, ` +
        `${meanBits(variable).toFixed(2)} bits a latent in the mean. A box is as wide as the ` +
        "range of its bin, and the higher the more latents share each value."}),
      picture(variable, info.type, delta),
      element("details", {}, element("summary", {textContent: "The bins as a table"}),
        tableOf(["share", "lowest latent", "values", "bits each"], bins.map((bin) =>
          [`${(100 * bin.share).toFixed(2)} %`, String(bin.lower), plainly(bin.width),
            bin.bits.toFixed(2)]))),
    ];
  });
}

function explained(column) {
  const {info} = column;
  const parts = [element("h2", {textContent: column.name, tabIndex: -1})];
  if (info) {
    const bits = info.count > 0 ? `${(8 * column.packed / info.count).toFixed(3)} bits` : "-";
    parts.push(listOf([
      ["numbers", `${plainly(info.count)} of type ${info.type ?? "none"}`],
      ["a number takes", bits],
      ["format", `Pco ${info.formatVersion}, ${plainly(info.chunkCount)} chunks` +
        (info.hasTrailer ? ", with a trailer" : "")],
    ]));
    if (info.picture) parts.push(...variablesOf(info));
    parts.push(element("details", {}, element("summary", {textContent: "The chunks"}),
      tableOf(["first", "numbers", "bytes", "of them metadata", "what was chosen"],
        info.chunks.slice(0, LISTED_CHUNKS).map((chunk) => [plainly(chunk.first),
          plainly(chunk.count), plainly(chunk.size), plainly(chunk.metaSize),
          chunk.description]))));
  }
  parts.push(element("p", {textContent: `The first numbers: ${column.preview.join(", ")}`}));
  return parts;
}

function show(column, button) {
  for (const other of rows.querySelectorAll("button")) other.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-expanded", "true");
  detail.replaceChildren(...explained(column));
  const name = column.name.replace(/[^\w.-]+/g, "_");
  if (column.file) {
    detail.append(element("p", {}, download(`${name}.pco`, new Blob([column.file]))));
  } else if (column.numbers) {
    const type = column.info ? column.info.type : "f32";
    if (type) {
      detail.append(element("p", {},
        download(`${name}.npy`, npyFile(type, column.shape, column.numbers))));
    }
  }
  detail.hidden = false;
  detail.firstChild.focus();
}

function addColumn(column) {
  const cells = [column.name, column.type, plainly(column.count), plainly(column.bytes),
    plainly(column.packed), plainly(column.gzip),
    column.packed ? (column.bytes / column.packed).toFixed(2) : "-"];
  const row = element("tr", {}, ...cells.map((textContent, index) =>
    element(index === 0 ? "th" : "td", {textContent, className: index > 1 ? "number" : ""})));
  if (column.notes?.length) {
    row.firstChild.append(element("br"), element("small", {textContent: column.notes.join("; ")}));
  }
  row.firstChild.scope = "row";
  const last = row.insertCell();
  if (column.preview) {
    const button = element("button", {type: "button", textContent: "Explain"});
    button.setAttribute("aria-label", `Explain ${column.name}`);
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", detail.id);
    button.addEventListener("click", () => show(column, button));
    last.append(button);
  }
  rows.append(row);
  scroll.hidden = false;
}

function receive({data}) {
  if (data.ready) say(`Ready: numpact ${data.ready.version}, ${data.ready.target}.`);
  if (data.progress !== undefined) bar.value = data.progress;
  if (data.column) addColumn(data.column);
  if (data.opened) say(`Read ${data.opened}.`);
  if (data.problem) {
    problem.textContent = data.problem;
    problem.hidden = false;
    say("Nothing was read.");
  }
  if (data.done) busy(false);
}

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), {type: "module"});
  worker.addEventListener("message", receive);
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    receive({data: {problem: `The worker failed: ${event.message ?? "it did not start"}`,
      done: true}});
  });
}

function stop() {
  worker.terminate();
  start();
  busy(false);
}

function open(file) {
  if (!file) return;
  if (isBusy) stop();
  reset();
  busy(true);
  say(`Reading ${file.name}.`);
  worker.postMessage({file, level: Number(level.value)});
}

input.addEventListener("change", () => open(input.files[0]));
cancel.addEventListener("click", () => {
  stop();
  say("Stopped.");
});
for (const name of ["dragover", "drop"]) {
  place.addEventListener(name, (event) => {
    event.preventDefault();
    if (name === "drop") open(event.dataTransfer.files[0]);
  });
}

place.replaceChildren(
  element("p", {}, element("label", {htmlFor: input.id, textContent: "File "}), input),
  element("p", {}, element("label", {htmlFor: level.id, textContent: "Level "}), level, " ",
    cancel),
  bar, status, problem, scroll, detail);
start();
