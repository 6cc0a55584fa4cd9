// Pictures: in a message as wide as it is, and full size in a dialog.

import { fileAddress } from "./api.js";
import { byId, el } from "./dom.js";
import { state } from "./state.js";

/** Pixels from which on a picture is a week. */
const WIDE = 2_000;

/** An image of this workspace. Its size is known before it is there, so nothing moves when it comes. */
export function image({ slack_file: file, alt_text: alt, image_width: width, image_height: height }) {
  const src = fileAddress(file.id, state.me);
  const picture = el("img", { src, alt, width, height, loading: "lazy" });
  const button = el("button", {
    type: "button", class: width > WIDE ? "picture wide" : "picture", title: "Open full size", "aria-haspopup": "dialog",
    on: { click: () => open({ src, alt, width, height }) },
  }, picture);
  picture.addEventListener("error", () => button.replaceWith(el("span", { class: "note", dir: "auto", text: `Image: ${alt || "not described"}` })));
  return el("figure", { class: "image" }, button, el("figcaption", { text: "Swipe sideways for the rest; tap for full size." }));
}

const dialog = byId("picture");
// Beside the picture is outside of it; what is inside has other targets.
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

function open(picture) {
  dialog.replaceChildren(
    el("header", { class: "modal-bar" },
      el("h2", { id: "picture-title", text: "Picture" }),
      el("button", { type: "button", class: "icon", "aria-label": "Close", text: "✕", on: { click: () => dialog.close() } })),
    el("div", { class: picture.width > WIDE ? "picture-body wide" : "picture-body", tabindex: 0, role: "region", "aria-labelledby": "picture-title" }, el("img", picture)));
  dialog.showModal();
}
