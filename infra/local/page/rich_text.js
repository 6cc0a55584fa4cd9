// `rich_text` blocks (docs.slack.dev/reference/block-kit/blocks/rich-text-block), as far as Alfred sends them.

import { el } from "./dom.js";
import { link, mention } from "./mrkdwn.js";

const TAGS = { bold: "strong", italic: "em", strike: "s" };

export function richText(block, names) {
  return el("div", { class: "text" }, ...block.elements.map((part) => container(part, names)));
}

function container(part, names) {
  const inside = (of) => of.elements.map((one) => inline(one, names));
  switch (part.type) {
    case "rich_text_section":
      return el("div", { class: "para", dir: "auto" }, ...inside(part));
    case "rich_text_quote":
      return el("blockquote", {}, el("div", { class: "para", dir: "auto" }, ...inside(part)));
    case "rich_text_list":
      return el("ul", {}, ...part.elements.map((item) => el("li", { dir: "auto" }, ...inside(item))));
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
  if (part.type === "user") return mention(`@${names.user(part.user_id) ?? part.user_id}`, names.isMe(part.user_id));
  if (part.type === "channel") return mention(`#${names.channel(part.channel_id) ?? part.channel_id}`);
  if (part.type === "link") return link(part.url, part.text || part.url) ?? document.createTextNode(part.text || part.url);
  return document.createTextNode(part.type === "text" ? part.text : `[${part.type}]`);
}
