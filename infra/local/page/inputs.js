// Input blocks of a modal: a field each, and its value as Slack sends it.

import { el } from "./dom.js";
import { plain } from "./mrkdwn.js";

let count = 0;

/** Field of each kind: {node, read(): value | null, write(value)}. */
const KINDS = { plain_text_input: text, checkboxes, static_select: select };

/** An input block: {node, blockId, actionId, optional, read, write, error(text)}. */
export function inputBlock(block) {
  count += 1;
  const id = `input-${count}`;
  const part = block.element;
  const field = (KINDS[part.type] ?? unknown)(part);
  const error = el("p", { class: "error", id: `${id}-error`, role: "alert", hidden: true });
  const label = plain(block.label) + (block.optional ? " (optional)" : "");
  const hint = block.hint ? el("p", { class: "hint", id: `${id}-hint`, dir: "auto", text: plain(block.hint) }) : null;
  const control = field.node;
  const grouped = control.matches("fieldset");
  control.id = id;
  control.setAttribute("aria-describedby", hint ? `${id}-error ${id}-hint` : `${id}-error`);
  if (grouped) control.prepend(el("legend", { dir: "auto", text: label }));
  const node = el("div", { class: "input-block" }, grouped ? null : el("label", { for: id, dir: "auto", text: label }), control, error, hint);
  return {
    node,
    blockId: block.block_id,
    actionId: part.action_id,
    optional: block.optional === true,
    focus: () => (grouped ? control.querySelector("input") : control)?.focus(),
    read: field.read,
    write: field.write,
    error: (message) => {
      error.textContent = message;
      error.hidden = !message;
      control.setAttribute("aria-invalid", message ? "true" : "false");
    },
  };
}

const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** What is sent for an input; an optional one that was emptied must not fall back to its first value. */
export function sent(input, type) {
  const value = input.read();
  return isEmpty(value) && input.optional && value === "" ? { type, value: null } : value;
}

export const missing = (input) => !input.optional && isEmpty(input.read());

function text(part) {
  const node = el(part.multiline ? "textarea" : "input", {
    class: "field",
    dir: "auto",
    rows: part.multiline ? 6 : undefined,
    type: part.multiline ? undefined : "text",
    placeholder: plain(part.placeholder) || undefined,
    minlength: part.min_length,
    maxlength: part.max_length ?? 3000,
    autocomplete: "off",
  });
  node.value = part.initial_value ?? "";
  return { node, read: () => node.value, write: (value) => { node.value = value; } };
}

function checkboxes(part) {
  const node = el("fieldset", { class: "choices" });
  const boxes = part.options.map((option) => {
    const box = el("input", { type: "checkbox", value: option.value });
    node.append(el("label", { class: "choice" }, box, el("span", { dir: "auto", text: plain(option.text) })));
    return box;
  });
  const write = (values) => boxes.forEach((box) => { box.checked = (values ?? []).includes(box.value); });
  write((part.initial_options ?? []).map((option) => option.value));
  return { node, read: () => boxes.filter((box) => box.checked).map((box) => box.value), write };
}

function select(part) {
  const option = ({ text, value }) => el("option", { value, text: plain(text) });
  const node = el("select", { class: "field", dir: "auto" }, ...part.options.map(option));
  node.value = part.initial_option?.value ?? "";
  return { node, read: () => node.value, write: (value) => { node.value = value; } };
}

function unknown(part) {
  const node = el("input", { class: "field", disabled: true, value: `This page can't show “${part.type}”.` });
  return { node, read: () => null, write: () => {} };
}
