// Live updates of the pages, and forms that answer without leaving them. The server renders every
// part; this script puts it in its place and keeps what a person has typed or opened.
"use strict";

const STALE_MS = 40000;
const body = document.body;
const answer = document.getElementById("answer");
const stale = document.getElementById("stale");
let lastMessage = Date.now();

function typedValues(part) {
  const typed = new Map();
  for (const field of part.querySelectorAll("input:not([type=hidden]), select")) {
    const key = fieldKey(field);
    if (field.type === "radio") {
      if (field.checked) typed.set(key + field.value, true);
    } else if (field.value !== field.defaultValue && field.value) {
      typed.set(key, field.value);
    }
  }
  return typed;
}

function fieldKey(field) {
  const action = field.form && field.form.elements.namedItem("action");
  return (action ? action.value : "") + " " + field.name + " ";
}

function restore(part, typed, open, focused) {
  for (const field of part.querySelectorAll("input:not([type=hidden]), select")) {
    const key = fieldKey(field);
    if (field.type === "radio") field.checked = typed.has(key + field.value);
    else if (typed.has(key)) field.value = typed.get(key);
    if (focused && focused.key === key && focused.value === (field.type === "radio" ? field.value : "")) {
      field.focus();
    }
  }
  for (const details of part.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.open = true;
  }
}

function replacePart(id, html) {
  const part = document.getElementById(id);
  if (!part) return;
  const stopped = part.querySelector(".stop") !== null;
  const typed = typedValues(part);
  const open = new Set([...part.querySelectorAll("details[open][id]")].map((one) => one.id));
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = active && active.name
    ? { key: fieldKey(active), value: active.type === "radio" ? active.value : "" } : null;
  part.innerHTML = withToken(html);
  restore(part, typed, open, focused);
  showNewest(part);
  const stop = part.querySelector(".stop");
  if (stop && !stopped) {
    stop.tabIndex = -1;
    stop.focus();
    window.scrollTo(0, 0);
  }
}

// Parts are the same for all sessions of a kind; each page has its own token. No text of a person
// or a device can hold its place: there, it would be escaped.
function withToken(html) {
  return html.split("<csrf>").join(body.dataset.csrf || "");
}

// A road that is longer than its board shows its newest columns, and the next one.
function showNewest(part) {
  for (const board of part.querySelectorAll(".board")) {
    const { filled, columns } = board.firstElementChild.dataset;
    const column = board.scrollWidth / columns;
    board.scrollLeft = Math.ceil(Number(filled) + 1 - board.clientWidth / column) * column;
  }
}

function follow() {
  const source = new EventSource(body.dataset.stream);
  source.addEventListener("parts", (event) => {
    lastMessage = Date.now();
    hide(stale);
    for (const [id, html] of Object.entries(JSON.parse(event.data))) replacePart(id, html);
  });
  source.addEventListener("alive", () => { lastMessage = Date.now(); hide(stale); });
  source.addEventListener("ended", () => location.reload());  // the sign-on, not the connection
  source.onerror = () => {
    show(stale, body.dataset.stale);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  };
  setInterval(() => {
    if (Date.now() - lastMessage > STALE_MS) show(stale, body.dataset.stale);
  }, 1000);
}

function show(element, text) {
  if (element.hidden) { element.textContent = text; element.hidden = false; }
}

function hide(element) {
  element.hidden = true;
}

async function send(event) {
  const form = event.target;
  // Not form.action: a field of that name stands in its place.
  const target = form.getAttribute("action");
  if (!target.endsWith("/act")) return;
  event.preventDefault();
  const button = event.submitter;
  if (button) button.disabled = true;
  try {
    const sent = new URLSearchParams(new FormData(form));
    const reply = await fetch(target, {
      method: "POST", body: sent, headers: { Accept: "text/plain" },
    });
    say(await reply.text(), reply.ok);
    for (const field of form.querySelectorAll("input[type=password]")) field.value = "";
    if (reply.ok) form.reset();
  } catch {
    say(body.dataset.stale, false);
  } finally {
    if (button) button.disabled = false;
  }
}

let answerTimer = 0;

function say(text, done) {
  clearTimeout(answerTimer);
  answer.textContent = text;
  answer.classList.toggle("refused", !done);
  // A refusal stays until the next tap.
  if (done) answerTimer = setTimeout(() => { answer.textContent = ""; }, 4000);
}

document.addEventListener("pointerdown", () => { answer.textContent = ""; });
document.addEventListener("submit", send);
for (const part of document.querySelectorAll(".part")) showNewest(part);
if (body.dataset.stream) follow();
