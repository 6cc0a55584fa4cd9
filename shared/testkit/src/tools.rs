//! Tools that tests need, installed once under `target/tools`: from PyPI with any Python from 3.10 on, from npm
//! with the npm that there is.

use crate::wait::{self, LIMIT};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Packages come from a registry, and the largest has 60 MB.
const INSTALLED_WITHIN: Duration = Duration::from_secs(120);
/// How long a process waits for another one's installation, which has its own limit.
const OTHERS_WITHIN: Duration = Duration::from_secs(150);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// The folder of a virtual environment with exactly these packages and versions, which name it.
pub fn python_with(pins: &[(&str, &str)]) -> PathBuf {
    let pin = |(name, version): &(&str, &str)| format!("{name}=={version}");
    let pinned: Vec<String> = pins.iter().map(pin).collect();
    installed(&pinned.join("+").replace("==", "-"), |installation| {
        let into = installation.folder();
        installation.run(Command::new(python()).args(["-m", "venv"]).arg(into));
        let mut pip = Command::new(into.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet"]);
        installation.run(pip.arg("--disable-pip-version-check").args(&pinned));
    })
}

/// Fills a folder by commands, within a limit for all of them.
#[derive(Debug)]
pub struct Installation {
    folder: PathBuf,
    deadline: Instant,
}

impl Installation {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Downloads packages of PyPI, pinned as `name==version`, without what they depend on.
    pub fn download(&self, packages: &[&str]) {
        fs::create_dir_all(&self.folder).unwrap();
        let mut pip = Command::new(python());
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
        pip.args(["--disable-pip-version-check", "--dest"]);
        self.run(pip.arg(&self.folder).args(packages));
    }

    pub fn run(&self, command: &mut Command) {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let output = wait::output(left, command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?} failed: {said}");
    }
}

/// The folder with this name under `target/tools`, filled once. Processes that come at once wait for the one
/// that fills it; half an installation is never used. Within a process an installation that failed isn't tried again, or
/// each test would take the whole limit.
pub fn installed(name: &str, fill: impl FnOnce(&Installation)) -> PathBuf {
    static FAILURES: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let home = target_dir().join("tools").join(name);
    if home.is_dir() {
        return home;
    }
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = failures.get(name) {
        panic!("{failure}");
    }
    if let Err(cause) = catch_unwind(AssertUnwindSafe(|| install(&home, fill))) {
        failures.insert(name.to_owned(), wait::panic_message(&*cause).to_owned());
        resume_unwind(cause);
    }
    home
}

fn install(home: &Path, fill: impl FnOnce(&Installation)) {
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    let beside = |ending: &str| PathBuf::from(format!("{}.{ending}", home.display()));
    let _lock = locked(&beside("lock"), OTHERS_WITHIN);
    if home.is_dir() {
        return;
    }
    let partial = beside("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial).unwrap();
    }
    fill(&Installation {
        folder: partial.clone(),
        deadline: Instant::now() + INSTALLED_WITHIN,
    });
    fs::rename(partial, home).unwrap();
}

/// Locks a file and writes the id of this process into it. The lock ends with the returned file.
fn locked(path: &Path, limit: Duration) -> File {
    let mut options = File::options();
    let options = options.create(true).truncate(false).write(true);
    let mut file = options.open(path).unwrap();
    let deadline = Instant::now() + limit;
    while let Err(error) = file.try_lock() {
        assert!(matches!(error, TryLockError::WouldBlock), "{error}");
        if Instant::now() >= deadline {
            let owner = fs::read_to_string(path).unwrap_or_default();
            let what = format!("process {owner}, which has locked {}", path.display());
            panic!("{}", wait::too_late(limit, &what));
        }
        thread::sleep(BETWEEN_TRIES);
    }
    file.set_len(0).unwrap();
    write!(file, "{}", std::process::id()).unwrap();
    file
}

pub fn python() -> &'static str {
    let fits = |name: &&str| {
        let check = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
        let run = || wait::output(LIMIT, Command::new(name).args(["-c", check]));
        found && run().status.success()
    };
    let newest = ["python3.13", "python3.12", "python3.11", "python3.10"];
    let mut names = ["python3", "python"].into_iter().chain(newest);
    let found = names.find(fits);
    found.expect("tests on AWS's side need Python 3.10 or newer with venv in the path")
}

/// Cargo marks its target folder, wherever it is; a test executable lies in it.
pub fn target_dir() -> PathBuf {
    let executable = std::env::current_exe().unwrap();
    let marked = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    match executable.ancestors().find(marked) {
        Some(folder) => folder.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    #[should_panic(expected = r#"s for "sleep" "600""#)]
    fn installation_that_never_ends_fails_with_its_command() {
        let installation = Installation {
            folder: PathBuf::new(),
            deadline: Instant::now() + Duration::from_millis(50),
        };
        installation.run(Command::new("sleep").arg("600"));
    }

    #[test]
    fn installation_that_failed_is_not_tried_again() {
        let tries = AtomicUsize::new(0);
        for _ in 0..2 {
            let fill = |_: &Installation| {
                tries.fetch_add(1, Ordering::SeqCst);
                panic!("the registry is down")
            };
            let cause = catch_unwind(|| installed("nothing-1.0", fill)).unwrap_err();
            assert_eq!(wait::panic_message(&*cause), "the registry is down");
        }
        assert_eq!(tries.into_inner(), 1);
    }

    #[test]
    fn lock_that_another_process_keeps_fails_with_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let _held = locked(&path, LIMIT);
        let waited = catch_unwind(|| locked(&path, Duration::from_millis(50)));
        let message = format!("waited 0.05 s for process {}", std::process::id());
        assert!(wait::panic_message(&*waited.unwrap_err()).starts_with(&message));
    }
}
