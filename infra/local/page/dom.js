// Building nodes. Text only ever becomes text nodes: nothing here parses HTML.

/** An element; `class`, `text`, `on` (listeners) and `dataset` are special, the rest are attributes. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name === "text") node.textContent = value;
    else if (name === "on") for (const [type, run] of Object.entries(value)) node.addEventListener(type, run);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** A picture as big as a letter, drawn: not every machine has a font for 🔒 and 👍. */
function drawn(name, outline, label) {
  const out = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  out.setAttribute("viewBox", "0 0 16 16");
  out.setAttribute("class", name);
  if (label) out.setAttribute("role", "img");
  out.setAttribute(label ? "aria-label" : "aria-hidden", label || "true");
  path.setAttribute("d", outline);
  out.append(path);
  return out;
}

export const lock = () => drawn("lock", "M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7Zm2 0h4V5a2 2 0 0 0-4 0Z", "private");

/** A thumb that points up. */
export const thumb = () => drawn("thumb", "M1 7h3v8H1Zm4 0 3.2-6c1.4 0 2.1.9 1.8 2.1L9.4 6H14c.8 0 1.4.8 1.2 1.6l-1.4 6c-.2.8-.8 1.4-1.6 1.4H5Z");

export const byId = (id) => document.getElementById(id);

const shown = new WeakMap();

/**
 * Makes a container show `items` ({key, sig, build}); a node whose key and signature
 * stay is kept, so that focus, open menus and half-made choices survive.
 */
export function sync(container, items) {
  const before = shown.get(container) ?? new Map();
  const after = new Map();
  // First what is gone: behind it, rows that stay would have to move, and lose their focus.
  const keys = new Set(items.map((item) => item.key));
  for (const [key, row] of before) if (!keys.has(key)) row.node.remove();
  let at = container.firstChild;
  for (const item of items) {
    const old = before.get(item.key);
    const row = old?.sig === item.sig ? old : { sig: item.sig, node: item.build() };
    after.set(item.key, row);
    if (old && old !== row) {
      if (old.node === at) at = row.node;
      replace(old.node, row.node);
    }
    if (row.node === at) at = at.nextSibling;
    else container.insertBefore(row.node, at);
  }
  shown.set(container, after);
}

/** What a row that was drawn anew has in the place of each of its old buttons and links. */
const successors = new WeakMap();

/** Puts a row in another's place, which has the focus if the old one had it. */
function replace(old, node) {
  const focusable = "a, button, input, select, summary";
  const had = old.contains(document.activeElement) ? document.activeElement : null;
  const now = [...node.querySelectorAll(focusable)];
  // A button that has no counterpart with its words, such as that of a card that was decided, leaves the row itself.
  const isLike = (before) => (one) => one.innerText === before.innerText && one.ariaLabel === before.ariaLabel;
  for (const before of [old, ...old.querySelectorAll(focusable)]) successors.set(before, now.find(isLike(before)) ?? node);
  old.replaceWith(node);
  if (had) focusOn(had);
}

/** Gives the focus to a button or link, or to what is there instead of it now. */
export function focusOn(wanted) {
  let node = wanted;
  while (node && !node.isConnected) node = successors.get(node);
  if (!node) return;
  if (node.tabIndex < 0) node.tabIndex = -1;
  node.focus({ preventScroll: true });
}

let announced = 0;

/** Has a screen reader say it. */
export function announce(text) {
  const line = el("p", { text });
  byId("announcer").append(line);
  announced += 1;
  // Old lines aren't read again, they only fill the page.
  if (announced > 20) byId("announcer").firstChild.remove();
}

/** Keeps errors beside what caused them. */
export function showError(place, text) {
  place.textContent = text;
  place.hidden = !text;
}

/** Runs a person's action: busy while it runs, its error in words. */
export async function attempt(node, place, run, words) {
  if (node.getAttribute("aria-busy") === "true") return undefined;
  node.setAttribute("aria-busy", "true");
  showError(place, "");
  try {
    return await run();
  } catch (error) {
    showError(place, words(error));
    return undefined;
  } finally {
    node.removeAttribute("aria-busy");
  }
}
