// Starts the page: who one is, which conversation is open, and what arrives.

import { follow, info, words } from "./api.js";
import { arrive, onArrival, whileLoading } from "./arrive.js";
import { avatar } from "./avatar.js";
import { composer, send } from "./composer.js";
import { announce, attempt, byId, el, lock, showError, sync } from "./dom.js";
import { drawHome, isHome, openTab } from "./home.js";
import { drawMessages, drawStatuses } from "./messages.js";
import { drawModal } from "./modal.js";
import { spoken } from "./mrkdwn.js";
import { loadAccounts } from "./settings.js";
import { follow as followEnd, isAtEnd, toEnd } from "./scroll.js";
import {
  apply, changed, here, isReply, limitOf, loadChannel, loadEphemerals, loadPerson, loadTeam, loadThread, names,
  onChange, openDirect, people, state,
} from "./state.js";

const RETRY_MS = 2_000;
const remember = (name, value) => localStorage.setItem(`alfred.${name}`, value);
const recall = (name) => localStorage.getItem(`alfred.${name}`);

const box = composer("composer", { id: "composer", thread: () => "", label: () => `Message ${title(here())}` });
const threadBox = composer("thread-composer", { id: "thread-composer", thread: () => state.threadTs, label: () => "Reply…" });

function title(channel) {
  if (!channel) return "";
  return channel.kind === "im" ? names.user(state.botUser) : `#${channel.name}`;
}

// Opening things.

async function openPerson(user) {
  remember("person", user);
  closeThread();
  const dm = await openDirect(user);
  await whileLoading(() => loadPerson(user));
  state.unread.clear();
  await Promise.all([openChannel(dm.id), loadAccounts()]);
}

async function openChannel(id) {
  state.channelId = id;
  state.tab = "messages";
  state.unread.delete(id);
  closeThread();
  closeSidebar();
  changed();
  await whileLoading(() => loadChannel(id));
  toEnd("messages");
  box.focus();
}

async function openThread(ts) {
  state.threadTs = ts;
  const root = state.roots.get(state.channelId)?.get(ts);
  state.thread = new Map(root ? [[ts, root]] : []);
  byId("thread").hidden = false;
  changed();
  await whileLoading(() => loadThread(state.channelId, ts));
  toEnd("thread-messages");
  threadBox.focus();
}

function closeThread() {
  state.threadTs = "";
  state.thread = new Map();
  byId("thread").hidden = true;
  changed();
}

const closeSidebar = () => showSidebar(false);

function showSidebar(open) {
  byId("app").classList.toggle("menu-open", open);
  byId("shade").hidden = !open;
  byId("sidebar-open").setAttribute("aria-expanded", String(open));
  if (open) byId("sidebar-close").focus();
}

const problem = (error) => showError(byId("offline"), words(error));
const safely = (opening) => opening.then(() => showError(byId("offline"), "")).catch(problem);

// Drawing.

onChange(() => {
  const channel = here();
  if (!channel) return;
  drawSidebar();
  byId("channel-name").replaceChildren(channel.kind === "private" ? lock() : channel.kind === "im" ? "" : "# ", channel.name || title(channel));
  byId("channel-about").textContent = about(channel);
  document.title = `${title(channel)} · ${state.team.name}`;
  const roots = [...(state.roots.get(channel.id)?.values() ?? [])];
  const mine = state.ephemerals.filter((one) => one.channel === channel.id);
  drawOlder(channel.id, roots.length);
  drawMessages(byId("message-list"), roots, mine.filter((one) => !one.thread_ts), (ts) => safely(openThread(ts)));
  drawStatuses(byId("statuses"), channel.id, "");
  drawEmpty(channel, state.roots.has(channel.id) && roots.length === 0 && mine.length === 0);
  if (state.threadTs) {
    drawMessages(byId("thread-list"), [...state.thread.values()], mine.filter((one) => one.thread_ts === state.threadTs), null);
    drawStatuses(byId("thread-statuses"), channel.id, state.threadTs);
    byId("thread-about").textContent = title(channel);
    threadBox.draw();
  }
  box.draw();
  drawHome();
  drawModal();
  for (const id of ["messages", "thread-messages"]) if (isAtEnd(id)) toEnd(id);
}, problem);

