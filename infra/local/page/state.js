// What the page knows, and how it changes. Drawing looks here and nowhere else.

import { get, post } from "./api.js";

/** A status that nothing followed is looked at again after this long: one that the app set in words is gone then. */
const STATUS_LOOK_MS = 120_050;
/** A status is gone after this long at the latest. */
const STATUS_LIVES_SECONDS = 3_600;
/** Roots that are loaded at first. */
const FIRST_PAGE = 200;
/** How long after a click Alfred may open a dialog (docs.slack.dev/interactivity/handling-user-interaction). */
const TRIGGER_LIVES_MS = 3_000;

export const state = {
  team: { id: "", name: "" },
  botUser: "",
  users: new Map(),
  /** What one may say first: {title, message}. */
  prompts: [],
  /** What the app offers for a message: {name, callback_id}. */
  shortcuts: [],
  me: "",
  channels: [],
  channelId: "",
  threadTs: "",
  /** Channel → ts → root. */
  roots: new Map(),
  /** Channel → how many roots were asked for. */
  limits: new Map(),
  /** ts → message of the open thread, root included. */
  thread: new Map(),
  ephemerals: [],
  /** "channel/thread" → {channel, thread, status}. */
  statuses: new Map(),
  /** The dialogs that this window asked for, in the order in which they were opened. */
  views: [],
  /** "home" or "messages", in the conversation with Alfred. */
  tab: "messages",
  /** The published Home tab of this person. */
  home: null,
  unread: new Set(),
};

/** How things are called. */
export const names = {
  user: (id) => state.users.get(id)?.name,
  channel: (id) => state.channels.find((channel) => channel.id === id)?.name,
  isMe: (id) => id === state.me,
};

export const here = () => state.channels.find((channel) => channel.id === state.channelId);
export const isReply = (message) => Boolean(message.thread_ts && message.thread_ts !== message.ts);
export const byTs = (a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0);
const statusKey = (channel, thread) => `${channel}/${thread}`;

let redraw = () => {};
let scheduled = false;

/** `draw` shows the state. */
export function onChange(draw) {
  redraw = draw;
}

/** Draws once after everything that happens now. */
export function changed() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    redraw();
  });
}

export async function loadTeam() {
  const { team, bot_user: bot, users, prompts, shortcuts } = await get("team");
  Object.assign(state, { team, botUser: bot, prompts: prompts ?? [], shortcuts: shortcuts ?? [] });
  state.users = new Map(users.map((user) => [user.id, user]));
}

export const people = () => [...state.users.values()].filter((user) => !user.is_bot && !user.deleted);

/** Opens the direct message with Alfred, which tells the app, as in Slack. */
export async function openDirect(user) {
  return (await post("home", { user })).channel;
}

export async function loadPerson(user) {
  const [{ channels }, screen] = await Promise.all([get("channels", { user }), get("screen", { user })]);
  const views = screen.views.filter((view) => state.views.some((shown) => shown.id === view.id));
  Object.assign(state, { me: user, channels, views, ephemerals: screen.ephemerals, home: screen.home });
  state.roots.clear();
  state.statuses.clear();
  changed();
}

export const limitOf = (channel) => state.limits.get(channel) ?? FIRST_PAGE;

export async function loadChannel(channel, limit = limitOf(channel)) {
  const { messages } = await get("messages", { channel, limit });
  state.limits.set(channel, limit);
  state.roots.set(channel, new Map(messages.map((message) => [message.ts, message])));
  changed();
  await Promise.all(maybeWorking(messages).map((ts) => loadStatus(channel, ts)));
}

/** An ephemeral message may have replaced another, which no change tells. */
export async function loadEphemerals() {
  state.ephemerals = (await get("screen", { user: state.me })).ephemerals;
  changed();
}

/** The roots that may still have a status: recent ones. */
function maybeWorking(messages) {
  const since = Date.now() / 1000 - STATUS_LIVES_SECONDS;
  return messages.filter((one) => !one.bot_id && Number(one.latest_reply ?? one.ts) > since).map((one) => one.ts).slice(-8);
}

async function loadStatus(channel, ts) {
  const { status } = await get("thread", { channel, thread_ts: ts });
  setStatus(channel, ts, status ?? "");
}

