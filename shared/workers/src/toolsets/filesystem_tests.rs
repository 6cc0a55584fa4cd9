use super::*;
use alfred_agent::model::Snapshot;
use alfred_core::policy::Setting;
use alfred_testkit::cases;
use serde_json::json;

use crate::{Registry, program};

fn worker(front: &str) -> String {
    format!("---\nname: keeper\n{front}\n---\nKeep the files.")
}

fn bound(front: &str) -> Result<alfred_agent::Program, String> {
    let text = worker(front);
    let snapshot = Snapshot::of("files", [("keeper.worker", &*text)]);
    program(&snapshot, &Registry::of(&[])).map_err(|error| error.to_string())
}

#[test]
fn settings_are_strict_and_name_what_is_wrong() {
    cases::check(include_str!("filesystem_cases.txt"), |config| {
        match bound(&format!("toolsets: {{filesystem: {config}}}")) {
            Ok(made) => {
                let has = |name: &&str| made.own.tools.get(name).is_some();
                names().iter().filter(|name| has(name)).count().to_string()
            }
            Err(error) => error.replace("worker keeper: toolsets.filesystem: ", ""),
        }
    });
}

#[test]
fn the_deepest_path_then_the_tool_then_the_sandbox_then_the_default_decides() {
    let front = "sandbox: {approval: {write: preApproved, delete: blocked}}\n\
        toolsets: {filesystem: {approval: {default: ask, tools: {delete_file: ask, read_file: preApproved}, \
        paths: {/notes: preApproved, /notes/secret: blocked}}}}";
    let program = bound(front).unwrap();
    cases::check(include_str!("filesystem_setting_cases.txt"), |call| {
        let (tool, path) = call.split_once(' ').unwrap();
        let tool = program.own.tools.get(tool).unwrap();
        format!("{:?}", tool.setting(&json!({ "path": path })).unwrap())
    });
}

#[test]
fn what_guides_later_runs_is_always_asked_about() {
    use alfred_agent::tool::ApprovalDefault;
    let program = bound("toolsets: {filesystem: {}}").unwrap();
    let write = program.own.tools.get("write_file").unwrap();
    cases::check(include_str!("filesystem_guide_cases.txt"), |path| {
        let def = write.def_of(&json!({ "path": path }));
        let is_always = def.approval == ApprovalDefault::Always;
        assert_eq!(is_always, def.flow.steers, "{path}");
        is_always.to_string()
    });
}

#[test]
fn only_writes_to_a_folder_on_disk_store_an_intent_first() {
    let text = worker("toolsets: {filesystem: {}}");
    let mut snapshot = Snapshot::of("files", [("keeper.worker", &*text)]);
    for on_disk in [false, true] {
        snapshot.folder = on_disk.then(|| Folder {
            root: "/x".into(),
            readonly: false,
        });
        let made = program(&snapshot, &Registry::of(&[])).unwrap();
        let behind = |tool| made.own.tools.get(tool).unwrap().def().behind_intent;
        let said = ["write_file", "delete_file", "read_file"].map(behind);
        assert_eq!(said, [on_disk, on_disk, false]);
    }
}

#[test]
fn an_administrator_can_name_the_tools() {
    let mut policy = alfred_core::Policy::default();
    policy.tools.insert("write_file".into(), Setting::Blocked);
    assert!(crate::check_policy(&policy, &[]).is_ok());
    policy.tools.insert("write".into(), Setting::Blocked);
    assert!(crate::check_policy(&policy, &[]).is_err());
}
