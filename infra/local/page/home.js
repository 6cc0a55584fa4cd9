// The Home tab of the conversation with Alfred: what Alfred publishes for this person, with its buttons.

import { post } from "./api.js";
import { blocks } from "./blocks.js";
import { byId, el, sync } from "./dom.js";
import { changed, here, mayOpen, names, state } from "./state.js";

const TABS = ["home", "messages"];
const PARTS = ["messages", "composer"];

export const isHome = () => state.tab === "home" && here()?.kind === "im";

/** Opens a tab. Opening Home tells the app, which publishes what is shown there, as in Slack. */
export async function openTab(tab) {
  state.tab = tab;
  if (tab === "messages") state.unread.delete(state.channelId);
  changed();
  if (tab !== "home") return;
  const { view } = await post("home", { user: state.me, tab });
  state.home ??= view;
  changed();
}

export function drawHome() {
  const shown = isHome();
  byId("tabs").hidden = here().kind !== "im";
  for (const tab of TABS) byId(`tab-${tab}`).setAttribute("aria-pressed", String((tab === "home") === shown));
  byId("tab-messages").textContent = state.unread.has(state.channelId) ? "Messages (new)" : "Messages";
  for (const id of PARTS) byId(id).hidden = shown;
  if (shown) byId("newer").hidden = true;
  byId("home").hidden = !shown;
  if (!shown) return;
  const { id, hash, view } = state.home ?? { id: "none", hash: "", view: null };
  const build = () => (view ? blocks(view.blocks, { names, act: press(id) }) : el("p", { class: "about", text: "Alfred hasn't published anything here yet." }));
  sync(byId("home"), [{ key: id, sig: `${state.me} ${hash}`, build }]);
}

const press = (view) => (part, block) => mayOpen(() => post("view/click", { user: state.me, view_id: view, block_id: block, action_id: part.action_id }));