/** The server gives the newest so many; more on request. */
function drawOlder(channel, count) {
  const button = byId("older");
  button.hidden = count < limitOf(channel);
  button.onclick = () => {
    button.hidden = true;
    const node = byId("messages");
    const fromEnd = node.scrollHeight - node.scrollTop;
    safely(whileLoading(() => loadChannel(channel, limitOf(channel) * 2)).then(() => { node.scrollTop = node.scrollHeight - fromEnd; }));
  };
}

function about(channel) {
  if (channel.kind === "im") return "App";
  const others = channel.members.length;
  const alfred = channel.members.includes(state.botUser) ? "" : `, without ${names.user(state.botUser)}`;
  return `${others} member${others === 1 ? "" : "s"}${alfred}`;
}

function drawSidebar() {
  const row = (channel) => ({
    key: channel.id,
    sig: JSON.stringify([channel.name, channel.id === state.channelId, state.unread.has(channel.id), state.me]),
    build: () => channelRow(channel),
  });
  sync(byId("channels"), state.channels.filter((one) => one.kind !== "im").map(row));
  sync(byId("directs"), state.channels.filter((one) => one.kind === "im").map(row));
  for (const radio of byId("people").querySelectorAll("input")) radio.checked = radio.value === state.me;
}

function channelRow(channel) {
  const unread = state.unread.has(channel.id);
  const mark = channel.kind === "im" ? avatar(state.botUser, "small") : el("span", { class: "mark", "aria-hidden": true }, channel.kind === "private" ? lock() : "#");
  const label = channel.kind === "im" ? title(channel) : channel.name;
  return el("li", {}, el("button", {
    type: "button",
    class: unread ? "channel unread" : "channel",
    "aria-current": channel.id === state.channelId ? "page" : undefined,
    on: { click: () => safely(openChannel(channel.id)) },
  }, mark, el("span", { dir: "auto", text: label }), unread ? el("span", { class: "unseen", text: "New messages" }) : null));
}

/** What one can do where nobody has written yet. */
function drawEmpty(channel, empty) {
  const [greeting, advice, prompts] = firstWords(channel);
  const build = () => {
    const error = el("p", { class: "error", role: "alert", hidden: true });
    const chip = (prompt) => {
      const pick = () => attempt(node, error, () => send(prompt.message), words).then(box.focus);
      const node = el("button", { type: "button", class: "chip", dir: "auto", text: prompt.title, on: { click: pick } });
      return node;
    };
    return el("div", {}, el("p", { class: "greeting", dir: "auto", text: greeting }),
      advice ? el("p", { class: "advice", dir: "auto", text: advice }) : null, el("div", { class: "chips" }, ...prompts.map(chip)), error);
  };
  byId("prompts").hidden = !empty;
  sync(byId("prompts"), empty ? [{ key: "prompts", sig: JSON.stringify([state.me, channel.id]), build }] : []);
}

/** A greeting, advice, and what can be said at a click. */
function firstWords(channel) {
  const bot = names.user(state.botUser);
  if (channel.kind === "im") return [`Hello ${names.user(state.me)?.split(" ")[0]}, what can I do for you?`, "", state.prompts];
  const example = `@${bot} what time is it in Tokyo?`;
  const nobody = `Nobody has written in #${channel.name} yet`;
  if (!channel.members.includes(state.botUser)) return [nobody, `${bot} isn't in this channel and doesn't read it. Ask in a direct message, or in a channel that has ${bot} in it.`, []];
  return [nobody, `Write @${bot} and what you want. The answer comes as a thread, for everybody here to read.`, [{ title: example, message: example }]];
}

