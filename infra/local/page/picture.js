// Pictures: in a message as wide as it is, and full size in a dialog.

import { fileAddress } from "./api.js";
import { byId, el } from "./dom.js";
import { plain } from "./mrkdwn.js";
import { state } from "./state.js";

/** An image, with its title above it. */
export function image(block) {
  const caption = plain(block.title);
  return el("figure", { class: "image" },
    caption ? el("figcaption", { dir: "auto", text: caption }) : null,
    block.slack_file ? uploaded(block, caption) : linked(block));
}

const label = (block) => `Image: ${block.alt_text || "not described"}`;

/** A file of this workspace. Its size is known before it is there, so nothing moves when it comes. */
function uploaded(block, caption) {
  const { alt_text: alt, image_width: width, image_height: height } = block;
  const src = fileAddress(block.slack_file.id, state.me);
  const picture = el("img", { src, alt, width, height, loading: "lazy" });
  const button = el("button", {
    type: "button", class: "picture", title: "Open full size", "aria-haspopup": "dialog",
    on: { click: () => open({ src, alt, width, height }, caption) },
  }, picture);
  picture.addEventListener("error", () => button.replaceWith(el("span", { class: "note", dir: "auto", text: label(block) })));
  return button;
}

/** The page loads nothing from elsewhere: pictures of other hosts are named and linked. */
function linked(block) {
  const address = URL.canParse(block.image_url ?? "", location.href) ? new URL(block.image_url, location.href) : null;
  if (address?.origin === location.origin) return el("img", { src: address.href, alt: block.alt_text ?? "", loading: "lazy" });
  const text = label(block);
  if (!/^https?:$/.test(address?.protocol ?? "")) return el("span", { dir: "auto", text });
  return el("a", { href: address.href, target: "_blank", rel: "noopener noreferrer", dir: "auto", text });
}

const dialog = byId("picture");
// Beside the picture is outside of it; what is inside has other targets.
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

function open(picture, caption) {
  dialog.replaceChildren(
    el("header", { class: "modal-bar" },
      el("h2", { id: "picture-title", dir: "auto", text: caption || "Picture" }),
      el("button", { type: "button", class: "icon", "aria-label": "Close", text: "✕", on: { click: () => dialog.close() } })),
    el("div", { class: "picture-body", tabindex: 0, role: "region", "aria-labelledby": "picture-title" }, el("img", picture)));
  dialog.showModal();
}
