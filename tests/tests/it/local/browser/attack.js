async (c) => {
  const seen = [];
  const patience = () => new Promise((done) => setTimeout(() => done("nothing came"), 3000));
  /** Status and text of what came back; 0 is what may not be looked into, -1 what never came. */
  const attempt = async (what, run) => {
    try {
      const answer = await Promise.race([run(), patience()]);
      if (answer instanceof Response) seen.push([what, answer.status, await answer.text()]);
      else seen.push([what, answer === "in" ? 200 : 0, String(answer)]);
    } catch (error) {
      seen.push([what, -1, String(error)]);
    }
  };
  const loaded = (node, address) => new Promise((done) => {
    node.onload = () => done("loaded");
    node.onerror = () => done("failed");
    node.src = address;
  });
  const submit = (path, fields, enctype) => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.name = `frame${Math.random()}`;
    const form = document.createElement("form");
    Object.assign(form, { action: c.base + path, method: "POST", enctype, target: frame.name });
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name, value });
      form.append(input);
    }
    document.body.append(frame, form);
    frame.onload = () => done("sent");
    form.submit();
  });

  const written = JSON.stringify({ user: c.user, channel: c.channel, text: c.text });
  const clicked = JSON.stringify({ user: c.user, channel: c.channel, ...c.card });
  const asked = JSON.stringify({ user: "ana", request: c.text, id: "forged" });
  for (const token of c.tokens) {
    const query = new URLSearchParams({ token, user: c.user, channel: c.channel, text: c.text });
    await attempt("history", () => fetch(`${c.base}/api/conversations.history?${query}`));
    await attempt("messages", () => fetch(`${c.base}/client/messages?${query}`, { credentials: "include" }));
    await attempt("post by GET", () => fetch(`${c.base}/api/chat.postMessage?${query}`, { mode: "no-cors" }));
    await attempt("image", () => loaded(new Image(), `${c.base}/api/chat.postMessage?${query}`));
    await attempt("form", () => submit("/api/chat.postMessage", { token, channel: c.channel, text: c.text }, "application/x-www-form-urlencoded"));
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const json = (path, body) => fetch(c.base + path, { method: "POST", credentials: "include", headers, body });
    await attempt("preflighted post", () => json("/client/post", written));
    await attempt("preflighted click", () => json("/client/click", clicked));
    await attempt("preflighted ask", () => json("/local/ask", asked));
    await attempt("preflighted api", () => json("/api/chat.postMessage", JSON.stringify({ channel: c.channel, text: c.text })));
    await attempt("simple click by token", () => fetch(`${c.base}/client/click?${query}`, { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body: clicked }));
  }
  for (const path of ["/client/post", "/client/click"]) {
    const body = path === "/client/post" ? written : clicked;
    await attempt(`simple ${path}`, () => fetch(c.base + path, { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body }));
    // A form of plain text can say any JSON: its `=` goes into a string.
    await attempt(`form ${path}`, () => submit(path, { [`${body.slice(0, -1)},"x":"`]: '"}' }, "text/plain"));
  }
  for (const signature of c.event.signatures) {
    const headers = { "content-type": "application/json", "x-slack-signature": signature, "x-slack-request-timestamp": String(c.event.at) };
    await attempt("signed event", () => fetch(`${c.base}/slack/events`, { method: "POST", headers, body: c.event.body }));
  }
  for (const path of ["/", "/client/events", "/local/ask"]) {
    await attempt(`socket ${path}`, () => new Promise((done) => {
      const socket = new WebSocket(c.base.replace("http", "ws") + path);
      socket.onopen = () => done("in");
      socket.onerror = () => done("refused");
    }));
    await attempt(`stream ${path}`, () => new Promise((done) => {
      const source = new EventSource(c.base + path, { withCredentials: true });
      source.onopen = () => { source.close(); done("in"); };
      source.onerror = () => { source.close(); done("refused"); };
    }));
  }
  const frame = document.createElement("iframe");
  document.body.append(frame);
  await attempt("frame", () => loaded(frame, `${c.base}/`));
  await attempt("the page", () => fetch(`${c.base}/`, { credentials: "include" }));
  return seen;
}
