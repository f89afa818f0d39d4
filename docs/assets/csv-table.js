// SPDX-License-Identifier: Apache-2.0
// Shows a CSV file as a table that can be sorted and filtered. <div class="csv" data-source="FILE">
// The files hold plain cells: no quotes, no commas within a cell.
"use strict";

function isNumber(text) {
  return text !== "" && !Number.isNaN(Number(text));
}

function compare(a, b) {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a.localeCompare(b);
}

function fillBody(body, rows) {
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const element = row.insertCell();
      element.textContent = cell;
      if (isNumber(cell)) element.className = "number";
    }
    return row;
  }));
}

function showTable(place, titles, rows) {
  const filter = document.createElement("input");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  let sorted = -1;
  let direction = 1;

  function update() {
    const query = filter.value.toLowerCase();
    fillBody(body, rows.filter((cells) => cells.join(" ").toLowerCase().includes(query)));
  }

  titles.forEach((title, index) => {
    const cell = document.createElement("th");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.addEventListener("click", () => {
      direction = sorted === index ? -direction : 1;
      sorted = index;
      rows.sort((a, b) => direction * compare(a[index], b[index]));
      update();
    });
    cell.append(button);
    head.append(cell);
  });
  filter.type = "search";
  filter.placeholder = "filter rows";
  filter.setAttribute("aria-label", "filter rows");
  filter.addEventListener("input", update);
  const scroll = document.createElement("div");
  scroll.className = "csv-scroll";
  scroll.append(table);
  place.replaceChildren(filter, scroll);
  update();
}

function showAll() {
  for (const place of document.querySelectorAll("div.csv")) {
    const rows = place.textContent.trim().split("\n").map((line) => line.trim().split(","));
    showTable(place, rows[0], rows.slice(1));
  }
}

document.addEventListener("DOMContentLoaded", showAll);
