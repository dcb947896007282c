// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting, filtering and opening what a link leads to. Without it the page still shows all.
"use strict";
(function () {
  const table = document.getElementById("costs");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const words = document.getElementById("words");
  const section = document.getElementById("section");
  const valued = document.getElementById("valued");
  const shown = document.getElementById("shown");

  // What a cell sorts by: its number where it has one, null where that is missing, else its text.
  function keyOf(row, column) {
    const cell = row.cells[column];
    const number = cell.dataset.number;
    if (number !== undefined) {
      return number === "" ? null : parseFloat(number);
    }
    return cell.textContent.trim().toLowerCase();
  }

  // Missing values go last in both directions.
  function compare(a, b, sign) {
    if (a === null || b === null) {
      return (a === null) - (b === null);
    }
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  }

  function sortBy(heading) {
    const column = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentNode.cells) {
      other.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row, place) => ({ row, place, key: keyOf(row, column) }));
    keyed.sort((a, b) => compare(a.key, b.key, down ? -1 : 1) || a.place - b.place);
    body.append(...keyed.map((entry) => entry.row));
  }

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = wanted.every((word) => row.dataset.text.includes(word)) &&
        (section.value === "" || row.dataset.section === section.value) &&
        (!valued.checked || row.dataset.valued === "yes");
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = count + " of " + rows.length + " rows";
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
      target.querySelector("summary").focus();
    }
  }

  // "/" goes to the filter, Escape empties it.
  function onKey(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      words.focus();
    } else if (event.key === "Escape" && document.activeElement === words) {
      words.value = "";
      filter();
    }
  }

  for (const heading of table.tHead.rows[0].cells) {
    const button = heading.querySelector("button");
    if (button) {
      button.addEventListener("click", () => sortBy(heading));
    }
  }
  for (const control of [words, section, valued]) {
    control.addEventListener("input", filter);
  }
  window.addEventListener("hashchange", openTarget);
  document.addEventListener("keydown", onKey);
  filter();
  openTarget();
}());