function drawPeople() {
  const rows = people().map((user) => el("label", { class: "person" },
    el("input", { type: "radio", name: "person", value: user.id, class: "unseen", on: { change: () => safely(openPerson(user.id)) } }),
    avatar(user.id, "small"), el("span", { dir: "auto", text: user.name })));
  byId("people").append(...rows);
}

// What arrives.

onArrival((change) => {
  const fresh = apply(change);
  const message = change.message ?? change.ephemeral;
  // It answers a click or a command, so it comes into view.
  if (change.kind === "ephemeral" && message.user === state.me) {
    safely(loadEphemerals());
    if (message.channel === state.channelId) toEnd(message.thread_ts && message.thread_ts === state.threadTs ? "thread-messages" : "messages");
  }
  if (!message || (message.user === state.me && change.kind === "posted")) return;
  // Alfred says so when an account was connected or disconnected.
  if (message.text?.includes("connected")) safely(loadAccounts());
  const shown = message.channel === state.channelId && !isHome();
  if (fresh && shown && !isReply(message) && !isAtEnd("messages")) byId("newer").hidden = false;
  if (fresh && !shown) state.unread.add(message.channel);
  if (shown && (fresh || (change.kind === "ephemeral" && message.user === state.me))) {
    const who = change.kind === "posted" ? names.user(message.user) : names.user(state.botUser);
    announce(`${who}${isReply(message) ? ", in a thread" : ""}: ${spoken(message.text, names)}`);
  }
});

/** Loads everything anew: something may have been missed. */
function reload() {
  return whileLoading(async () => {
    await loadTeam();
    const [channel, thread] = [state.channelId, state.threadTs];
    await loadPerson(state.me);
    await loadChannel(channel);
    if (thread) await loadThread(channel, thread);
  });
}

/** Follows what happens for as long as the page is open. */
async function listen() {
  for (let broken = false; ; broken = true) {
    const opened = () => { if (broken) safely(reload()); };
    try {
      await follow({ opened, changed: arrive, missed: () => safely(reload()) });
    } catch (error) {
      if (error.status === 401) return problem(error);
    }
    showError(byId("offline"), "Alfred can't be reached. Trying again…");
    await new Promise((again) => setTimeout(again, RETRY_MS));
  }
}

// Starting.

function controls() {
  byId("thread-close").addEventListener("click", () => { closeThread(); box.focus(); });
  byId("sidebar-open").addEventListener("click", () => showSidebar(true));
  byId("sidebar-close").addEventListener("click", () => { closeSidebar(); byId("sidebar-open").focus(); });
  byId("shade").addEventListener("click", closeSidebar);
  byId("banner-close").addEventListener("click", () => {
    remember("banner", "gone");
    byId("banner").hidden = true;
    box.focus();
  });
  for (const tab of ["home", "messages"]) byId(`tab-${tab}`).addEventListener("click", () => {
    closeThread();
    safely(openTab(tab));
  });
  byId("newer").addEventListener("click", () => toEnd("messages"));
  followEnd("messages", (end) => { if (end) byId("newer").hidden = true; });
  followEnd("thread-messages");
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) && !isHome()) box.focus();
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (byId("app").classList.contains("menu-open")) closeSidebar();
    else if (state.threadTs) { closeThread(); box.focus(); }
  });
}

/** A letter that goes nowhere is meant for the box. */
function isTyping(event) {
  const letter = [...event.key].length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
  return letter && document.activeElement === document.body;
}

async function start() {
  byId("banner").hidden = !info.demo || recall("banner") === "gone";
  await loadTeam();
  byId("team-name").textContent = state.team.name;
  drawPeople();
  controls();
  listen();
  const last = people().find((user) => user.id === recall("person")) ?? people()[0];
  if (!last) throw new Error("nobody is in this workspace.");
  byId("loading").hidden = true;
  byId("app").hidden = false;
  await openPerson(last.id);
}

start().catch((error) => {
  byId("loading").hidden = false;
  byId("loading").textContent = words(error);
});
