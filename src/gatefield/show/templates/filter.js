"use strict";
/* Filters the rows of a page. What it reads:

   [data-filter]                    the bar with the controls, hidden until this script runs
   [data-filter-instead]            what stands there without this script, and is hidden by it
   [data-filter-search]             in it: a search field; every word must be in a row's text
   [data-filter-key][data-filter-value]   in it: buttons, pressed or not; their [data-filter-count] says how many rows they would show
   [data-filter-shown]              in it: says how many rows are shown
   [data-filter-clear]              in it: a button that clears everything
   [data-filter-row]                a row; data-filter-KEY holds its values for KEY, with blanks between them, and data-filter-text
                                    more words that a search finds it by; those of an element around it count for it too
   [data-filter-for]                hidden while the element with that id is
   [data-filter-group]              hidden while none of its rows is shown; one that can be opened is open while a filter is set
   [data-filter-group-count]        in it: says how many of its rows are shown

   Values of one key are alternatives; keys and words must all be met. The filter stands in the address, as
   #status=refuted,corrected&source=002&find=relu, and a link to a row that is hidden shows it. */
(() => {
  const bar = document.querySelector("[data-filter]");
  const rows = [...document.querySelectorAll("[data-filter-row]")];
  if (!bar || !rows.length) return;
  const search = bar.querySelector("[data-filter-search]");
  const buttons = [...bar.querySelectorAll("[data-filter-key]")];
  const groups = [...document.querySelectorAll("[data-filter-group]")];
  const echoes = [...document.querySelectorAll("[data-filter-for]")];
  const keys = [...new Set(buttons.map((button) => button.dataset.filterKey))];
  const values = (row, key) => (row.getAttribute("data-filter-" + key) || "").split(" ");
  const more = (element) =>
    element ? (element.dataset.filterText || "") + " " + more(element.parentElement.closest("[data-filter-text]")) : "";
  const facts = rows.map((row) => ({
    row,
    text: (row.textContent + " " + more(row)).toLowerCase().replace(/\s+/g, " "),
    values: Object.fromEntries(keys.map((key) => [key, values(row, key)])),
  }));
  const opened = new Map(groups.filter((group) => group.tagName === "DETAILS").map((group) => [group, group.open]));
  const chosen = Object.fromEntries(keys.map((key) => [key, new Set()]));

  const words = () => (search ? search.value.toLowerCase().split(/\s+/).filter(Boolean) : []);
  const meets = (fact, find, except) =>
    find.every((word) => fact.text.includes(word)) &&
    keys.every((key) => key === except || !chosen[key].size || fact.values[key].some((value) => chosen[key].has(value)));

  function show() {
    const find = words();
    const active = find.length > 0 || keys.some((key) => chosen[key].size);
    let shown = 0;
    for (const fact of facts) {
      fact.row.hidden = !meets(fact, find, null);
      shown += !fact.row.hidden;
    }
    for (const group of groups) {
      const all = group.querySelectorAll("[data-filter-row]").length;
      const left = group.querySelectorAll("[data-filter-row]:not([hidden])").length;
      group.hidden = !left;
      for (const count of group.querySelectorAll("[data-filter-group-count]")) count.textContent = active ? `${left} of ${all}` : all;
      if (opened.has(group)) group.open = active || opened.get(group);
    }
    for (const echo of echoes) echo.hidden = document.getElementById(echo.dataset.filterFor).hidden;
    for (const button of buttons) {
      const { filterKey: key, filterValue: value } = button.dataset;
      const number = facts.filter((fact) => fact.values[key].includes(value) && meets(fact, find, key)).length;
      button.setAttribute("aria-pressed", chosen[key].has(value));
      button.classList.toggle("nothing", !number);
      const count = button.querySelector("[data-filter-count]");
      if (count) count.textContent = number;
    }
    for (const output of bar.querySelectorAll("[data-filter-shown]")) {
      output.textContent = active ? `${shown} of ${rows.length}` : `all ${rows.length}`;
    }
    for (const clear of bar.querySelectorAll("[data-filter-clear]")) clear.disabled = !active;
  }

  /* Whoever has scrolled down wants to see the first of what is left. */
  function back() {
    const first = rows.find((row) => !row.hidden);
    if (!first) return;
    const above = bar.getBoundingClientRect().bottom + 12 - first.getBoundingClientRect().top;
    if (above > 0) window.scrollBy({ top: -above, behavior: "instant" });
  }

  function changed() {
    show();
    write();
    back();
  }

  /* Address: written without a step in the history for each key that is pressed. */
  function write() {
    const parts = keys.filter((key) => chosen[key].size).map((key) => key + "=" + [...chosen[key]].map(encodeURIComponent).join(","));
    if (search && search.value.trim()) parts.push("find=" + encodeURIComponent(search.value.trim()));
    try {
      history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
    } catch { /* a page inside another one may have no address of its own */ }
  }

  function clear() {
    keys.forEach((key) => chosen[key].clear());
    if (search) search.value = "";
  }

  const decoded = (text) => {
    try { return decodeURIComponent(text); } catch { return text; }
  };

  function read() {
    const address = location.hash.slice(1);
    const parts = address.split("&").map((part) => part.split("="));
    if (parts.every(([key, value]) => value !== undefined && (key === "find" || key in chosen))) {
      clear();
      for (const [key, value] of parts) {
        if (key !== "find") value.split(",").filter(Boolean).forEach((one) => chosen[key].add(decoded(one)));
        else if (search) search.value = decoded(value);
      }
      show();
    } else if (address) {
      const target = document.getElementById(decoded(address));
      if (!target) return;
      if (target.closest("[hidden]")) {
        clear();
        show();
      }
      for (let details = target.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
      target.scrollIntoView({ behavior: "instant" });
    }
  }

  bar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-filter-key], [data-filter-clear]");
    if (!button) return;
    if (button.hasAttribute("data-filter-clear")) clear();
    else {
      const set = chosen[button.dataset.filterKey];
      if (!set.delete(button.dataset.filterValue)) set.add(button.dataset.filterValue);
    }
    changed();
  });
  bar.addEventListener("submit", (event) => event.preventDefault());
  if (search) {
    search.addEventListener("input", changed);
    document.addEventListener("keydown", (event) => {
      const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        search.focus();
      } else if (event.key === "Escape" && event.target === search && search.value) {
        search.value = "";
        changed();
      }
    });
  }
  window.addEventListener("hashchange", read);
  bar.hidden = false;
  document.querySelectorAll("[data-filter-instead]").forEach((element) => { element.hidden = true; });
  show();
  read();
})();
