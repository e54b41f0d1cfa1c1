// @ts-check
export {};
// What the page does by itself: send answers, keep drafts, follow events, obey keys.
// Text that comes from elsewhere is only ever set as text, except for documents the server has cleaned.

/** @typedef {{line: number, quoted: string, text: string, filename: string}} LineComment */
/** @typedef {{n: number, at: number, stage: string, feature: string, mark: string, tone: string, words: string, said: string, aside: string, quiet: boolean, kind: string, commands: string[]}} EventLine */
/** @typedef {{what: string, repair: string}} Refusal */

const MOST_EVENTS = 1000;
const REFRESH_MS = 400;
const COMMENTABLE = ".prose[data-commentable] > [data-line]:not(ul, ol, table, hr), .prose[data-commentable] :is(li, tr, pre > code)[data-line], .diff tr[data-line]";
const body = document.body;

/** @template {Element} T @param {string} selector @param {{new (): T}} kind @param {ParentNode} [root] @returns {T[]} */
function all(selector, kind, root = document) {
  const found = [...root.querySelectorAll(selector)];
  return /** @type {T[]} */ (found.filter((one) => one instanceof kind));
}

/** @template {Element} T @param {string} selector @param {{new (): T}} kind @param {ParentNode} [root] @returns {T | null} */
function first(selector, kind, root = document) {
  return all(selector, kind, root)[0] ?? null;
}

/** @param {string} tag @param {string} [text] @param {string} [style] @returns {HTMLElement} */
function make(tag, text = "", style = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

let sayTimer = 0;
/** @param {string} words */
function say(words) {
  const place = document.getElementById("said");
  if (!place) return;
  place.textContent = words;
  clearTimeout(sayTimer);
  sayTimer = window.setTimeout(() => { place.textContent = ""; }, 6000);
}

// ---- drafts: nothing that was typed is lost before the server has it --------------------------

/** @returns {string} */
function place() {
  const feature = body.dataset.feature;
  return feature ? `sparing:${body.dataset.repos}/${feature}` : `sparing:${location.pathname}`;
}

/** @param {string} name @param {string} value */
function keep(name, value) {
  try {
    if (value) localStorage.setItem(`${place()}:${name}`, value);
    else localStorage.removeItem(`${place()}:${name}`);
  } catch { /* a browser that keeps nothing: the text still stands in its field */ }
}

/** @param {string} name @returns {string} */
function kept(name) {
  try { return localStorage.getItem(`${place()}:${name}`) ?? ""; } catch { return ""; }
}

/** @param {HTMLFormElement} form @returns {(HTMLTextAreaElement | HTMLInputElement) | null} */
function draftField(form) {
  return first("textarea", HTMLTextAreaElement, form) ?? first("input:not([type=hidden])", HTMLInputElement, form);
}

/** @param {ParentNode} root */
function restoreDrafts(root) {
  for (const form of all("form[data-draft]", HTMLFormElement, root)) {
    const field = draftField(form);
    const name = form.dataset.draft ?? "";
    if (!field) continue;
    const before = kept(name);
    if (before) field.value = before;
    field.addEventListener("input", () => keep(name, field.value));
  }
}

/** @returns {LineComment[]} */
function comments() {
  try {
    const found = JSON.parse(kept("comments") || "[]");
    return Array.isArray(found) ? found : [];
  } catch { return []; }
}

/** @param {LineComment[]} list */
function keepComments(list) {
  keep("comments", list.length ? JSON.stringify(list) : "");
  showComments();
}

function showComments() {
  const list = comments();
  for (const where of all(".draft-comments", HTMLElement)) {
    where.replaceChildren();
    if (!list.length) continue;
    where.append(make("b", `${list.length} comment${list.length === 1 ? "" : "s"}, not sent yet`));
    const items = make("ul");
    list.forEach((one, at) => {
      const item = make("li", `${one.filename}, line ${one.line}: ${one.text} `);
      const drop = make("button", "remove", "plain");
      drop.setAttribute("type", "button");
      drop.addEventListener("click", () => keepComments(comments().filter((_, n) => n !== at)));
      item.append(drop);
      items.append(item);
    });
    where.append(items);
  }
}

// ---- comments on lines ------------------------------------------------------------------------

/** Where a button or a text belongs in a line: a row has no place but its cells. @param {HTMLElement} line @returns {Element} */
function cellOf(line) {
  return line.querySelector("td.code") ?? (line instanceof HTMLTableRowElement ? line.cells[line.cells.length - 1] : line) ?? line;
}

/** A block begins at its line; what is selected in it may be some lines below. @param {HTMLElement} line @returns {number} */
function lineOf(line) {
  const begin = Number(line.dataset.line) + (line.matches("pre > code") ? 1 : 0);
  const chosen = window.getSelection();
  if (!chosen?.rangeCount || chosen.isCollapsed || !line.contains(chosen.anchorNode) || line instanceof HTMLTableRowElement) return begin;
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(chosen.getRangeAt(0).startContainer, chosen.getRangeAt(0).startOffset);
  return begin + String(before).split("\n").length - 1;
}

/** @param {HTMLElement} line */
function commentOn(line) {
  const number = lineOf(line);
  const filename = line.dataset.file ?? body.dataset.file ?? "";
  const chosen = String(window.getSelection() ?? "").trim();
  const cells = line instanceof HTMLTableRowElement && !line.querySelector("td.code") ? [...line.cells] : [line.querySelector("td.code") ?? line];
  const whole = cells.map((one) => (one.textContent ?? "").trim()).join(" | ");
  const quoted = (chosen && whole.includes(chosen) ? chosen : whole).replace(/^[+−-]?\s*/, "").replace(/\s*\+$/, "").trim().slice(0, 200);
  const box = make("form", "", "comment-draft");
  const label = make("label", `Comment on line ${number} of ${filename}`);
  const field = document.createElement("textarea");
  field.rows = 3;
  field.value = kept(`line-${filename}-${number}`);
  field.addEventListener("input", () => keep(`line-${filename}-${number}`, field.value));
  label.append(field);
  const add = make("button", "Add comment", "primary");
  const cancel = make("button", "Not now");
  cancel.setAttribute("type", "button");
  const buttons = make("p", "", "buttons");
  buttons.append(add, cancel);
  box.append(label, buttons);
  const row = document.createElement("tr");
  const cell = document.createElement("td");
  cell.colSpan = 99;
  cell.append(box);
  row.append(cell);
  const shown = line instanceof HTMLTableRowElement ? row : box;
  const close = () => { shown.remove(); line.focus(); };
  cancel.addEventListener("click", close);
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text) keepComments([...comments(), { line: number, quoted, text, filename }]);
    keep(`line-${filename}-${number}`, "");
    close();
    if (text) say("kept as a draft; it is sent when you reject");
  });
  if (line.localName === "li") line.append(shown);
  else (line.closest("pre") ?? line).after(shown);
  field.focus();
}

