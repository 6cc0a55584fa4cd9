// Buttons of messages and modals.

import { words } from "./api.js";
import { attempt, el } from "./dom.js";
import { plain } from "./mrkdwn.js";

/** One element; `context.act(element)` sends its click. */
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
    on: { click: () => attempt(node, error, () => context.act(part), words) },
  });
  return el("span", { class: "element" }, node, error);
}
