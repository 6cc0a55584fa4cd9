//! The executables, built by the test itself: the functions', packed for Lambda, and `alfred`.

use alfred_testkit::sam;
use cargo_metadata::{Message, TargetKind};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Logical id in the template, and the name of package and executable.
pub const FUNCTIONS: [(&str, &str); 5] = [
    ("SlackReceiver", "slack-receiver"),
    ("Classifier", "classifier"),
    ("UtilityWorker", "utility-worker"),
    ("TeamManager", "team-manager"),
    ("OauthCallback", "oauth-callback"),
];

/// The package of each function by logical id, made once a test process.
pub fn packages() -> &'static BTreeMap<&'static str, Vec<u8>> {
    static PACKAGES: OnceLock<BTreeMap<&str, Vec<u8>>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let package = |(id, name)| (id, sam::package(Path::new(&built()[name])));
        FUNCTIONS.into_iter().map(package).collect()
    })
}

/// The command line that reads a deployment.
pub fn alfred() -> &'static str {
    &built()["alfred"]
}

/// All executables by name, built once a test process: with the features that the tests have, or everything they need
/// would be built once more.
fn built() -> &'static BTreeMap<String, String> {
    static BUILT: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let aws = ["--features", "alfred-local/aws"];
        build(&[["--workspace", "--bins"], ["--test", "it"], aws].concat())
    })
}

/// Builds with the dev profile into the target folder the tests run from, whose
/// lock nobody holds while tests run.
fn build(arguments: &[&str]) -> BTreeMap<String, String> {
    let executable = std::env::current_exe().unwrap();
    let target = executable
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
        .expect("a test executable lies in Cargo's target folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--message-format=json-render-diagnostics"])
        .args(arguments)
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped());
    // What Cargo sets for a test would make build scripts run again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    let mut child = cargo.spawn().unwrap();
    let messages = BufReader::new(child.stdout.take().unwrap());
    let mut built = BTreeMap::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message.unwrap()
            && artifact.target.kind.contains(&TargetKind::Bin)
            && let Some(executable) = artifact.executable
        {
            built.insert(artifact.target.name, executable.into_string());
        }
    }
    assert!(child.wait().unwrap().success(), "{arguments:?} don't build");
    built
}