/** @param {ParentNode} root */
function offerComments(root) {
  const lines = all(COMMENTABLE, HTMLElement, root);
  for (const line of lines) {
    const button = make("button", "+", "plain add-comment");
    button.setAttribute("type", "button");
    button.setAttribute("aria-label", `Comment on line ${line.dataset.line}`);
    // What is selected stays selected while the button is pressed.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => commentOn(line));
    cellOf(line).append(button);
  }
}

// ---- acts -------------------------------------------------------------------------------------

/** @param {string} address @param {object} content @returns {Promise<any>} */
async function send(address, content) {
  const answer = await fetch(address, {
    method: "POST", credentials: "same-origin", redirect: "error",
    headers: { "content-type": "application/json", "x-sparing": "page" },
    body: JSON.stringify(content),
  });
  const told = await answer.json();
  if (!answer.ok) throw /** @type {Refusal} */ (told.error);
  return told;
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} [submitter] @returns {Record<string, any>} */
function content(form, submitter = null) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const [name, value] of new FormData(form, submitter instanceof HTMLButtonElement ? submitter : null)) {
    const parts = name.split(".");
    const last = parts.pop() ?? "";
    let at = found;
    for (const part of parts) at = at[part] ??= {};
    at[last] = form.querySelector(`[name="${name}"][data-number]`) ? Number(value) : String(value);
  }
  if ("comments" in form.dataset) found.comments = comments();
  return found;
}

/** @param {HTMLFormElement} form @param {Refusal | Error | unknown} error */
function refuse(form, error) {
  const place = first("output", HTMLOutputElement, form);
  const known = /** @type {Partial<Refusal>} */ (error ?? {});
  const words = known.what ? `${known.what}\n${known.repair ?? ""}` : "the page's server does not answer\nsee its terminal, then press again; what you wrote is kept";
  if (place) place.textContent = words;
  else say(words);
}

