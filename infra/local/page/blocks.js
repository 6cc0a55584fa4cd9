// Block Kit as nodes: what Alfred sends. All else becomes a plain note: one odd block must not break a page.

import { el } from "./dom.js";
import { element } from "./elements.js";
import { fromMarkdown, mrkdwn, plain, textObject } from "./mrkdwn.js";
import { image } from "./picture.js";
import { richText } from "./rich_text.js";

/**
 * All blocks. `context`: {names, act(element, block, value), place, inputs}; `inputs` builds input
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
    case "context_actions":
    case "actions":
      return el("div", { class: "actions-block" }, ...block.elements.map((part) => element(part, context)));
    case "image":
      return image(block);
    case "markdown":
      return mrkdwn(fromMarkdown(block.text), context.names, true);
    case "task_card":
      return task(block);
    case "rich_text":
      return richText(block, context.names);
    case "input":
      return context.inputs ? context.inputs(block) : note(block);
    default:
      return note(block);
  }
}

const MARKS = { pending: "○", in_progress: "◌", complete: "✓", error: "✗" };
const STATES = { pending: "waits", in_progress: "is under way", complete: "is done", error: "failed" };

/** A step of the work: its title and how far it is. */
function task(block) {
  const status = block.status in MARKS ? block.status : "pending";
  return el("div", { class: `task ${status}` },
    el("span", { class: "task-mark", "aria-hidden": true, text: MARKS[status] }),
    el("span", { dir: "auto", text: block.title }),
    el("span", { class: "unseen", text: STATES[status] }));
}

function note(block) {
  return el("p", { class: "note", text: `This page doesn't show blocks of the type “${block?.type ?? "?"}”.` });
}
