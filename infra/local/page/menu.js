// The menu of a message: the app's shortcuts, as in Slack.

import { post, words } from "./api.js";
import { attempt, el, focusOn } from "./dom.js";
import { mayOpen, state } from "./state.js";

const menu = el("div", { id: "menu", class: "menu", role: "menu", popover: "manual", "aria-label": "Shortcuts", on: { keydown: walk } });
document.querySelector("main").append(menu);

/** The button that the menu belongs to. */
let opener = null;

document.addEventListener("pointerdown", ({ target }) => { if (opener && !menu.contains(target) && !opener.contains(target)) close(); });
addEventListener("resize", () => close());

/** The button that opens the menu; `error` is where what went wrong is said. */
export function more(message, error) {
  const press = () => (opener === button ? close() : open(button, message, error));
  const button = el("button", {
    type: "button", class: "more", "aria-label": "Shortcuts for this message", "aria-haspopup": "menu", "aria-expanded": "false", text: "⋯", on: { click: press },
  });
  return button;
}

function open(button, message, error) {
  const item = (shortcut) => el("button", {
    type: "button", role: "menuitem", tabindex: -1, dir: "auto", text: shortcut.name, on: { click: () => pick(shortcut) },
  });
  const pick = (shortcut) => {
    close();
    const { channel, ts } = message;
    const body = { user: state.me, channel, ts, callback_id: shortcut.callback_id };
    attempt(button, error, () => mayOpen(() => post("shortcut", body)), words);
  };
  close();
  menu.replaceChildren(...state.shortcuts.map(item));
  opener = button;
  button.setAttribute("aria-expanded", "true");
  menu.showPopover();
  place(button.getBoundingClientRect());
  menu.firstChild?.focus();
}

/** Below the button, or above it where that doesn't fit. */
function place(at) {
  const { offsetHeight: height, offsetWidth: width } = menu;
  const below = at.bottom + height + 8 <= innerHeight;
  menu.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
  menu.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
}

function close() {
  if (!opener) return;
  opener.setAttribute("aria-expanded", "false");
  if (menu.contains(document.activeElement)) focusOn(opener);
  opener = null;
  menu.hidePopover();
}

function walk(event) {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
  const to = (index) => items.at(index % items.length).focus();
  const keys = {
    ArrowDown: () => to(at + 1),
    ArrowUp: () => to(at - 1),
    Tab: () => to(event.shiftKey ? at - 1 : at + 1),
    Home: () => to(0),
    End: () => to(-1),
    Escape: close,
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  keys[event.key]();
}