/** @param {SubmitEvent} event */
async function act(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.dataset.act) return;
  event.preventDefault();
  const buttons = all("button[type=submit]", HTMLButtonElement, form);
  const given = content(form, event.submitter);
  buttons.forEach((one) => { one.disabled = true; });
  const output = first("output", HTMLOutputElement, form);
  if (output) output.textContent = "";
  try {
    const receipt = await send(form.dataset.act, given);
    if (form.dataset.draft) keep(form.dataset.draft, "");
    if ("comments" in form.dataset) keepComments([]);
    form.closest("dialog")?.close();
    const rest = receipt.runs ? "" : ` — no engine runs: ${receipt.next_command}`;
    say([receipt.words + rest, ...(receipt.notes ?? [])].join("; "));
    if (form.dataset.back) location.assign(form.dataset.back);
    else await refresh(true);
  } catch (error) {
    refuse(form, error);
  } finally {
    buttons.forEach((one) => { one.disabled = false; });
  }
}

// ---- starting a feature -------------------------------------------------------------------------

/** @param {HTMLFormElement} form */
function startForm(form) {
  const plan = first("#plan", HTMLElement);
  const begin = first("#begin", HTMLButtonElement);
  form.addEventListener("input", () => { if (plan) plan.hidden = true; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { repo, ...given } = content(form);
    try {
      showPlan(await send(`/r/${repo}/plan`, given));
      if (plan) plan.hidden = false;
      begin?.focus();
      const output = first("output", HTMLOutputElement, form);
      if (output) output.textContent = "";
    } catch (error) { refuse(form, error); }
  });
  begin?.addEventListener("click", async () => {
    const { repo, ...given } = content(form);
    begin.disabled = true;
    try {
      const receipt = await send(`/r/${repo}/start`, given);
      keep(form.dataset.draft ?? "", "");
      location.assign(receipt.notes[0]);
    } catch (error) { refuse(form, error); begin.disabled = false; }
  });
}

/** @param {any} plan */
function showPlan(plan) {
  const facts = document.getElementById("plan-facts");
  const stages = document.getElementById("plan-stages");
  const prompt = document.getElementById("plan-prompt");
  const rows = { flow: `${plan.flow}: ${plan.why.join("; ")}`, cost: plan.forecast, cap: plan.cap, agent: [plan.agent, plan.agent_repair].filter(Boolean).join("; "), models: plan.models, ...(plan.root && { root: `${plan.root}, because the request names files in it` }) };
  facts?.replaceChildren(...Object.entries(rows).flatMap(([name, words]) => [make("dt", name), make("dd", words)]));
  if (plan.dirty) facts?.append(make("dt", "note"), make("dd", "uncommitted changes are left alone; they are no part of it"));
  stages?.replaceChildren(...plan.stages.map((/** @type {any} */ one) => {
    const judged = one.reviewers.length ? `; reviewed by ${one.reviewers.join(", ")}` : "";
    return make("li", `${one.name}: ${one.who}${judged}${one.asks ? "; then asks you" : ""}`);
  }));
  if (prompt) prompt.textContent = plan.first_prompt;
}

// ---- live ---------------------------------------------------------------------------------------

/** @param {EventLine} one @returns {HTMLElement} */
function eventItem(one) {
  const item = make("li", "", `event kind-${one.kind}${one.quiet ? " quiet" : ""}`);
  item.dataset.n = String(one.n);
  const time = make("time", new Date(one.at * 1000).toTimeString().slice(0, 5));
  const words = make("span", "", "event-words");
  words.append(make("span", one.words));
  if (one.said) words.append(" ", make("q", one.said));
  if (one.aside) words.append(" ", make("small", one.aside));
  for (const command of one.commands) words.append(" ", make("code", command));
  item.append(time, make("span", one.mark, `mark${one.tone ? ` tone-${one.tone}` : ""}`), words);
  return item;
}

/** @param {EventLine} one */
function addEvent(one) {
  const list = document.getElementById("events");
  if (!list || one.feature !== body.dataset.feature) return;
  const last = Number(/** @type {HTMLElement | null} */ (list.lastElementChild)?.dataset.n ?? 0);
  if (one.n <= last) return;
  const below = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  list.append(eventItem(one));
  while (list.children.length > MOST_EVENTS) list.firstElementChild?.remove();
  if (below) list.scrollTop = list.scrollHeight;
}

