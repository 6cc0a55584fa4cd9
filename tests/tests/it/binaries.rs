//! Builds the functions (packed for Lambda) and `alfred`.

use alfred_testkit::{sam, tools, wait};
use cargo_metadata::{Message, TargetKind};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A cold build takes three to five minutes on two cores.
const BUILT_WITHIN: Duration = Duration::from_secs(600);

/// Logical id in the template, and the name of package and executable.
pub const FUNCTIONS: [(&str, &str); 5] = [
    ("SlackReceiver", "slack-receiver"),
    ("Classifier", "classifier"),
    ("UtilityWorker", "utility-worker"),
    ("TeamManager", "team-manager"),
    ("OauthCallback", "oauth-callback"),
];

/// Packages by logical id, built once per test process.
pub fn packages() -> &'static BTreeMap<&'static str, Vec<u8>> {
    static PACKAGES: OnceLock<BTreeMap<&str, Vec<u8>>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let package = |(id, name)| (id, sam::package(Path::new(&built()[name])));
        FUNCTIONS.into_iter().map(package).collect()
    })
}

pub fn alfred() -> &'static str {
    &built()["alfred"]
}

type Executables = BTreeMap<String, String>;

/// Builds all executables once per test process, with the tests' features, which avoids a second build of the
/// dependencies. A failure is cached too, or each test would build again.
fn built() -> &'static Executables {
    static BUILT: OnceLock<Result<Executables, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let aws = ["--features", "alfred-local/aws"];
        build(&[["--workspace", "--bins"], ["--test", "it"], aws].concat())
    });
    built.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

/// Builds with this test's profile into its own target folder. Waits for the lock of a concurrent cargo.
fn build(arguments: &[&str]) -> Result<Executables, String> {
    let executable = std::env::current_exe().unwrap();
    let target = tools::target_dir();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--message-format=json-render-diagnostics"]);
    if executable.starts_with(target.join("release")) {
        cargo.arg("--release");
    }
    cargo.args(arguments).arg("--target-dir").arg(target);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    // These variables, which Cargo sets for a test, would make build scripts run again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    let output = wait::try_output(BUILT_WITHIN, &mut cargo)?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{arguments:?} don't build: {printed}"));
    }
    let mut built = BTreeMap::new();
    for message in Message::parse_stream(output.stdout.as_slice()) {
        if let Message::CompilerArtifact(artifact) = message.unwrap()
            && artifact.target.kind.contains(&TargetKind::Bin)
            && let Some(executable) = artifact.executable
        {
            built.insert(artifact.target.name, executable.into_string());
        }
    }
    Ok(built)
}
