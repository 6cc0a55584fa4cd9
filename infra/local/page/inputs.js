// Input blocks of a modal: a field each, and its value as Slack sends it.

import { el } from "./dom.js";
import { menuOptions } from "./elements.js";
import { plain, textObject } from "./mrkdwn.js";
import { state } from "./state.js";

let count = 0;

/** Field of each kind: {node, read(): value | null, write(value)}. */
const KINDS = {
  plain_text_input: text,
  email_text_input: (part) => typed(part, { type: "email", autocomplete: "off" }),
  url_text_input: (part) => typed(part, { type: "url", autocomplete: "off" }),
  number_input: (part) => typed(part, { type: "number", min: part.min_value, max: part.max_value, step: part.is_decimal_allowed ? "any" : "1" }),
  datepicker: (part) => picker(part, "date", "selected_date", part.initial_date),
  timepicker: (part) => picker(part, "time", "selected_time", part.initial_time),
  static_select: single,
  multi_static_select: multiple,
  checkboxes: (part) => choices(part, "checkbox"),
  radio_buttons: (part) => choices(part, "radio"),
  users_select: (part) => listed(part, "selected_user", part.initial_user, [...state.users.values()].map((user) => [user.id, user.name])),
  channels_select: (part) => listed(part, "selected_channel", part.initial_channel, channels()),
  conversations_select: (part) => listed(part, "selected_conversation", part.initial_conversation, channels()),
};

const channels = () => state.channels.filter((one) => one.kind !== "im").map((one) => [one.id, `#${one.name}`]);

/** An input block: {node, blockId, actionId, optional, read, write, error(text)}. */
export function inputBlock(block, names) {
  count += 1;
  const id = `input-${count}`;
  const part = block.element;
  const field = (KINDS[part.type] ?? unknown)(part, id, names);
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
  return valued(node, part.initial_value ?? "");
}

function typed(part, attributes) {
  return valued(el("input", { class: "field", placeholder: plain(part.placeholder) || undefined, ...attributes }), part.initial_value ?? "");
}

function valued(node, initial) {
  node.value = initial;
  return { node, read: () => node.value, write: (value) => { node.value = value; } };
}

/** Pickers send an object of their own; null while nothing is picked. */
function picker(part, type, name, initial) {
  const node = el("input", { class: "field", type });
  node.value = initial ?? "";
  return objects(node, part, name);
}

function objects(node, part, name) {
  return {
    node,
    read: () => (node.value ? { type: part.type, [name]: node.value } : null),
    write: (value) => { node.value = value?.[name] ?? ""; },
  };
}

const nothing = (part) => el("option", { value: "", text: plain(part.placeholder) || "—" });

function listed(part, name, initial, list) {
  const node = el("select", { class: "field" }, nothing(part), ...list.map(([value, label]) => el("option", { value, text: label })));
  node.value = initial ?? "";
  return objects(node, part, name);
}

function single(part) {
  const node = el("select", { class: "field" }, nothing(part), ...menuOptions(part));
  node.value = part.initial_option?.value ?? "";
  return { node, read: () => node.value || null, write: (value) => { node.value = value ?? ""; } };
}

function multiple(part) {
  const node = el("select", { class: "field", multiple: true, size: Math.min(6, Math.max(2, part.options.length)) }, ...menuOptions(part));
  const write = (values) => [...node.options].forEach((option) => { option.selected = (values ?? []).includes(option.value); });
  write((part.initial_options ?? []).map((option) => option.value));
  return { node, read: () => [...node.selectedOptions].map((option) => option.value), write };
}

function choices(part, type) {
  count += 1;
  const name = `option-${count}`;
  const node = el("fieldset", { class: "choices" });
  const boxes = part.options.map((option) => {
    const box = el("input", { type, name, value: option.value });
    const about = option.description ? el("span", { class: "hint", dir: "auto", text: plain(option.description) }) : null;
    node.append(el("label", { class: "choice" }, box, textObject(option.text, { user: () => null, channel: () => null, isMe: () => false }), about));
    return box;
  });
  const picked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const write = (values) => boxes.forEach((box) => { box.checked = [values ?? []].flat().includes(box.value); });
  write((part.initial_options ?? [part.initial_option].filter(Boolean)).map((option) => option.value));
  return { node, read: () => (type === "radio" ? picked()[0] ?? null : picked()), write };
}

function unknown(part) {
  const node = el("input", { class: "field", disabled: true, value: `This page can't show “${part.type}”.` });
  return { node, read: () => null, write: () => {} };
}
