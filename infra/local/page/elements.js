// Buttons of messages and modals.

import { words } from "./api.js";
import { attempt, el } from "./dom.js";
import { plain } from "./mrkdwn.js";

/** A button with an address opens it, as in Slack; its click goes to the app too. */
function open(part) {
  if (part.url && new URL(part.url, location.href).protocol.startsWith("http")) window.open(part.url, "_blank", "noopener");
}

/** One element; `context.act(element, block)` sends its click; `block` is the id of its block. */
export function element(part, context) {
  const error = el("span", { class: "error", role: "alert", hidden: true });
  const known = part.type === "button";
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
