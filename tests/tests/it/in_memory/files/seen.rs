//! Results of file reads, and their taint and audit entries.

use alfred_audit::read::chain;
use alfred_workers::Below;

use super::*;

#[tokio::test]
async fn what_is_there_is_listed_found_and_described() {
    let folder = folder();
    let deep = json!({"name": "deep", "kind": "folder"});
    for (tool, arguments, expected) in [
        (
            "list_files",
            json!({"path": "/notes"}),
            json!({"path": "/notes", "entries": [{"name": "a.md", "kind": "file", "bytes": 4}, deep]}),
        ),
        (
            "file_exists",
            json!({"path": "/notes/a.md"}),
            json!({"path": "/notes/a.md", "exists": true}),
        ),
        (
            "file_exists",
            json!({"path": "/gone"}),
            json!({"path": "/gone", "exists": false}),
        ),
        (
            "file_info",
            json!({"path": "/notes/a.md"}),
            json!({"path": "/notes/a.md", "kind": "file", "bytes": 4}),
        ),
    ] {
        let turns = vec![calls(&[("l", tool, &arguments.to_string())]), says("done")];
        let mut world = keeper(FREE, turns, Some(folder.path())).await;
        world.ask(dm("U1", "1.1", "look")).await;
        let mut given = given(&world).await.remove(0);
        let fields = given.as_object_mut().unwrap();
        assert_eq!(fields.remove("success"), Some(json!(true)), "{tool}");
        let told = fields.remove("modified").is_some();
        assert_eq!(told, tool == "file_info", "{tool}");
        assert_eq!(given, expected, "{tool}");
        let run = world.root().await;
        let entries = chain(&*world.store, &team(), &run.id).await.unwrap();
        let about = &entries[0].1["resource"];
        assert_eq!(*about, arguments["path"], "{entries:?}");
    }
}

#[tokio::test]
async fn a_programs_own_file_says_where_its_files_are_and_that_they_are_only_read() {
    for (readonly, error, there) in [(true, Some("READ_ONLY"), "old\n"), (false, None, "new\n")] {
        let folder = folder();
        let settings = format!("sandbox: {{root: notes, readonly: {readonly}}}");
        fs::write(folder.path().join("alfred.yaml"), settings).unwrap();
        let worker = format!("---\nname: main\n{FREE}\n---\nYou are main.");
        fs::write(folder.path().join("main.worker"), worker).unwrap();
        let below = Below {
            folder: folder.path(),
            always: true,
            data: None,
        };
        let found = alfred_workers::find(folder.path(), below).unwrap();
        let changes = calls(&[(
            "w",
            "write_file",
            r#"{"path": "/a.md", "content": "new\n"}"#,
        )]);
        let model = cast(vec![(
            "main",
            vec![changes, read("/deep/b.md"), says("done")],
        )]);
        let mut world = World::new(model).await;
        world.work_in(DiskFolders::default());
        world.employ(bound(&found));
        world.ask(dm("U1", "1.1", "go")).await;
        let given = given(&world).await;
        let [written, seen] = &*given else {
            panic!("two results")
        };
        assert_eq!(seen["content"], "deep\n");
        assert_eq!(written["code"].as_str(), error, "{written}");
        let left = fs::read_to_string(folder.path().join("notes/a.md")).unwrap();
        assert_eq!(left, there);
    }
}

#[tokio::test]
async fn what_nobody_could_look_through_is_not_asked_and_says_so() {
    let folder = folder();
    let turns = vec![write("/new.md", &"x".repeat(150_000)), says("done")];
    let ask = "toolsets: {filesystem: {}}";
    let mut world = keeper(ask, turns, Some(folder.path())).await;
    world.ask(dm("U1", "1.1", "write it")).await;
    assert!(waiting(&world).await.is_empty());
    let told = given(&world).await.remove(0);
    let error = told["error"].as_str().unwrap();
    assert!(
        error.contains("more than the person could look through"),
        "{error}"
    );
    assert!(!folder.path().join("new.md").exists());
}
