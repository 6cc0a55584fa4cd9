// Buttons of messages and modals.

import { words } from "./api.js";
import { attempt, el, thumb } from "./dom.js";
import { plain } from "./mrkdwn.js";

/** A button with an address opens it, as in Slack; its click goes to the app too. */
function open(part) {
  if (part.url && new URL(part.url, location.href).protocol.startsWith("http")) window.open(part.url, "_blank", "noopener");
}

/** One element; `context.act(element, block)` sends its click; `block` is the id of its block. */
export function element(part, context) {
  if (part.type === "feedback_buttons") return feedback(part, context);
  const error = el("span", { class: "error", role: "alert", hidden: true });
  const known = part.type === "button" || part.type === "icon_button";
  const style = part.style === "primary" || part.style === "danger" ? ` ${part.style}` : "";
  const node = el("button", {
    type: "button",
    class: `button${style}`,
    dir: "auto",
    disabled: !known,
    title: known ? undefined : "This page can't send this kind of element.",
    text: known ? plain(part.text) : part.type.replaceAll("_", " "),
    on: { click: () => { open(part); attempt(node, error, () => context.act(part, context.block), words); } },
  });
  return el("span", { class: "element" }, node, error);
}

/** Which of two feedback buttons was pressed, for as long as the page is open. */
const pressed = new Map();

/** 👍 and 👎; `context.act(element, block, value)` sends which one. */
function feedback(part, context) {
  const error = el("span", { class: "error", role: "alert", hidden: true });
  const key = `${context.place} ${context.block} ${part.action_id}`;
  const show = () => buttons.forEach(([value, node]) => node.setAttribute("aria-pressed", String(pressed.get(key) === value)));
  const buttons = ["positive", "negative"].map((kind) => {
    const { text, value, accessibility_label: label } = part[`${kind}_button`];
    const name = label ?? plain(text);
    const press = async () => {
      const sent = await attempt(node, error, () => context.act(part, context.block, value), words);
      if (sent === undefined) return;
      pressed.set(key, value);
      show();
    };
    const node = el("button", { type: "button", class: `feedback ${kind}`, title: name, "aria-label": name, on: { click: press } }, thumb());
    return [value, node];
  });
  show();
  return el("span", { class: "element" }, el("span", { class: "feedbacks" }, ...buttons.map(([, node]) => node)), error);
}
