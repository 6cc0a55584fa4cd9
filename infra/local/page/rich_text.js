// `rich_text` blocks (docs.slack.dev/reference/block-kit/blocks/rich-text-block).

import { el } from "./dom.js";
import { emoji } from "./emoji.js";
import { link, mention } from "./mrkdwn.js";

const TAGS = { bold: "strong", italic: "em", strike: "s", underline: "u", code: "code" };

export function richText(block, names) {
  return el("div", { class: "text" }, ...block.elements.map((part) => container(part, names)));
}

function container(part, names) {
  const inside = () => part.elements.map((one) => inline(one, names));
  switch (part.type) {
    case "rich_text_section":
      return el("div", { class: "para", dir: "auto" }, ...inside());
    case "rich_text_preformatted":
      return el("pre", { dir: "auto" }, el("code", {}, ...inside()));
    case "rich_text_quote":
      return el("blockquote", {}, el("div", { class: "para", dir: "auto" }, ...inside()));
    case "rich_text_list": {
      const tag = part.style === "ordered" ? "ol" : "ul";
      const start = tag === "ol" && part.offset ? part.offset + 1 : undefined;
      const items = part.elements.map((item) => el("li", { dir: "auto" }, ...item.elements.map((one) => inline(one, names))));
      return el(tag, { class: `depth-${Math.min(6, part.indent ?? 0)}`, start }, ...items);
    }
    default:
      return el("p", { class: "note", text: `This page doesn't show “${part.type}”.` });
  }
}

function inline(part, names) {
  let node = leaf(part, names);
  for (const [style, tag] of Object.entries(TAGS)) if (part.style?.[style]) node = el(tag, {}, node);
  return node;
}

function leaf(part, names) {
  switch (part.type) {
    case "text":
      return document.createTextNode(part.text);
    case "link":
      return link(part.url, part.text || part.url) ?? document.createTextNode(part.text || part.url);
    case "user":
      return mention(`@${names.user(part.user_id) ?? part.user_id}`, names.isMe(part.user_id));
    case "channel":
      return mention(`#${names.channel(part.channel_id) ?? part.channel_id}`);
    case "usergroup":
      return mention(`@${part.usergroup_id}`);
    case "broadcast":
      return mention(`@${part.range}`, true);
    case "emoji":
      return document.createTextNode(emoji(part.name) ?? `:${part.name}:`);
    case "date":
      return el("time", { text: new Date(part.timestamp * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) });
    default:
      return document.createTextNode(part.fallback ?? `[${part.type}]`);
  }
}
