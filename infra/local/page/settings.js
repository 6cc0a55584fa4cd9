// What one may want to know and change: the model, who one is, connected accounts, where the data is.

import { get, info, post, words } from "./api.js";
import { attempt, byId, el, showError } from "./dom.js";
import { state } from "./state.js";

const dialog = byId("settings");
/** The connected accounts of the person that one is: {provider, name, email, ended}. */
let accounts = [];
/** Shows them in the dialog; `#accounts` does in the sidebar. */
const inDialog = el("div");

const errorLine = () => el("p", { class: "error", role: "alert", hidden: true });
const code = (text) => el("code", { text });
const place = (path) => path.split(/(?<=[/\\])/).flatMap((part) => [part, el("wbr")]);

/** Asks for the accounts anew: one may have been connected in another window. */
export async function loadAccounts() {
  accounts = (await get("accounts", { user: state.me })).accounts;
  for (const place of [byId("accounts"), inDialog]) place.replaceChildren(...accountLines());
}

function accountLines() {
  const connect = el("a", { href: `/connect/${state.me}`, target: "_blank", text: "Connect a Google account" });
  if (accounts.some((one) => one.provider === "google" && !one.ended)) return accounts.map(connected);
  return [...accounts.map(connected), el("p", {}, connect)];
}

function connected({ provider, name, email, ended }) {
  const error = errorLine();
  const press = async () => {
    await attempt(button, error, () => post("disconnect", { user: state.me, provider }), words);
    if (!error.hidden) return;
    const place = button.closest("div");
    await loadAccounts();
    place.querySelector("a, button")?.focus();
  };
  const button = el("button", { type: "button", class: "link", "aria-label": `Disconnect ${name}, ${email}`, text: "Disconnect", on: { click: press } });
  return el("p", { class: "account" }, el("span", { text: `${name} ${ended ? "no longer lets Alfred in" : "connected"} (${email})` }), " ", button, error);
}

function part(title, ...lines) {
  return el("section", {}, el("h3", { text: title }), ...lines);
}

function build() {
  const me = state.users.get(state.me);
  const model = info.demo
    ? el("p", { text: "The offline demo model, which knows set phrases and is no AI." })
    : el("p", {}, code(info.model));
  const another = el("p", { class: "hint" }, "Another one: stop Alfred and start it with ", code(`OPENAI_API_KEY=… ${info.program} serve`),
    " or, for a model on this computer, ", code(`ALFRED_MODEL=ollama:qwen3:8b ${info.program} serve`), ". ", code(`${info.program} doctor`), " checks it.");
  const about = [me?.name, me?.email, me?.tz].filter(Boolean).join(" · ");
  const close = el("button", { type: "button", class: "icon", "aria-label": "Close", text: "✕", on: { click: () => dialog.close() } });
  dialog.replaceChildren(
    el("header", { class: "modal-bar" }, el("h2", { id: "settings-title", text: "Settings" }), close),
    el("div", { class: "modal-body settings" },
      part("Model", model, another),
      part("You", el("p", { dir: "auto", text: about })),
      part("Accounts", inDialog),
      part("Data", el("p", {}, "Everything is stored in ", el("code", {}, ...place(info.data_folder)), "."))));
}

byId("settings-open").addEventListener("click", () => {
  build();
  dialog.showModal();
  loadAccounts().catch((error) => {
    const line = errorLine();
    dialog.append(line);
    showError(line, words(error));
  });
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