/** @param {EventLine} one */
function notify(one) {
  if (one.tone !== "person" || !"?!".includes(one.mark) || !document.hidden || !leads) return;
  if ("Notification" in window && Notification.permission === "granted") new Notification(`sparing ${one.feature}`, { body: one.words });
}

function offerNotifications() {
  const button = document.getElementById("notify");
  if (!button || !("Notification" in window) || Notification.permission !== "default") return;
  button.hidden = false;
  button.addEventListener("click", async () => { await Notification.requestPermission(); button.hidden = true; lead(); });
}

let refreshTimer = 0;
let refreshing = false;
/** @param {boolean} [now] */
async function refresh(now = false) {
  clearTimeout(refreshTimer);
  const busy = document.querySelector("dialog[open], .comment-draft") || refreshing;
  const typing = document.activeElement?.closest("[data-live] textarea, [data-live] input");
  if (!now && (busy || typing)) { refreshTimer = window.setTimeout(refresh, 2000); return; }
  refreshing = true;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin", headers: { accept: "text/html" } });
    if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the stream says that nobody answers */ } finally { refreshing = false; }
}

/** @param {Document} fresh */
function swap(fresh) {
  document.title = fresh.title;
  for (const old of all("[data-live]", HTMLElement)) {
    const next = fresh.querySelector(`[data-live="${old.dataset.live}"]`);
    if (!next || next.innerHTML === old.dataset.seen) continue;
    old.dataset.seen = next.innerHTML;
    const open = all("details", HTMLDetailsElement, old).map((one) => one.open);
    const focus = document.activeElement instanceof HTMLElement && old.contains(document.activeElement) ? document.activeElement.dataset.key ?? "" : "";
    const marked = items().findIndex((one) => one.classList.contains("marked"));
    old.replaceChildren(...next.childNodes);
    const now = all("details", HTMLDetailsElement, old);
    if (now.length === open.length) now.forEach((one, n) => { one.open = open[n] ?? one.open; });
    ready(old);
    items()[marked]?.classList.add("marked");
    if (focus) first(`[data-key="${focus}"]`, HTMLElement, old)?.focus();
  }
}

/** @type {EventSource | null} */
let stream = null;
let lastSeen = body.dataset.after ?? "";
let leads = false;

// A browser has only six connections to one server: a tab holds one, and none while it is out of sight.
function listen() {
  const page = body.dataset.page ?? "";
  if (stream || !["board", "feature", "document", "code"].includes(page) || (document.hidden && !leads)) return;
  const state = document.getElementById("link-state");
  const after = lastSeen ? `&after=${lastSeen}` : "";
  const own = new EventSource(page === "board" ? "/events" : `/r/${body.dataset.repos}/events?feature=${body.dataset.feature}${after}`);
  stream = own;
  own.addEventListener("open", () => { if (state) state.textContent = ""; });
  own.addEventListener("error", () => {
    const over = own.readyState === EventSource.CLOSED;
    if (state) state.textContent = over ? "logged out: open the link in the terminal of sparing serve" : "no connection; trying again";
  });
  own.addEventListener("message", (message) => {
    const one = /** @type {EventLine} */ (JSON.parse(message.data));
    lastSeen = message.lastEventId || lastSeen;
    addEvent(one);
    notify(one);
  });
  own.addEventListener("changed", () => {
    // The first time, too: something may have changed after this page was made and before the stream began.
    clearTimeout(refreshTimer);
    refreshTimer = window.setTimeout(refresh, REFRESH_MS);
  });
}

function hush() {
  if (document.hidden && leads) return;
  stream?.close();
  stream = null;
}

/** One tab of all notifies, and goes on listening while it is out of sight. */
function lead() {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  navigator.locks?.request("sparing-notifies", () => { leads = true; listen(); return new Promise(() => {}); });
}

function follow() {
  listen();
  lead();
  document.addEventListener("visibilitychange", () => { if (document.hidden) hush(); else listen(); });
  addEventListener("pagehide", () => { stream?.close(); stream = null; });
  addEventListener("pageshow", listen);
}

// ---- keys ---------------------------------------------------------------------------------------

/** @returns {HTMLElement[]} */
function items() {
  return all(`.row, .finding[data-item], ${COMMENTABLE}`, HTMLElement).filter((one) => one.offsetParent !== null);
}

