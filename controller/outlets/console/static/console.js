// Live updates of the pages, and forms that answer without leaving them. The server renders every
// part; this script puts it in its place and keeps what a person has typed or opened.
"use strict";

const STALE_MS = 40000;
const body = document.body;
const answer = document.getElementById("answer");
const stale = document.getElementById("stale");
let lastMessage = Date.now();

function replacePart(id, html) {
  const part = document.getElementById(id);
  if (!part) return;
  const stopped = part.querySelector(".stop") !== null;
  const fresh = document.createElement("template");
  // Parts are the same for all sessions of a kind; each page has its own token. No text of a person
  // or a device can hold its place: there, it would be escaped.
  fresh.innerHTML = html.split("<csrf>").join(body.dataset.csrf || "");
  update(part, fresh.content);
  showNewest(part);
  const stop = part.querySelector(".stop");
  if (stop && !stopped) {
    stop.focus();
    window.scrollTo(0, 0);
  } else if (stopped && !stop && document.activeElement === body) {
    document.getElementById("main").focus();
  }
}

// Changes what differs and nothing else: what a person typed, chose, opened or focused stays, and a
// screen reader says what is new.
function update(old, fresh) {
  const left = [...old.childNodes];
  for (const one of [...fresh.childNodes]) {
    const wanted = identity(one);
    const text = one.nodeType !== Node.ELEMENT_NODE;
    // An element may stand further on.
    const at = left.findIndex((node, index) => identity(node) === wanted && !(text && index));
    if (at < 0) {
      old.insertBefore(one, left[0] ?? null);
      continue;
    }
    for (const gone of left.splice(0, at)) gone.remove();
    const same = left.shift();
    if (same.isEqualNode(one)) continue;
    if (text || one.localName === "svg") same.replaceWith(one);
    else {
      updateAttributes(same, one);
      update(same, one);
    }
  }
  for (const gone of left) gone.remove();
}

// A field is the same in the same form alone, and a choice where it chooses the same.
function identity(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
  const named = { form: "[type=hidden]", label: "[name]" }[node.localName];
  const fields = named ? [node, ...node.querySelectorAll(named)] : [node];
  const names = ["id", "class", "name", "type", "value"];
  return node.nodeName + fields.map((one) => names.map((name) => one.getAttribute(name)));
}

function updateAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    // What a person opened, and a form whose answer is awaited.
    if (!fresh.hasAttribute(name) && !["open", "aria-busy"].includes(name)) old.removeAttribute(name);
  }
}

// A road that is longer than its board shows its newest columns, and the next one; whole ones.
function showNewest(part) {
  for (const board of part.querySelectorAll(".board")) {
    const drawing = board.firstElementChild;
    const { filled, columns } = drawing.dataset;
    const unit = drawing.clientWidth / drawing.viewBox.baseVal.width;
    const column = drawing.clientWidth / columns - 2 * unit / columns;
    const visible = Math.round((board.clientWidth - 2 * unit) / column);
    board.scrollLeft = Math.max(0, Number(filled) + 1 - visible) * column;
  }
}

function follow() {
  const source = new EventSource(body.dataset.stream);
  source.addEventListener("parts", (event) => {
    lastMessage = Date.now();
    stale.hidden = true;
    for (const [id, html] of Object.entries(JSON.parse(event.data))) replacePart(id, html);
  });
  source.addEventListener("alive", () => { lastMessage = Date.now(); stale.hidden = true; });
  source.addEventListener("ended", () => location.reload());  // the sign-on, not the connection
  source.onerror = () => {
    stale.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  };
  setInterval(() => {
    if (Date.now() - lastMessage > STALE_MS) stale.hidden = false;
  }, 1000);
}

async function send(event) {
  const form = event.target;
  // Not form.action: a field of that name stands in its place.
  const target = form.getAttribute("action");
  if (!target.endsWith("/act")) return;
  event.preventDefault();
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  try {
    const sent = new URLSearchParams(new FormData(form, event.submitter));
    const reply = await fetch(target, {
      method: "POST", body: sent, headers: { Accept: "text/plain" },
    });
    say(await reply.text(), reply.ok);
    for (const field of form.querySelectorAll("input[type=password]")) field.value = "";
    if (reply.ok) form.reset();
  } catch {
    say(stale.textContent, false);
  } finally {
    form.ariaBusy = null;
  }
}

let answerTimer = 0;

function say(text, done) {
  clearTimeout(answerTimer);
  answer.textContent = text;
  answer.classList.toggle("refused", !done);
  // A refusal stays until the next tap, or Escape.
  if (done) answerTimer = setTimeout(endAnswer, 4000);
}

function endAnswer() {
  answer.textContent = "";
}

document.addEventListener("pointerdown", endAnswer);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") endAnswer(); });
window.addEventListener("resize", () => showNewest(document));
document.addEventListener("submit", send);
showNewest(document);
if (body.dataset.stream) follow();
