//! Tools that tests need, installed once under `target/tools`: from PyPI with any Python from 3.10 on, from npm
//! with the npm that there is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a virtual environment with exactly these packages and
/// versions, which name it.
///
/// # Panics
/// When there is no Python 3.10, or the packages can't be installed.
#[must_use]
pub fn python_with(pins: &[(&str, &str)]) -> PathBuf {
    let pinned: Vec<_> = pins
        .iter()
        .map(|(name, version)| format!("{name}=={version}"))
        .collect();
    installed(&pinned.join("+").replace("==", "-"), |partial| {
        run(Command::new(python()).args(["-m", "venv"]).arg(partial));
        run(Command::new(partial.join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(&pinned));
    })
}

/// The folder with this name under `target/tools`, filled once. Processes that come at once wait for the one
/// that fills it; half an installation is never used.
pub(crate) fn installed(name: &str, fill: impl FnOnce(&Path)) -> PathBuf {
    let tools = target_dir().join("tools");
    let home = tools.join(name);
    if home.is_dir() {
        return home;
    }
    fs::create_dir_all(&tools).unwrap();
    let lock = File::create(tools.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    if !home.is_dir() {
        let partial = tools.join(format!("{name}.partial"));
        if partial.exists() {
            fs::remove_dir_all(&partial).unwrap();
        }
        fill(&partial);
        fs::rename(&partial, &home).unwrap();
    }
    home
}

pub(crate) fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {said}");
}

pub(crate) fn python() -> &'static str {
    let fits = |name: &&str| {
        let check = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
        let checked = Command::new(name).args(["-c", check]).output();
        checked.is_ok_and(|output| output.status.success())
    };
    [
        "python3",
        "python",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3.10",
    ]
    .into_iter()
    .find(fits)
    .expect("tests on AWS's side need Python 3.10 or newer with venv in the path")
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