/** @param {number} step */
function move(step) {
  const found = items();
  const at = found.findIndex((one) => one.classList.contains("marked"));
  const next = found[Math.min(found.length - 1, Math.max(0, at + step))];
  if (!next) return;
  found[at]?.classList.remove("marked");
  next.classList.add("marked");
  next.scrollIntoView({ block: "nearest" });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const marked = first(".marked", HTMLElement);
  const press = (/** @type {string} */ key) => first(`[data-key="${key}"]`, HTMLButtonElement);
  switch (event.key) {
    case "j": move(1); break;
    case "k": move(-1); break;
    case "a": press("a")?.focus(); if (press("a")) say("press Enter to approve"); break;
    case "r": press("r")?.click(); break;
    case "c": if (marked?.dataset.line) commentOn(marked); break;
    case "/": first("#filter", HTMLInputElement)?.focus(); break;
    case "?": first("#keys", HTMLDialogElement)?.showModal(); break;
    case "Enter": if (event.target === body || event.target.id === "main") marked?.querySelector("a")?.click(); else return; break;
    default: return;
  }
  event.preventDefault();
}

// ---- all of it ----------------------------------------------------------------------------------

/** @param {ParentNode} root */
function ready(root) {
  for (const button of all("[data-opens]", HTMLButtonElement, root)) {
    button.addEventListener("click", () => first(`#${button.dataset.opens}`, HTMLDialogElement)?.showModal());
  }
  for (const button of all("[data-closes]", HTMLButtonElement, root)) button.addEventListener("click", () => button.closest("dialog")?.close());
  for (const field of all("[data-preview]", HTMLTextAreaElement, root)) previews(field);
  restoreDrafts(root);
  offerComments(root);
  showComments();
  outline();
  filter();
}

/** The headings of a long document, beside it. */
function outline() {
  const where = first(".outline", HTMLElement);
  const found = all(".prose[data-commentable] > :is(h2, h3), article > .prose > :is(h2, h3)", HTMLElement);
  if (!where || found.length < 4 || where.childElementCount) return;
  const list = make("ul");
  for (const one of found) {
    const item = make("li", "", one.tagName === "H3" ? "deeper" : "");
    const jump = make("button", (one.firstChild?.textContent ?? "").trim());
    jump.setAttribute("type", "button");
    jump.addEventListener("click", () => one.scrollIntoView({ block: "center" }));
    item.append(jump);
    list.append(item);
  }
  where.append(make("h2", "On this page"), list);
  where.hidden = false;
}

/** @param {HTMLTextAreaElement} field */
function previews(field) {
  const target = document.getElementById(field.dataset.preview ?? "");
  let timer = 0;
  const show = async () => {
    try {
      const told = await send("/preview", { text: field.value });
      // Cleaned by the server: the same as a document that it shows.
      target?.replaceChildren(...new DOMParser().parseFromString(told.html, "text/html").body.childNodes);
    } catch { /* what is typed stays; the preview comes with the next letter */ }
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = window.setTimeout(show, 300); });
  field.closest("dialog")?.addEventListener("toggle", show, { once: true });
}

function filter() {
  const wanted = first("#filter", HTMLInputElement)?.value.trim().toLowerCase() ?? "";
  const rows = all(".row", HTMLElement);
  for (const row of rows) row.hidden = wanted !== "" && !(row.textContent ?? "").toLowerCase().includes(wanted);
  const none = first("#no-match", HTMLElement);
  if (none) none.hidden = !rows.length || rows.some((row) => !row.hidden);
}

// Before anything is added to it: what the server sends again as it was is left alone.
for (const live of all("[data-live]", HTMLElement)) live.dataset.seen = live.innerHTML;
ready(document);
first("#filter", HTMLInputElement)?.addEventListener("input", filter);
offerNotifications();
document.addEventListener("submit", act);
document.addEventListener("keydown", onKey);
const form = first("form[data-start]", HTMLFormElement);
if (form) startForm(form);
const events = document.getElementById("events");
if (events) events.scrollTop = events.scrollHeight;
first("#agents-too", HTMLInputElement)?.addEventListener("change", (event) => {
  events?.classList.toggle("hide-agents", !(/** @type {HTMLInputElement} */ (event.target).checked));
});
if (location.hash === "#edit") first("#edit", HTMLDialogElement)?.showModal();
follow();
