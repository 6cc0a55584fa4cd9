//! Checks that dependencies point inward and that nothing unused is built.
use alfred_testkit::{LIMIT, wait};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::binaries::FUNCTIONS;

/// Only a main may depend on these, each behind a feature.
const OUTER: [&str; 2] = ["aws", "embedded"];

fn functions() -> [&'static str; 5] {
    FUNCTIONS.map(|(_, name)| name)
}

/// The allowed dependencies of each package, without the prefix `alfred-`.
fn allowed(package: &str) -> Vec<&'static str> {
    let names = match package {
        "planner" | "aws" | "embedded" | "testkit" | "mime" | "http" => "core",
        "accounts" | "web" => "core http mime",
        "slack" | "models" => "core http",
        "google" | "microsoft" => "core accounts mime",
        "smtp" => "core mime",
        "workspace" => "core mime smtp",
        "mail-servers" => "core accounts http mime smtp workspace",
        "slack-local" => "core loopback",
        "google-local" => "core loopback accounts google",
        "timeline" => "core planner",
        // A reply's pictures are drawn when it is posted.
        "agent" => "core timeline",
        "audit" | "schedule" | "workers" => "core agent",
        "teams" => "core agent workers",
        "operations" => "core agent audit schedule models slack http aws embedded",
        // Its features use all but the core; the receiver builds without them.
        "lambda-kit" => {
            "core agent schedule teams timeline accounts google http microsoft models mail-servers slack web"
        }
        "tools" => "core agent schedule planner timeline",
        // Depends on the tools and is only used on one machine.
        "demo-model" => "core agent planner tools",
        "oauth-callback" => "core agent accounts mail-servers aws lambda-kit",
        "slack-receiver" => "core slack aws lambda-kit",
        "classifier" | "utility-worker" | "team-manager" => {
            "core agent audit schedule teams planner tools workers aws lambda-kit"
        }
        "local" => {
            "core agent audit schedule teams planner timeline demo-model tools workers \
             accounts google microsoft models mail-servers slack web mime workspace \
             loopback slack-local google-local embedded aws operations \
             oauth-callback slack-receiver classifier utility-worker team-manager"
        }
        _ => "",
    };
    names.split(' ').collect()
}

fn workspace() -> Metadata {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let mut metadata = MetadataCommand::new();
    metadata.manifest_path(manifest).no_deps().exec().unwrap()
}

/// A package's workspace dependencies of this kind, and whether each is optional.
fn ours(package: &Package, kind: DependencyKind) -> BTreeMap<&str, bool> {
    let all = package.dependencies.iter();
    let own = all.filter(|dependency| dependency.kind == kind);
    let ours = own.filter_map(|one| Some((one.name.strip_prefix("alfred-")?, one.optional)));
    ours.collect()
}

fn built(package: &str, features: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args("tree --edges normal,build --prefix none --package".split(' '));
    tree.args([package, "--format", "{p} {f}"]).args(features);
    tree.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let output = wait::output(LIMIT, &mut tree);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        // Cargo's mark for repeated entries.
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

fn names(built: &BTreeSet<String>) -> BTreeSet<&str> {
    let names = built.iter().filter_map(|line| line.split(' ').next());
    names.collect()
}

#[test]
fn dependencies_point_inward() {
    let workspace = workspace();
    assert!(workspace.packages.len() >= 17);
    for package in &workspace.packages {
        let name = package.name.strip_prefix("alfred-");
        let name = name.expect("packages are called alfred-…");
        if name == "tests" {
            continue;
        }
        for dependency in ours(package, DependencyKind::Normal).keys() {
            let may = allowed(name).contains(dependency);
            assert!(may, "{name} must not depend on {dependency}");
        }
    }
}

#[test]
fn only_the_mains_of_functions_and_the_local_process_name_the_outer_side() {
    for package in &workspace().packages {
        let name = package.name.trim_start_matches("alfred-");
        for (dependency, optional) in ours(package, DependencyKind::Normal) {
            if OUTER.contains(&dependency) && name != "tests" {
                let local = ["local", "operations"].contains(&name);
                let may = local || functions().contains(&name);
                assert!(may, "{name} names {dependency}");
                let may = optional || (local && dependency == "embedded");
                assert!(may, "{name}: {dependency} isn't optional");
            }
            if name == "google-local" && ["accounts", "google"].contains(&dependency) {
                assert!(optional, "{name}: {dependency} is for tests alone");
            }
        }
        if functions().contains(&name) {
            let has_main = package.targets.iter().any(|target| target.is_bin());
            assert!(has_main, "{name}");
            for target in package.targets.iter().filter(|target| target.is_bin()) {
                assert_eq!(target.required_features, ["lambda"], "{name}");
                let main = std::fs::read_to_string(&target.src_path).unwrap();
                assert!(main.lines().count() <= 40, "{name}: a main only wires");
                // A Lambda holds other people's credentials.
                for own in ["with_modules_of_programs", "one_machine"] {
                    assert!(!main.contains(own), "{name}: {own}");
                }
            }
            let source = package.manifest_path.parent().unwrap().join("src");
            assert_lib_without_outer_side(source.as_std_path());
        }
    }
}

/// Only main.rs may name the SDK crates, or local builds would need them.
fn assert_lib_without_outer_side(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_lib_without_outer_side(&path);
        } else if path.file_name().unwrap() != "main.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            for outer in ["alfred_aws", "alfred_embedded", "lambda_runtime"] {
                assert!(!text.contains(outer), "{} names {outer}", path.display());
            }
        }
    }
}

