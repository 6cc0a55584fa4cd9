// Block Kit as nodes. What isn't known becomes a plain note: one odd block must not break a page.

import { el } from "./dom.js";
import { element } from "./elements.js";
import { plain, textObject, withEmoji } from "./mrkdwn.js";
import { image } from "./picture.js";
import { richText } from "./rich_text.js";

/**
 * All blocks. `context`: {names, act(element, value), inputs}; `inputs` builds input
 * blocks where there are any (modals).
 */
export function blocks(list, context) {
  const out = el("div", { class: "blocks" });
  for (const block of list) {
    try {
      out.append(one(block, context));
    } catch {
      out.append(note(block));
    }
  }
  return out;
}

function one(block, context) {
  switch (block.type) {
    case "section":
      return section(block, context);
    case "header":
      return el("h3", { class: "header-block", dir: "auto", text: plain(block.text) });
    case "divider":
      return el("hr");
    case "context":
      return el("div", { class: "context-block" }, ...block.elements.map((part) => contextPart(part, context)));
    case "actions":
    case "context_actions":
      return el("div", { class: "actions-block" }, ...block.elements.map((part) => element(part, context)));
    case "image":
      return image(block);
    case "rich_text":
      return richText(block, context.names);
    case "markdown":
      return el("div", { class: "text para", dir: "auto", text: withEmoji(block.text) });
    case "input":
      return context.inputs ? context.inputs(block) : note(block);
    default:
      return note(block);
  }
}

function note(block) {
  return el("p", { class: "note", text: `This page doesn't show blocks of the type “${block?.type ?? "?"}”.` });
}

function section(block, context) {
  const body = el("div", { class: "section-body" });
  if (block.text) body.append(textObject(block.text, context.names));
  if (block.fields) {
    body.append(el("div", { class: "fields" }, ...block.fields.map((field) => textObject(field, context.names))));
  }
  const out = el("div", { class: "section-block" }, body);
  if (block.accessory?.type === "image") out.append(image(block.accessory));
  else if (block.accessory) out.append(element(block.accessory, context));
  return out;
}

function contextPart(part, context) {
  if (part.type === "image") return image(part);
  return textObject(part, context.names);
}
