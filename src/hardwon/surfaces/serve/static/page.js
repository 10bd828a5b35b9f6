// Makes the pages quicker and lets them be used by keyboard. Everything works without it.
"use strict";

const reader = new DOMParser();
let number = 0; // of the last request: an answer that comes late is not shown

function main() {
  return document.getElementById("main");
}

// --- Show another page in place -----------------------------------------------------------------

async function visit(address, options = {}, { isQuiet = false } = {}) {
  const own = ++number;
  if (!isQuiet) main().classList.add("busy");
  let answer;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...options });
  } catch {
    if (!isQuiet) tell("The server cannot be reached.");
    main().classList.remove("busy");
    return;
  }
  const text = await answer.text();
  if (own !== number) return;
  main().classList.remove("busy");
  const type = answer.headers.get("content-type") || "";
  if (!type.startsWith("text/html")) {
    if (isQuiet) return;
    tell(answer.ok ? "Done." : reason(text));
    return;
  }
  show(reader.parseFromString(text, "text/html"), answer.url, isQuiet);
}

function reason(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return "That did not work.";
  }
}

function show(page, address, isQuiet) {
  const fresh = page.getElementById("main");
  const header = page.querySelector("header.side");
  if (!fresh || Boolean(header) !== Boolean(document.querySelector("header.side"))) {
    location.assign(address);
    return;
  }
  const spot = isQuiet ? focused() : null;
  main().replaceWith(document.adoptNode(fresh));
  if (header) document.querySelector("header.side").replaceWith(document.adoptNode(header));
  document.title = page.title;
  lookAgain();
  if (isQuiet) {
    refocus(spot);
    return;
  }
  showPlace();
  if (address !== location.href) history.pushState({}, "", address);
  window.scrollTo(0, 0);
  const first = main().querySelector("[autofocus]") || main();
  first.focus({ preventScroll: true });
  tell(page.title);
}

function focusable() {
  return [...main().querySelectorAll("a[href], button, input, select, textarea, summary")];
}

function focused() {
  const element = document.activeElement;
  if (!main().contains(element)) return null;
  return { href: element.getAttribute("href"), at: focusable().indexOf(element) };
}

function refocus(spot) {
  if (!spot) return;
  const all = focusable();
  const same = spot.href && all.find((one) => one.getAttribute("href") === spot.href);
  (same || all[spot.at] || main()).focus({ preventScroll: true });
}

// A page whose figures are still being counted looks again by itself.
function lookAgain() {
  if ("again" in main().dataset) setTimeout(() => visit(location.href, {}, { isQuiet: true }), 2000);
}

function showPlace() {
  const own = document.querySelector(".side [aria-current]");
  own?.scrollIntoView({ inline: "center", block: "nearest" });
}

function tell(words) {
  document.getElementById("told").textContent = words;
}

function isOurs(link, event) {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  return isPlain && event.button === 0 && link.origin === location.origin && !link.hash;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || !isOurs(link, event) || link.pathname.endsWith(".json")) return;
  event.preventDefault();
  visit(link.href);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog" || "plain" in form.dataset) return;
  event.preventDefault();
  const question = event.submitter?.dataset.confirm;
  if (question && !window.confirm(question)) return;
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.method === "post") {
    const target = event.submitter?.getAttribute("formaction") || form.action;
    visit(target, { method: "POST", body: fields });
    return;
  }
  for (const [name, value] of [...fields]) if (!value) fields.delete(name, value);
  visit(`${form.action.split("?")[0]}?${fields}`.replace(/\?$/, ""));
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

window.addEventListener("popstate", () => visit(location.href));

// --- Keyboard -------------------------------------------------------------------------------------

function rows() {
  return [...main().querySelectorAll("[data-row] > a")];
}

function chosenRow() {
  return rows().indexOf(document.activeElement);
}

function choose(at) {
  const all = rows();
  if (at >= 0 && all.length) all[Math.min(at, all.length - 1)].focus();
}

function move(by) {
  const key = by > 0 ? "j" : "k";
  if (press(key)) return;
  choose(Math.max(0, chosenRow() + by));
}

function press(key) {
  const target = document.querySelector(`[data-key="${key}"]`);
  if (target) target.click();
  return Boolean(target);
}

function help() {
  const dialog = document.getElementById("help");
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

const keys = {
  j: () => move(1),
  k: () => move(-1),
  "?": help,
  "/": () => main().querySelector("[data-search]")?.focus(),
  a: () => press("a"),
  x: () => press("x"),
  e: () => press("e"),
  u: () => press("u"),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, textarea, select");
  if (isTyping && event.key === "Escape") event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const dialog = document.getElementById("help");
  if (dialog.open && event.key !== "?") return;
  const act = Object.hasOwn(keys, event.key) && keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// --- Live: only while somebody looks --------------------------------------------------------------

const SHORTEST = 1000;
const LONGEST = 60000;
let source = null;
let wait = SHORTEST;
let timer = 0;

function isBusy() {
  const dialog = document.getElementById("help");
  const isTyping = document.activeElement?.matches("input, textarea, select");
  const isOpen = main().querySelector("details[open] form");
  return dialog.open || isTyping || Boolean(isOpen) || String(getSelection()) !== "";
}

function listen() {
  const address = document.body.dataset.events;
  if (!address || source || document.hidden) return;
  source = new EventSource(address);
  source.addEventListener("open", () => (wait = SHORTEST));
  source.addEventListener("changed", () => {
    if ("live" in main().dataset && !isBusy()) visit(location.href, {}, { isQuiet: true });
  });
  source.addEventListener("error", () => {
    rest();
    timer = setTimeout(listen, wait);
    wait = Math.min(LONGEST, wait * 2);
  });
}

function rest() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
window.addEventListener("pagehide", rest);
document.documentElement.classList.add("scripted");
showPlace();
lookAgain();
listen();