#[test]
fn a_laptops_build_has_no_sdk_and_no_lambda() {
    let built = built("alfred-local", &[]);
    let names = names(&built);
    assert!(names.contains("alfred-embedded"), "{names:?}");
    for name in &names {
        let foreign = ["aws-", "aws_", "lambda_", "object_store"];
        let is_foreign = foreign.iter().any(|prefix| name.starts_with(prefix));
        assert!(!is_foreign, "{name}");
        assert_ne!(*name, "alfred-aws");
    }
}

#[test]
fn functions_build_neither_the_demo_model_nor_mcp_without_need() {
    for function in functions() {
        let built = built(&format!("alfred-{function}"), &[]);
        let names = names(&built);
        assert!(!names.contains("alfred-demo-model"), "{function}");
        let needs_mcp = function == "utility-worker";
        assert_eq!(names.contains("rmcp"), needs_mcp, "{function}");
        assert!(!names.contains("tokio-tungstenite"), "{function}");
    }
    let alfred = built("alfred-local", &[]);
    assert!(names(&alfred).contains("alfred-demo-model"));
}

#[test]
fn the_planner_the_timeline_and_the_core_do_no_io() {
    for package in ["alfred-planner", "alfred-timeline", "alfred-core"] {
        let built = built(package, &[]);
        for name in names(&built) {
            let mut io = "reqwest hyper rusqlite socket2 mio rustls axum".split(' ');
            assert!(!io.any(|one| one == name), "{package}: {name}");
        }
    }
}

#[test]
fn the_agent_draws_nothing() {
    let built = built("alfred-agent", &[]);
    assert!(!names(&built).contains("resvg"));
}

#[test]
fn the_receiver_builds_one_sdk() {
    let built = built("alfred-slack-receiver", &[]);
    // `aws-config` always depends on STS's; without the credential chain it isn't called.
    let is_ours = |name: &&str| name.starts_with("aws-sdk-") && *name != "aws-sdk-sts";
    let sdks = names(&built).into_iter().filter(is_ours);
    assert_eq!(sdks.collect::<Vec<_>>(), ["aws-sdk-sqs"]);
}

#[test]
fn there_is_one_tls_provider() {
    let mut with_tls = 0;
    let functions = functions().map(|function| format!("alfred-{function}"));
    for package in functions.into_iter().chain(["alfred-local".into()]) {
        let built = built(&package, &[]);
        for line in &built {
            let name = line.split(' ').next().unwrap();
            let is_other = name.starts_with("aws-lc") || ["openssl", "native-tls"].contains(&name);
            assert!(!is_other, "{package}: {line}");
            // The features are the last word; `{p}` may contain spaces.
            if name == "rustls" {
                let features = line.rsplit(' ').next().unwrap();
                let has_ring = features.split(',').any(|f| f == "ring");
                assert!(has_ring, "{package}: {line}");
                assert!(!features.contains("aws"), "{package}: {line}");
                with_tls += 1;
            }
        }
    }
    assert!(with_tls >= 2, "rustls wasn't looked at");
}
