// The box one writes in: messages, and commands that start with "/".

import { ApiError, post, words } from "./api.js";
import { COMMANDS, complete } from "./complete.js";
import { attempt, byId, el, showError } from "./dom.js";
import { toEnd } from "./scroll.js";
import { apply, here, mayOpen, state } from "./state.js";

const MOST_CHARACTERS = 40_000;
const draftKey = (place) => `alfred.draft.${state.me}.${place}`;

/** Builds one into `into`. `thread()` gives the thread it writes to, "" for none. */
export function composer(into, { id, label, thread }) {
  const error = el("p", { class: "error", role: "alert", id: `${id}-error`, hidden: true });
  const text = el("textarea", { id: `${id}-text`, rows: 1, dir: "auto", "aria-describedby": `${id}-error`, enterkeyhint: "send", spellcheck: "true" });
  const button = el("button", { type: "submit", class: "send", "aria-label": "Send", text: "➤" });
  const form = el("form", { class: "composer" }, text, button);
  byId(into).append(error, form, el("p", { class: "keys", text: "Enter sends, Shift + Enter starts a new line. Shift + Tab goes back to the messages and their buttons." }));
  complete(text, form, () => thread() !== "");
  let place = "";
  /** Not where that brings up a keyboard of the screen. */
  const focus = () => { if (!matchMedia("(pointer: coarse)").matches) text.focus(); };
  const fit = () => {
    text.style.height = "auto";
    text.style.height = `${Math.min(text.scrollHeight + 2, 240)}px`;
    button.disabled = text.value.trim() === "";
  };
  const submit = () => {
    if (text.value.trim() === "" || text.readOnly) return;
    const [sentFrom, written] = [place, text.value];
    text.readOnly = true;
    attempt(form, error, async () => {
      await send(written.trim(), thread());
      sessionStorage.removeItem(draftKey(sentFrom));
      if (place === sentFrom) text.value = "";
    }, words).finally(() => {
      text.readOnly = false;
      // From the button, which goes out with nothing to send.
      if (form.contains(document.activeElement)) focus();
      fit();
    });
  };
  text.addEventListener("input", () => {
    sessionStorage.setItem(draftKey(place), text.value);
    showError(error, "");
    fit();
  });
  text.addEventListener("keydown", (event) => {
    // An input method's Enter picks a word, it doesn't send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return {
    focus,
    /** Shows the draft of the conversation that is open now. */
    draw: () => {
      const name = label();
      text.placeholder = name;
      text.setAttribute("aria-label", name);
      const now = `${state.me}/${state.channelId}/${thread()}`;
      if (now === place) return;
      place = now;
      text.value = sessionStorage.getItem(draftKey(place)) ?? "";
      showError(error, "");
      fit();
    },
  };
}

/** Sends what was written, as a command or a message. */
export async function send(text, threadTs = "") {
  if ([...text].length > MOST_CHARACTERS) throw new ApiError("msg_too_long", 0);
  const channel = here().id;
  const found = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text);
  if (found) return command(`/${found[1]}`, found[2] ?? "", channel, threadTs);
  const body = { user: state.me, channel, text };
  if (threadTs) body.thread_ts = threadTs;
  const { message } = await post("post", body);
  apply({ kind: "posted", message });
  toEnd(threadTs ? "thread-messages" : "messages");
  return message;
}

async function command(name, text, channel, threadTs) {
  if (!COMMANDS.has(name)) {
    const known = [...COMMANDS.keys()].join(", ");
    throw new ApiError(`“${name}” isn't a command here. There is ${known}. To send it as a message, put something before the slash.`, 0);
  }
  if (threadTs) throw new ApiError(`Slack takes no commands in threads. Type ${name} in the conversation itself.`, 0);
  return mayOpen(() => post("command", { user: state.me, channel, command: name, text }));
}

/** Presses the stop button of a request. */
export function stop(channel, threadTs) {
  return post("stop", { user: state.me, channel, thread_ts: threadTs });
}