export async function loadThread(channel, ts) {
  const { messages, status } = await get("thread", { channel, thread_ts: ts });
  if (state.channelId !== channel || state.threadTs !== ts) return;
  state.thread = new Map(messages.map((message) => [message.ts, message]));
  setStatus(channel, ts, status ?? "");
}

function setStatus(channel, thread, status) {
  const key = statusKey(channel, thread);
  if (status) {
    const shown = { channel, thread, status };
    state.statuses.set(key, shown);
    const look = () => loadStatus(channel, thread).catch(() => setStatus(channel, thread, ""));
    setTimeout(() => { if (state.statuses.get(key) === shown) look(); }, STATUS_LOOK_MS);
  } else {
    state.statuses.delete(key);
  }
  changed();
}

/** The statuses of a conversation that are still shown, oldest first. */
export function statusesOf(channel) {
  return [...state.statuses.values()].filter((one) => one.channel === channel).sort((a, b) => (a.thread < b.thread ? -1 : 1));
}

/** Applies one change of the event stream; true for a message that is new to this person. */
export function apply(change) {
  const fresh = change.kind === "posted" && known(change.message.channel) && put(change.message);
  switch (change.kind) {
    case "edited":
      put(change.message);
      break;
    case "deleted":
      state.roots.get(change.channel)?.delete(change.ts);
      state.thread.delete(change.ts);
      break;
    case "ephemeral":
      if (change.ephemeral.user === state.me && !state.ephemerals.some((one) => one.ts === change.ephemeral.ts)) {
        state.ephemerals.push(change.ephemeral);
      }
      break;
    case "status":
      setStatus(change.channel, change.thread_ts, change.status);
      break;
    case "view":
      if (change.view.user === state.me) putView(change.view);
      break;
    case "home":
      if (change.view.user === state.me) state.home = change.view;
      break;
    case "view_closed":
      state.views = state.views.filter((view) => view.id !== change.id);
      break;
    case "channel":
      if (change.channel.members.includes(state.me) && !known(change.channel.id)) state.channels.push(change.channel);
      break;
    default:
      break;
  }
  changed();
  return fresh;
}

const known = (id) => state.channels.some((channel) => channel.id === id);

function putView(view) {
  const at = state.views.findIndex((one) => one.id === view.id);
  if (at >= 0) state.views[at] = view;
  else if (asking > 0 || Date.now() < askedUntil) state.views.push(view);
}

/** What this window asked for and has no answer to, and until when the last answer may still open a dialog. */
let asking = 0;
let askedUntil = 0;

/** Sends what may open a dialog. Only this window shows that dialog; the person's other windows don't. */
export async function mayOpen(send) {
  asking += 1;
  try {
    return await send();
  } finally {
    asking -= 1;
    askedUntil = Date.now() + TRIGGER_LIVES_MS;
  }
}

/** A window that goes takes its dialogs with it, or they couldn't be opened again. */
addEventListener("pagehide", () => {
  for (const view of state.views) post("view/close", { user: state.me, view_id: view.id }, { keepalive: true }).catch(() => {});
});

/** Takes a message in; true when it wasn't known. */
export function put(message) {
  if (isReply(message)) return putReply(message);
  const roots = state.roots.get(message.channel);
  if (!roots) return true;
  const old = roots.get(message.ts);
  // Replies are only counted on reading: an event carries none.
  const counted = old && old.reply_count > message.reply_count ? { reply_count: old.reply_count, latest_reply: old.latest_reply } : {};
  const root = { ...message, ...counted };
  roots.set(root.ts, root);
  if (state.threadTs === root.ts && state.channelId === root.channel) state.thread.set(root.ts, root);
  return !old;
}

function putReply(message) {
  const root = state.roots.get(message.channel)?.get(message.thread_ts);
  const fresh = !root || !root.latest_reply || root.latest_reply < message.ts;
  if (root && fresh) {
    root.reply_count += 1;
    root.latest_reply = message.ts;
  }
  if (state.threadTs === message.thread_ts && state.channelId === message.channel) state.thread.set(message.ts, message);
  return fresh;
}
