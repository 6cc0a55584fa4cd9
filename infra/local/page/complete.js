// What one may mean by "@", "#" and "/": people, channels and commands, in a list above the box.

import { avatar } from "./avatar.js";
import { el } from "./dom.js";
import { here, names, state } from "./state.js";

/** The commands there are: name, and what it is for. */
export const COMMANDS = new Map([["/alfred", "a request, or stop, run TOOL"]]);

const MOST = 8;
/** What is written of a name, at the end of what stands before the caret. */
const BEGUN = /(?:^|[\s(])([@#][\p{L}\p{N}._-]*)$|^(\/[\w-]*)$/u;

const starts = (begun, ...labels) => labels.some((label) => label.toLowerCase().split(/\s+/).some((word) => word.startsWith(begun)));

/** Everything that a begun name may become: {value, label, mark}. Alfred is the first. */
function candidates(begun, inThread) {
  const [sign, rest] = [begun[0], begun.slice(1).toLowerCase()];
  if (sign === "/") {
    const fits = [...COMMANDS].filter(([name]) => !inThread && name.startsWith(begun.toLowerCase()));
    return fits.map(([value, label]) => ({ value, label, mark: null }));
  }
  if (sign === "#") {
    const channels = state.channels.filter((one) => one.kind !== "im" && starts(rest, one.name));
    return channels.map((one) => ({ value: `#${one.name}`, label: one.id === here()?.id ? "this channel" : "", mark: null }));
  }
  const people = [...state.users.values()].filter((user) => !user.deleted && starts(rest, user.username, user.name));
  people.sort((a, b) => Number(b.is_bot) - Number(a.is_bot));
  return people.map((user) => ({ value: `@${user.username}`, label: names.user(user.id), mark: avatar(user.id, "small") }));
}

/** Gives a text box its list, which stands in `place`. `inThread()` says whether it writes to a thread. */
export function complete(text, place, inThread) {
  const list = el("ul", { class: "completions", role: "listbox", id: `${text.id}-names`, "aria-label": "Suggestions", hidden: true });
  place.append(list);
  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-controls", list.id);
  let shown = [];
  let at = 0;
  const begun = () => {
    if (text.selectionStart !== text.selectionEnd) return "";
    const found = BEGUN.exec(text.value.slice(0, text.selectionStart));
    return found?.[1] ?? found?.[2] ?? "";
  };
  const mark = () => {
    [...list.children].forEach((node, index) => node.setAttribute("aria-selected", String(index === at)));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    text.setAttribute("aria-activedescendant", `${list.id}-${at}`);
  };
  const close = () => {
    shown = [];
    list.hidden = true;
    text.removeAttribute("aria-activedescendant");
  };
  const pick = (index) => {
    const end = text.selectionStart;
    text.setRangeText(`${shown[index].value} `, end - begun().length, end, "end");
    text.dispatchEvent(new Event("input"));
    close();
  };
  const look = () => {
    const name = begun();
    shown = name ? candidates(name, inThread()).slice(0, MOST) : [];
    // A name that stands there whole leaves nothing to pick: Enter sends.
    if (shown.length === 0 || (shown.length === 1 && shown[0].value.toLowerCase() === name.toLowerCase())) return close();
    at = 0;
    list.replaceChildren(...shown.map((one, index) => el("li", {
      role: "option",
      id: `${list.id}-${index}`,
      // The box keeps the focus.
      on: { mousedown: (event) => event.preventDefault(), click: () => pick(index) },
    }, one.mark, el("strong", { text: one.value }), el("span", { dir: "auto", text: one.label }))));
    list.hidden = false;
    return mark();
  };
  const keys = {
    ArrowDown: () => { at = (at + 1) % shown.length; mark(); },
    ArrowUp: () => { at = (at + shown.length - 1) % shown.length; mark(); },
    Enter: () => pick(at),
    Tab: () => pick(at),
    Escape: close,
  };
  text.addEventListener("keydown", (event) => {
    const run = shown.length > 0 && !event.isComposing && !event.shiftKey ? keys[event.key] : undefined;
    if (!run) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    run();
  });
  text.addEventListener("input", look);
  text.addEventListener("click", look);
  text.addEventListener("blur", close);
}
