// Slack's mrkdwn as nodes (docs.slack.dev/messaging/formatting-message-text).
// `&`, `<` and `>` come escaped; whatever isn't understood is shown as it is.

import { el } from "./dom.js";
import { emoji } from "./emoji.js";

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const STYLES = { "*": "strong", "_": "em", "~": "s" };
const BARE_URL = /(?:https?:\/\/|mailto:)[^\s<>|`"“”„«»]+/iy;
const BARE_HOST = /(?:[\p{L}\p{N}._+-]+@)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?![\p{L}\p{N}])(?:[/?#:][^\s<>|`"“”„«»]*)?/uy;
const EMOJI = /:([a-z0-9_+-]+):/y;
const LIST_LINE = /^(\s*)([•◦▪–-]|\d{1,3}[.)])\s+(.*)$/;
const WORD = /[\p{L}\p{N}]/u;

export function unescape(text) {
  return text.replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity]);
}

/**
 * mrkdwn as blocks of text; `names` tells how users and channels are called. Bare addresses become links
 * unless `unlinked`: text objects that are `verbatim`, and messages posted with `parse: none`.
 */
export function mrkdwn(text, names, unlinked = false) {
  names = { ...names, unlinked };
  const out = el("div", { class: "text" });
  const parts = text.split(/```\n?([\s\S]*?)\n?```/);
  parts.forEach((part, index) => {
    if (index % 2 === 1) out.append(el("pre", { dir: "auto" }, el("code", { text: literal(part) })));
    else paragraphs(part.replace(index > 0 ? /^\n/ : /^/, "").replace(index + 1 < parts.length ? /\n$/ : /$/, ""), names, out);
  });
  return out;
}

/** The Markdown of a message that is still written, as mrkdwn: enough to read it until the reply replaces it. */
export function fromMarkdown(text) {
  const escaped = text.replace(/[&<>]/g, (sign) => Object.keys(ENTITIES).find((entity) => ENTITIES[entity] === sign));
  return escaped
    .replace(/\*\*(\S(?:.*?\S)?)\*\*/g, "*$1*")
    .replace(/^#{1,6} +(.*)$/gm, "*$1*")
    .replace(/\[([^\]]*)\]\((https?:[^)\s]+)\)/g, "<$2|$1>")
    .replace(/^(\s*)[*-] +/gm, "$1• ");
}

/** A `text` object of Block Kit. */
export function textObject(object, names) {
  if (!object || typeof object.text !== "string") return el("div", { class: "text" });
  const plainText = object.emoji === false ? object.text : withEmoji(object.text);
  return object.type === "mrkdwn" ? mrkdwn(object.text, names, object.verbatim === true) : el("div", { class: "text", dir: "auto", text: plainText });
}

/** The same without any formatting, for labels. */
export function plain(object) {
  if (typeof object?.text !== "string") return "";
  return object.emoji === false ? object.text : withEmoji(object.text);
}

function withEmoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => emoji(name) ?? whole);
}

/** What a message says, for announcements. */
export function spoken(text, names) {
  return mrkdwn(text, names).textContent.trim();
}

function paragraphs(text, names, out) {
  let lines = [];
  let kind = "text";
  const flush = () => {
    if (lines.length > 0 && !(lines.length === 1 && lines[0] === "" && kind === "text")) {
      if (kind === "quote") {
        const quote = el("blockquote");
        paragraphs(lines.join("\n"), names, quote);
        out.append(quote);
      } else {
        const block = el("div", { class: "para", dir: "auto" });
        inline(lines.join("\n"), names, block);
        out.append(block);
      }
    }
    lines = [];
  };
  for (const line of text.split("\n")) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    const item = quoted ? null : LIST_LINE.exec(line);
    const next = quoted ? "quote" : item ? "item" : "text";
    if (next !== kind || next === "item") flush();
    kind = next;
    if (item) out.append(listLine(item, names));
    else lines.push(quoted ? quoted[1] : line);
  }
  flush();
}

function listLine([, indent, marker, rest], names) {
  const depth = Math.min(6, Math.floor(indent.length / 2));
  const body = el("span", { class: "item-body", dir: "auto" });
  inline(rest, names, body);
  return el("div", { class: `item depth-${depth}`, dir: "auto" }, el("span", { class: "marker", text: `${marker} ` }), body);
}

/** Code shows its text: no formatting, addresses as they are. */
function literal(text) {
  return unescape(text.replace(/<([^<>|\n]+)(?:\|([^<>\n]*))?>/g, (_, target, label) => label || target));
}

