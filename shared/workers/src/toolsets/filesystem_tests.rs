use super::*;
use alfred_agent::model::Snapshot;
use alfred_core::policy::Setting;
use serde_json::json;

use crate::{Registry, cases, program};

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
    for (tool, path, expected) in [
        ("write_file", "/a.md", Setting::PreApproved),
        ("delete_file", "/a.md", Setting::Ask),
        ("read_file", "/a.md", Setting::PreApproved),
        ("file_info", "/a.md", Setting::Ask),
        ("list_files", "/", Setting::Ask),
        ("file_info", "/notes/a.md", Setting::PreApproved),
        ("file_info", "/notesbook", Setting::Ask),
        ("read_file", "/notes/secret", Setting::Blocked),
        ("read_file", "/notes/x/../secret/a.md", Setting::Blocked),
        ("write_file", "/notes/secret/a.md", Setting::Blocked),
    ] {
        let found = program.own.tools.get(tool).unwrap();
        let said = found.setting(&json!({ "path": path }));
        assert_eq!(said, Some(expected), "{tool} {path}");
    }
}

#[test]
fn what_guides_later_runs_is_always_asked_about() {
    use alfred_agent::tool::ApprovalDefault;
    let program = bound("toolsets: {filesystem: {}}").unwrap();
    let write = program.own.tools.get("write_file").unwrap();
    for (path, guides) in [
        ("/a.md", false),
        ("/skills/x/SKILL.md", true),
        ("/workers/a.worker", true),
        ("/workers/A.WORKER", true),
        ("/alfred.yaml", true),
        ("/.git/hooks/commit", true),
        ("no path", true),
    ] {
        let def = write.def_of(&json!({ "path": path }));
        assert_eq!(def.flow.steers, guides, "{path}");
        assert_eq!(def.approval == ApprovalDefault::Always, guides, "{path}");
    }
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
