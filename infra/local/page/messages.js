// Rows of a conversation: messages, days, what only one person sees, and what Alfred is doing.

import { post, words } from "./api.js";
import { avatar } from "./avatar.js";
import { blocks } from "./blocks.js";
import { stop } from "./composer.js";
import { attempt, el, sync } from "./dom.js";
import { more } from "./menu.js";
import { mrkdwn } from "./mrkdwn.js";
import { byTs, isReply, mayOpen, names, state, statusesOf } from "./state.js";

/** Messages of one person within this many seconds share a heading. */
const TOGETHER_SECONDS = 300;

const moment = (ts) => new Date(Number(ts) * 1000);
const clock = (date) => date.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
const dayKey = (date) => `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;

function dayName(date) {
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (dayKey(date) === dayKey(today)) return "Today";
  if (dayKey(date) === dayKey(yesterday)) return "Yesterday";
  const year = date.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString([], { weekday: "long", month: "long", day: "numeric", year });
}

/** Draws messages and this person's ephemeral ones; `open` opens a thread, null within one. */
export function drawMessages(container, messages, ephemerals, open) {
  const all = [...messages, ...ephemerals.map((one) => ({ ...one, user: state.botUser, only: true }))].sort(byTs);
  const items = [];
  let before = null;
  for (const message of all) {
    const at = moment(message.ts);
    if (!before || dayKey(moment(before.ts)) !== dayKey(at)) {
      items.push({ key: `day ${dayKey(at)}`, sig: dayName(at), build: () => dayLine(dayName(at)) });
      before = null;
    }
    const joined = before !== null && joins(before, message);
    const status = open && !message.only ? threadStatus(message) : null;
    const sig = JSON.stringify([message, joined, status, open !== null, state.users.get(message.user)?.name]);
    items.push({ key: message.ts, sig, build: () => row(message, joined, status, open) });
    before = message;
  }
  sync(container, items);
}

const dayLine = (name) => el("div", { class: "day", role: "listitem" }, el("span", { text: name }));

function joins(before, message) {
  if (before.only || message.only || before.reply_count > 0) return false;
  return before.user === message.user && Number(message.ts) - Number(before.ts) < TOGETHER_SECONDS;
}

/** In a channel, Alfred works in the thread of what it was asked. */
function threadStatus(message) {
  return statusesOf(message.channel).find((one) => one.thread === message.ts && underRoot(message))?.status ?? null;
}

const direct = (channel) => state.channels.find((one) => one.id === channel)?.kind === "im";
const underRoot = (root) => !direct(root.channel) || root.reply_count > 0;

function row(message, joined, status, open) {
  const at = moment(message.ts);
  const user = state.users.get(message.user);
  const full = at.toLocaleString([], { dateStyle: "full", timeStyle: "short" });
  const time = el("time", { datetime: at.toISOString(), title: full, text: clock(at) });
  const name = user?.name ?? message.user;
  const head = el("div", { class: joined ? "head unseen" : "head" },
    el("strong", { class: "name", dir: "auto", text: name }), user?.is_bot ? el("span", { class: "badge", text: "App" }) : null, time);
  const body = el("div", { class: "body" },
    message.only ? el("p", { class: "only", text: "Only visible to you" }) : null, head, content(message),
    message.edited_ts && !message.blocks?.length ? el("span", { class: "edited", text: "(edited)" }) : null,
    message.stream ? el("span", { class: "dots", "aria-hidden": true }, el("i"), el("i"), el("i")) : null, ...ways(message, status, open));
  const side = joined ? el("span", { class: "side-time", "aria-hidden": true, text: clock(at) }) : avatar(message.user);
  return el("div", { class: `message${joined ? " joined" : ""}${message.only ? " ephemeral" : ""}`, role: "listitem" }, side, body);
}

function content(message) {
  if (!message.blocks?.length) return mrkdwn(message.text, names, message.unlinked === true);
  const { channel, ts } = message;
  const act = (part, _, value) => mayOpen(() => post("click", { user: state.me, channel, ts, action_id: part.action_id, value }));
  return blocks(message.blocks, { names, act, place: `${channel}/${ts}` });
}

/** What leads on from a message: its thread, what Alfred does there, and the shortcuts. */
function ways(message, status, open) {
  if (message.only) return [];
  const error = el("p", { class: "error", role: "alert", hidden: true });
  const replies = open && !isReply(message) ? thread(message, open) : null;
  const foot = message.reply_count > 0 || status ? el("div", { class: "foot" }, replies) : null;
  if (status) foot.append(statusLine({ channel: message.channel, thread: message.ts, status }));
  const tools = el("div", { class: "tools" }, foot ? null : replies, message.stream ? null : more(message, error));
  return [foot, error, tools];
}

function thread(message, open) {
  const count = message.reply_count;
  const label = count > 0 ? `${count} ${count === 1 ? "reply" : "replies"}` : "Reply in thread";
  const last = count > 0 && message.latest_reply ? el("span", { class: "last", text: ` last at ${clock(moment(message.latest_reply))}` }) : null;
  return el("button", { type: "button", class: "replies", on: { click: () => open(message.ts) } }, label, last);
}

/** "Alfred is checking your calendar…", with the button that stops it. */
function statusLine({ channel, thread, status }) {
  const error = el("span", { class: "error", role: "alert", hidden: true });
  const press = async () => {
    const done = await attempt(button, error, () => stop(channel, thread), words);
    if (done === undefined) return;
    button.disabled = true;
    button.textContent = "Stopping…";
  };
  const button = el("button", { type: "button", class: "button stop", text: "Stop", on: { click: press } });
  const dots = el("span", { class: "dots", "aria-hidden": true }, el("i"), el("i"), el("i"));
  const line = el("span", { dir: "auto", text: `${names.user(state.botUser) ?? "Alfred"} ${status}` });
  return el("div", { class: "status" }, dots, line, button, error);
}

/** The statuses that belong below a list: of a direct message, or of the open thread. */
export function drawStatuses(container, channel, threadTs) {
  const roots = state.roots.get(channel);
  const below = statusesOf(channel).filter((one) => {
    if (threadTs) return one.thread === threadTs;
    const root = roots?.get(one.thread);
    return direct(channel) && (!root || !underRoot(root));
  });
  sync(container, below.map((one) => ({ key: one.thread, sig: one.status, build: () => statusLine(one) })));
}