function inline(text, names, out) {
  let plainFrom = 0;
  let at = 0;
  const flush = (to) => {
    if (to > plainFrom) out.append(unescape(text.slice(plainFrom, to)));
  };
  const take = (node, length) => {
    flush(at);
    out.append(node);
    at += length;
    plainFrom = at;
  };
  while (at < text.length) {
    const found = token(text, at, names);
    if (found) take(found.node, found.length);
    else at += 1;
  }
  flush(text.length);
}

function token(text, at, names) {
  const c = text[at];
  if (c === "`") return codeAt(text, at);
  if (c === "<") return angleAt(text, at, names);
  if (STYLES[c]) return styleAt(text, at, names);
  if (c === ":") return emojiAt(text, at);
  return !names.unlinked && WORD.test(c) && opens(text, at) ? urlAt(text, at) : null;
}

const opens = (text, at) => at === 0 || !WORD.test(text[at - 1]);
const closes = (text, at) => at + 1 >= text.length || !WORD.test(text[at + 1]);

function codeAt(text, at) {
  const end = text.indexOf("`", at + 1);
  if (end <= at + 1 || text.slice(at, end).includes("\n")) return null;
  return { node: el("code", { text: literal(text.slice(at + 1, end)) }), length: end + 1 - at };
}

function styleAt(text, at, names) {
  const mark = text[at];
  if (!opens(text, at) || /[\s]/.test(text[at + 1] ?? " ") || text[at + 1] === mark) return null;
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end += 1) {
    const skip = text[end] === "`" ? codeAt(text, end)?.length : text[end] === "<" ? angleEnd(text, end) - end + 1 : 0;
    if (skip > 1) {
      end += skip - 1;
    } else if (text[end] === mark && end > at + 1 && !/\s/.test(text[end - 1]) && closes(text, end)) {
      const node = el(STYLES[mark]);
      inline(text.slice(at + 1, end), names, node);
      return { node, length: end + 1 - at };
    }
  }
  return null;
}

function emojiAt(text, at) {
  EMOJI.lastIndex = at;
  const found = EMOJI.exec(text);
  const character = found && emoji(found[1]);
  return character ? { node: document.createTextNode(character), length: found[0].length } : null;
}

function urlAt(text, at) {
  BARE_URL.lastIndex = at;
  BARE_HOST.lastIndex = at;
  const found = BARE_URL.exec(text);
  const named = found ? null : BARE_HOST.exec(text);
  if (!found && !named) return null;
  const address = (found ?? named)[0].replace(/(?:&gt;|&lt;).*$/, "").replace(/[.,;:!?'’‘)\]*_~]+$/, "");
  const scheme = found ? "" : /^[^/?#:]*@/.test(address) ? "mailto:" : "http://";
  const node = link(scheme + unescape(address), unescape(address));
  return node ? { node, length: address.length } : null;
}

function angleEnd(text, at) {
  const end = text.indexOf(">", at + 1);
  return end < 0 || text.slice(at, end).includes("\n") ? -1 : end;
}

function angleAt(text, at, names) {
  const end = angleEnd(text, at);
  if (end < 0) return null;
  const [target, ...rest] = text.slice(at + 1, end).split("|");
  const label = rest.length > 0 ? withEmoji(unescape(rest.join("|"))) : "";
  const node = reference(unescape(target), label, names);
  return node ? { node, length: end + 1 - at } : null;
}

function reference(target, label, names) {
  if (target.startsWith("@")) return mention(`@${names.user(target.slice(1)) ?? (label.replace(/^@/, "") || target.slice(1))}`, names.isMe(target.slice(1)));
  if (target.startsWith("#")) return mention(`#${names.channel(target.slice(1)) ?? (label || target.slice(1))}`);
  if (target.startsWith("!")) return special(target.slice(1), label);
  return link(target, label || target.replace(/^mailto:/, ""));
}

function special(what, label) {
  const date = /^date\^(-?\d{1,11})\^/.exec(what);
  if (date) return el("time", { text: new Date(Number(date[1]) * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) });
  if (/^(channel|here|everyone)$/.test(what)) return mention(`@${what}`, true);
  return mention(label || `@${what.split("^")[0]}`);
}

export function mention(text, strong = false) {
  return el("span", { class: strong ? "mention me" : "mention", text });
}

/** Only addresses that a browser may open safely; null for all others. */
export function link(target, label) {
  if (!/^(https?:\/\/|mailto:)/i.test(target)) return null;
  return el("a", { href: target, target: "_blank", rel: "noopener noreferrer", dir: "auto", text: label });
}
