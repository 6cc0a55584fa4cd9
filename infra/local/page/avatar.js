// The square beside a name.

import { el } from "./dom.js";
import { state } from "./state.js";

const HUES = 12;

export function avatar(userId, extra = "") {
  const user = state.users.get(userId);
  const name = user?.name ?? "?";
  const initials = name.split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();
  // A step that has no divisor in common with the hues keeps neighbours apart.
  const hue = ([...state.users.keys()].indexOf(userId) + 1) * 5 % HUES;
  return el("span", { class: `avatar hue-${user?.is_bot ? "bot" : hue} ${extra}`, "aria-hidden": true, text: initials });
}
