//! The page in a real browser: names, focus, pictures, forms, dark mode, phone size.
//!
//! `alfred_testkit::play` describes the files, `page/*.txt`. Each case has a process and a browser of its own, with
//! Ana's direct message open.
//!
//! - `types WORDS`, `presses KEY …` and `walks KEY …` use the keyboard; `walks` shows what has the focus after each key.
//! - `clicks WORDS`, `writes WORDS` and `sees WORDS` use the conversation; `goes to NAME` opens another one.
//! - `asks WORDS` is a request of Ana's from elsewhere, and `as owner PATH {…}` one of another program of her account.
//! - `shows SCRIPT` shows a value, and `until SCRIPT` waits for one.
//! - `everybody can use it` lists what axe-core finds, in light and in dark.
//! - `phone`, `dark`, `light` and `reloads` change the window. `elsewhere: COMMAND` is for a second window.
//!
//! `PAGE=focus` plays one file, and `INSTA_UPDATE=always` writes what is shown now, for review.

use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::{Chromium, Tab};
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::local::cli::Cli;
use crate::local::process::Serving;

const FOCUS: &str = "(one => one.id || one.innerText || one.ariaLabel)(document.activeElement)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_as_reviewed() {
    let wanted = std::env::var("PAGE").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/local/page");
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    assert!(!files.is_empty(), "no file is called {wanted}");
    for path in files {
        assert_played(path.to_str().unwrap(), async || Window(None)).await;
    }
}

/// Opened by its first command.
struct Window(Option<Desk>);

struct Desk {
    serving: Serving,
    browser: Arc<Chromium>,
    tab: Tab,
    other: Option<Tab>,
    _cli: Cli,
}

#[async_trait]
impl Interpreter for Window {
    async fn perform(&mut self, command: &str) -> String {
        // The browser's calls block, and the waits aren't `Send`.
        block_in_place(|| {
            let desk = self.0.get_or_insert_with(|| wait(Desk::new()));
            desk.performs(command)
        })
    }

    async fn end(&mut self) {
        if let Some(desk) = self.0.take() {
            block_in_place(|| wait(desk.serving.kill()));
        }
    }
}

fn wait<T>(waits: impl Future<Output = T>) -> T {
    Handle::current().block_on(waits)
}

impl Desk {
    async fn new() -> Self {
        let cli = Cli::new();
        let serving = cli.serve().await;
        let browser = Chromium::start();
        Self {
            tab: opened(&browser, &serving.link),
            browser,
            serving,
            other: None,
            _cli: cli,
        }
    }

    fn performs(&mut self, command: &str) -> String {
        if let Some(command) = command.strip_prefix("elsewhere: ") {
            let open = || opened(&self.browser, &self.serving.address);
            let other = self.other.get_or_insert_with(open).clone();
            return self.on(&other, command);
        }
        self.on(&self.tab, command)
    }

    fn on(&self, tab: &Tab, command: &str) -> String {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        match verb {
            "types" => tab.types(rest),
            "presses" => rest.split(' ').for_each(|key| press(tab, key)),
            "walks" => return rest.split(' ').map(|key| walked(tab, key)).collect(),
            "clicks" => tab.clicks(rest),
            "writes" => tab.writes(rest),
            "sees" => tab.shows(rest),
            "goes" => goes_to(tab, rest.strip_prefix("to ").unwrap()),
            "asks" => self.posts("/client/post", &json!({"user": ANA, "text": rest})),
            "as" => {
                let (path, body) = rest["owner ".len()..].split_once(' ').unwrap();
                self.posts(path, &serde_json::from_str(body).unwrap());
            }
            "shows" => return shown(&tab.eval(rest)),
            "until" => drop(tab.until(rest)),
            "everybody" => return violations(tab),
            "phone" => tab.resize(390, 844),
            "dark" | "light" => tab.darken(verb == "dark"),
            "reloads" => {
                tab.go(&self.serving.address);
                tab.until("!document.getElementById('app').hidden");
            }
            _ => panic!("no such command"),
        }
        String::new()
    }

    fn posts(&self, path: &str, body: &Value) {
        let answer = wait(self.serving.post(path, body));
        assert_eq!(answer.status(), 200);
    }
}

fn opened(browser: &Arc<Chromium>, address: &str) -> Tab {
    let tab = browser.open(address);
    tab.resize(1_280, 860);
    tab.until("document.querySelector('#prompts > div, #message-list > div') !== null");
    tab
}

fn press(tab: &Tab, key: &str) {
    match key.strip_prefix("Shift+") {
        Some(key) => tab.press_with_shift(key),
        None => tab.press(key),
    }
}

fn walked(tab: &Tab, key: &str) -> String {
    press(tab, key);
    shown(&tab.eval(FOCUS)) + "\n"
}

fn goes_to(tab: &Tab, name: &str) {
    tab.clicks(name);
    let header = "document.getElementById('channel-name').textContent";
    tab.until(&format!("{header}.endsWith({})", json!(name)));
    tab.until("document.querySelector('#prompts > div, #message-list > div') !== null");
}

fn violations(tab: &Tab) -> String {
    let mut found = Vec::new();
    for dark in [false, true] {
        tab.darken(dark);
        let lines = tab.violations().into_iter();
        found.extend(lines.map(|line| format!("dark {dark}: {line}")));
    }
    tab.darken(false);
    found.join("\n")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace("\n\n", "\n"),
        other => other.to_string(),
    }
}

/// The quoted names under this prefix.
fn named<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let quoted = text.split('"');
    quoted.filter_map(move |part| part.strip_prefix(prefix))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_files_of_the_page_are_served_and_name_nothing_elsewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/local/page");
    let index = std::fs::read_to_string(folder.join("index.html")).unwrap();
    let closed = std::fs::read_to_string(folder.join("closed.html")).unwrap();
    let pages = index + &closed;
    let mut wanted: Vec<String> = named(&pages, "/page/").map(str::to_owned).collect();
    assert!(wanted.iter().any(|name| name == "app.js"), "{wanted:?}");
    let desk = Desk::new().await;
    let mut seen = 0;
    while let Some(name) = wanted.get(seen).cloned() {
        // Fails for a file that isn't built in.
        let text = desk.serving.bytes(&format!("/page/{name}")).await;
        let text = String::from_utf8(text).unwrap();
        let new = named(&text, "./").filter(|new| !wanted.iter().any(|it| it == new));
        let new: Vec<String> = new.map(str::to_owned).collect();
        wanted.extend(new);
        let outside = "innerHTML outerHTML insertAdjacentHTML document.write @import url(";
        for outside in outside.split(' ') {
            assert!(!text.contains(outside), "{name}: {outside}");
        }
        seen += 1;
    }
    desk.serving.kill().await;
}
