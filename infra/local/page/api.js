// The routes under /client/, and their errors in words.

/** What the server put into the page: model, demo, data_folder, and program: how Alfred was started. */
export const info = JSON.parse(document.getElementById("page-info").textContent);

/** What lets this page in, beside a cookie: it came behind the `#` of a link, and stays in this browser. */
const key = takeKey();

function takeKey() {
  const given = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(given)) {
    localStorage.setItem("alfred.key", given);
    history.replaceState(null, "", "/");
  }
  return localStorage.getItem("alfred.key") ?? "";
}

const WORDS = {
  invalid_page_token: `This browser isn't let in any more. \`${info.program} page\` prints a new link.`,
  user_not_found: "This person isn't in the workspace.",
  channel_not_found: "This conversation doesn't exist, or this person isn't in it.",
  message_not_found: "This message isn't there any more.",
  shortcut_not_found: "Alfred doesn't have this shortcut any more.",
  action_not_found: "This message has changed: the button or choice isn't there any more.",
  view_not_found: "This dialog was closed already.",
  no_text: "There is nothing to send.",
  msg_too_long: "The message is over 40,000 characters. Send it in parts.",
  connection_failed: "Alfred isn't running, so nothing was done. Start it and try again.",
  http_timeout: "Alfred didn't answer within three seconds. It may have been done all the same.",
  http_error: "Alfred answered with an error. Its log says why.",
  unknown_error: "The connection to Alfred broke, or its answer made no sense. Its log says why.",
  "no request URL is set": "No app is connected to this workspace yet.",
};

export class ApiError extends Error {
  constructor(code, status) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/** What to tell a person. */
export function words(error) {
  if (!(error instanceof ApiError)) return "This page failed: " + error.message;
  const { code } = error;
  if (WORDS[code]) return WORDS[code];
  const [kind, ...rest] = code.split(": ");
  const detail = rest.join(": ");
  if (kind === "missing_input") return "Something that is needed is still empty.";
  if (kind === "invalid_app_answer") return `Alfred's answer isn't valid in Slack: ${detail}`;
  if (kind === "storage") return `The local Slack can't read or write its file: ${detail}`;
  return code;
}

async function ask(path, options) {
  try {
    return await fetch(path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers }, cache: "no-store" });
  } catch {
    throw new ApiError("This page can't reach Alfred. Is it still running?", 0);
  }
}

async function answer(response) {
  const text = await response.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(`The local Slack refused it (HTTP ${response.status}).`, response.status);
  }
  if (!response.ok || body.ok !== true) {
    throw new ApiError(body.error ?? `HTTP ${response.status}`, response.status);
  }
  return body;
}

const call = async (path, options) => answer(await ask(path, options));

export function get(path, query = {}) {
  const search = new URLSearchParams(query).toString();
  return call(`/client/${path}${search ? `?${search}` : ""}`, { method: "GET" });
}

export function post(path, body, options = {}) {
  return call(`/client/${path}`, {
    ...options,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Where a person's view of a file is. An image can't send the key: for this one address the cookie does. */
export function fileAddress(file, user) {
  return `/client/file?${new URLSearchParams({ user, file })}`;
}

/** Reads what happens until the connection ends. An event source would do, if it could send the key. */
export async function follow({ opened, changed, missed }) {
  const response = await ask("/client/events", {});
  if (!response.ok) return void await answer(response);
  opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      if (event.startsWith("data: ")) changed(JSON.parse(event.slice("data: ".length)));
      else if (event.startsWith("event: reload")) missed();
    }
  }
}
