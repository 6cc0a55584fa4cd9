// Modals: the newest view of this person, in one dialog.

import { ApiError, post, words } from "./api.js";
import { blocks } from "./blocks.js";
import { byId, el, focusOn, showError } from "./dom.js";
import { inputBlock, missing, sent } from "./inputs.js";
import { plain } from "./mrkdwn.js";
import { mayOpen, names, state } from "./state.js";

const dialog = byId("modal");
/** What had the focus before the dialog. */
let opener = null;
let open = { id: "", hash: "", inputs: [], blocks: [] };

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  close();
});

/** Shows what the state says. */
export function drawModal() {
  const view = state.views.at(-1);
  if (!view) {
    if (dialog.open) {
      dialog.close();
      focusOn(opener);
    }
    open = { id: "", hash: "", inputs: [], blocks: [] };
    return;
  }
  if (open.id === view.id && open.hash === view.hash) return;
  // Slack keeps what was typed in fields that an update leaves in place.
  const kept = open.id === view.id ? new Map(open.inputs.map((input) => [fieldKey(input), input.read()])) : new Map();
  build(view);
  for (const input of open.inputs) if (kept.has(fieldKey(input))) input.write(kept.get(fieldKey(input)));
  if (!dialog.open) {
    opener = document.activeElement;
    dialog.showModal();
  }
  if (kept.size === 0) (open.inputs[0] ?? { focus: () => dialog.querySelector("button")?.focus() }).focus();
}

const fieldKey = (input) => `${input.blockId} ${input.actionId}`;

function build({ id, hash, view }) {
  const inputs = [];
  const context = {
    names,
    act: (part) => mayOpen(() => post("view/click", { user: state.me, view_id: id, action_id: part.action_id })),
    inputs: (block) => {
      const input = inputBlock(block);
      inputs.push(Object.assign(input, { type: block.element.type }));
      return input.node;
    },
  };
  const failed = el("p", { class: "error", role: "alert", hidden: true });
  const submit = view.submit ? el("button", { type: "submit", class: "button primary", text: plain(view.submit) }) : null;
  const form = el("form", { novalidate: true, on: { submit: (event) => { event.preventDefault(); send(form, submit, failed); } } },
    el("header", { class: "modal-bar" },
      el("h2", { id: "modal-title", dir: "auto", text: plain(view.title) }),
      el("button", { type: "button", class: "icon", "aria-label": "Close", text: "✕", on: { click: close } })),
    el("div", { class: "modal-body" }, blocks(view.blocks ?? [], context), failed),
    el("footer", { class: "modal-foot" },
      el("button", { type: "button", class: "button", text: plain(view.close) || (submit ? "Cancel" : "Close"), on: { click: close } }), submit));
  open = { id, hash, inputs, failed };
  dialog.replaceChildren(form);
}

/** Fields that a browser can check itself: lengths, addresses, numbers. */
function wrong(input) {
  if (missing(input)) return "Please fill this in.";
  const control = input.node.querySelector("input, textarea, select");
  return control?.willValidate && !control.checkValidity() ? control.validationMessage : "";
}

async function send(form, button, failed) {
  if (!button || form.getAttribute("aria-busy") === "true") return;
  const { id, inputs } = open;
  const faults = inputs.map((input) => [input, wrong(input)]);
  faults.forEach(([input, message]) => input.error(message));
  const first = faults.find(([, message]) => message);
  if (first) return void first[0].focus();
  form.setAttribute("aria-busy", "true");
  button.disabled = true;
  showError(failed, "");
  try {
    const { answer } = await post("view/submit", { user: state.me, view_id: id, values: values(inputs) });
    if (answer?.response_action === "errors") refuse(inputs, answer.errors ?? {}, failed);
  } catch (error) {
    const block = error instanceof ApiError && /^missing_input: (.*)$/.exec(error.code)?.[1];
    if (block) refuse(inputs, { [block]: "Please fill this in." }, failed);
    else showError(failed, words(error));
  } finally {
    form.removeAttribute("aria-busy");
    button.disabled = false;
  }
}

function values(inputs) {
  const out = {};
  for (const input of inputs) (out[input.blockId] ??= {})[input.actionId] = sent(input, input.type);
  return out;
}

/** The app's errors, each at its field; those of no field below all. */
function refuse(inputs, errors, failed) {
  let first = null;
  for (const input of inputs) {
    input.error(errors[input.blockId] ?? "");
    if (errors[input.blockId]) first ??= input;
  }
  const others = Object.entries(errors).filter(([block]) => !inputs.some((input) => input.blockId === block));
  showError(failed, others.map(([, message]) => message).join(" "));
  first?.focus();
}

async function close() {
  const { id, failed } = open;
  if (!id) return;
  try {
    await post("view/close", { user: state.me, view_id: id });
  } catch (error) {
    if (error.code !== "view_not_found") return void showError(failed, words(error));
  }
  state.views = state.views.filter((view) => view.id !== id);
  drawModal();
}
