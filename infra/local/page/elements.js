// Interactive elements of messages and modals: what a person clicks or picks.

import { words } from "./api.js";
import { attempt, byId, el } from "./dom.js";
import { plain, textObject } from "./mrkdwn.js";

/** One element; `context.act(element, value)` sends it. */
export function element(part, context) {
  switch (part.type) {
    case "button":
      return button(part, plain(part.text), context);
    case "icon_button":
      return button(part, plain(part.text), context);
    case "static_select":
      return select(part, context);
    case "radio_buttons":
      return radios(part, context);
    case "overflow":
      return overflow(part, context);
    default:
      return el("button", {
        type: "button",
        class: "button",
        disabled: true,
        title: "The local Slack can't send this kind of element from here.",
        text: plain(part.placeholder) || part.type.replaceAll("_", " "),
      });
  }
}

const errorLine = () => el("span", { class: "error", role: "alert", hidden: true });

function run(node, error, part, value, context) {
  return attempt(node, error, async () => {
    if (part.confirm && !(await confirmed(part.confirm, context))) return false;
    await context.act(part, value);
    return true;
  }, words);
}

function button(part, label, context) {
  const error = errorLine();
  const style = part.style === "primary" || part.style === "danger" ? ` ${part.style}` : "";
  const press = async () => {
    if (/^https?:\/\//i.test(part.url ?? "")) window.open(part.url, "_blank", "noopener,noreferrer");
    await run(node, error, part, undefined, context);
  };
  const node = el("button", {
    type: "button",
    class: `button${style}`,
    dir: "auto",
    text: label,
    "aria-label": part.accessibility_label,
    on: { click: press },
  });
  return el("span", { class: "element" }, node, error);
}

/** The options of a menu, grouped ones too. */
export function menuOptions(part) {
  const option = (one) => el("option", { value: one.value, text: plain(one.text) });
  if (part.option_groups) {
    return part.option_groups.map((group) => el("optgroup", { label: plain(group.label) }, ...group.options.map(option)));
  }
  return (part.options ?? []).map(option);
}

function select(part, context) {
  const error = errorLine();
  const label = plain(part.placeholder) || "Choose";
  let chosen = part.initial_option?.value ?? "";
  const pick = async () => {
    const done = await run(node, error, part, node.value, context);
    if (done) chosen = node.value;
    else node.value = chosen;
  };
  const node = el("select", { class: "field", "aria-label": label, on: { change: pick } },
    el("option", { value: "", disabled: true, hidden: true, text: label }), ...menuOptions(part));
  node.value = chosen;
  return el("span", { class: "element" }, node, error);
}

let groups = 0;

function radios(part, context) {
  const error = errorLine();
  groups += 1;
  const name = `choice-${groups}`;
  const box = el("span", { class: "choices", role: "radiogroup", "aria-label": "Choose one" });
  for (const option of part.options) {
    const input = el("input", { type: "radio", name, value: option.value, on: { change: () => run(box, error, part, option.value, context) } });
    input.checked = part.initial_option?.value === option.value;
    box.append(el("label", { class: "choice" }, input, textObject(option.text, context.names)));
  }
  return el("span", { class: "element" }, box, error);
}

function overflow(part, context) {
  const error = errorLine();
  const menu = el("div", { class: "menu" });
  const node = el("details", { class: "overflow" }, el("summary", { class: "button", "aria-label": "More actions", text: "⋯" }), menu);
  const close = () => node.removeAttribute("open");
  for (const option of part.options) {
    const pick = () => {
      close();
      node.firstChild.focus();
      return run(node, error, part, option.value, context);
    };
    menu.append(el("button", { type: "button", dir: "auto", text: plain(option.text), on: { click: pick } }));
  }
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    event.stopPropagation();
    close();
    node.firstChild.focus();
  });
  node.addEventListener("focusout", (event) => {
    if (!node.contains(event.relatedTarget)) close();
  });
  return el("span", { class: "element" }, node, error);
}

/** Asks first, where an element says so. */
function confirmed(confirm, context) {
  const dialog = byId("confirm");
  return new Promise((resolve) => {
    const choice = (answer, style, label) =>
      el("button", { type: "button", class: `button ${style}`, dir: "auto", text: plain(label), on: { click: () => dialog.close(answer) } });
    const yes = choice("yes", confirm.style === "danger" ? "danger" : "primary", confirm.confirm);
    const no = choice("no", "", confirm.deny);
    dialog.replaceChildren(
      el("header", { class: "modal-bar" }, el("h2", { id: "confirm-title", dir: "auto", text: plain(confirm.title) })),
      el("div", { class: "modal-body" }, textObject(confirm.text, context.names)),
      el("footer", { class: "modal-foot" }, no, yes),
    );
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.showModal();
    no.focus();
  });
}
