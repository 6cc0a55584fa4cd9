// Block Kit as nodes: what Alfred sends. All else becomes a plain note: one odd block must not break a page.

import { el } from "./dom.js";
import { element } from "./elements.js";
import { plain, textObject } from "./mrkdwn.js";
import { image } from "./picture.js";
import { richText } from "./rich_text.js";

/**
 * All blocks. `context`: {names, act(element, block), inputs}; `inputs` builds input
 * blocks where there are any (modals).
 */
export function blocks(list, context) {
  const out = el("div", { class: "blocks" });
  for (const block of list) {
    try {
      out.append(one(block, { ...context, block: block.block_id }));
    } catch {
      out.append(note(block));
    }
  }
  return out;
}

function one(block, context) {
  switch (block.type) {
    case "section":
      return el("div", { class: "section-block" },
        el("div", { class: "section-body" }, textObject(block.text, context.names)),
        block.accessory ? element(block.accessory, context) : null);
    case "header":
      return el("h2", { class: "header-block", dir: "auto", text: plain(block.text) });
    case "context":
      return el("div", { class: "context-block" }, ...block.elements.map((part) => textObject(part, context.names)));
    case "actions":
      return el("div", { class: "actions-block" }, ...block.elements.map((part) => element(part, context)));
    case "image":
      return image(block);
    case "rich_text":
      return richText(block);
    case "input":
      return context.inputs ? context.inputs(block) : note(block);
    default:
      return note(block);
  }
}

function note(block) {
  return el("p", { class: "note", text: `This page doesn't show blocks of the type “${block?.type ?? "?"}”.` });
}
