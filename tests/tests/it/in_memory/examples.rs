//! The example programs of the worker system in `tests/programs`. The calculator is tested in `scripts`.

use alfred_agent::RunState;
use alfred_core::ports::{Turn, TurnRequest};
use alfred_embedded::DiskFolders;
use alfred_testkit::{calls, says};
use alfred_workers::{Below, Registry};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::attached::{PNG, shown, words};
use crate::in_memory::delegation::{Turns, asked_of, cast, given, hand};
use crate::in_memory::world::{World, dm, results};

struct Examples(TempDir);

impl Examples {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("programs"),
            folder.path(),
        );
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    async fn at_work(&self, program: &str, parts: Vec<(&'static str, Turns)>) -> World {
        let folder = self.path(program);
        let below = Below {
            folder: &folder,
            always: true,
            data: None,
        };
        let snapshot = alfred_workers::find(&folder, below).unwrap();
        let catalogue = alfred_tools::catalogue();
        let registry = Registry::of(&catalogue).with_modules_of_programs();
        let mut world = World::new(cast(parts)).await;
        world.work_in(DiskFolders::default());
        world.spill();
        world.employ(alfred_workers::program(&snapshot, &registry).unwrap());
        world.ask(dm("U1", "1.1", "go")).await;
        world
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = entry
            .map(|entry| (entry.path(), to.join(entry.file_name())))
            .unwrap();
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(fs::copy(path, to).unwrap()),
        }
    }
}

fn write(path: &str, content: &str) -> Turn {
    let arguments = json!({"path": path, "content": content}).to_string();
    calls(&[("", "write_file", &arguments)])
}

fn file(tool: &'static str, path: &str) -> Turn {
    calls(&[("", tool, &json!({ "path": path }).to_string())])
}

async fn approve(world: &mut World) {
    let asked = waiting(world).await.remove(0);
    let yes = alfred_agent::slack::card::action::APPROVE;
    let trigger = world.next_trigger();
    world.ask(click("U1", yes, &value(&asked), &trigger)).await;
}

fn names(request: &TurnRequest) -> Vec<String> {
    let files = shown(request).into_iter();
    files.map(|file| file.name).collect()
}

#[tokio::test]
async fn greeter_greets() {
    let turns = vec![("greeter", vec![says("Hello, Sam!")])];
    let world = Examples::new().at_work("greeter", turns).await;
    assert_eq!(world.said(), ["Hello, Sam!"]);
    assert!(asked_of(&world, "greeter")[0].tools.is_empty());
}

#[tokio::test]
async fn file_manager_executes_filesystem_tools_in_its_workspace() {
    let examples = Examples::new();
    examples.put("file_manager/workspace/a.md", b"old");
    let turns = vec![
        file("list_files", "/"),
        file("read_file", "a.md"),
        file("file_exists", "/main.worker"),
        write("/b.md", "new"),
        says("Done."),
    ];
    let mut world = examples
        .at_work("file_manager", vec![("file_manager", turns)])
        .await;
    assert!(
        !examples.path("file_manager/workspace/b.md").exists(),
        "it is asked about"
    );
    approve(&mut world).await;
    let given = given(&world).await;
    assert_eq!(
        given[0]["entries"],
        json!([{"name": "a.md", "kind": "file", "bytes": 3}])
    );
    assert_eq!(given[1]["code"], "INVALID_PATH", "relative: {given:?}");
    assert_eq!(
        given[2]["exists"], false,
        "its own file is outside of the workspace"
    );
    assert_eq!(
        fs::read(examples.path("file_manager/workspace/b.md")).unwrap(),
        b"new"
    );
}

#[tokio::test]
async fn note_taker_sees_its_notes_alone_and_asks_before_it_writes() {
    let examples = Examples::new();
    examples.put("note_taker/notes/activity.log", b"Monday: begun\n");
    let turns = vec![
        // The original instructions use this relative path.
        file("read_file", "notes/activity.log"),
        file("read_file", "/notes/activity.log"),
        file("read_file", "/activity.log"),
        write("/activity.log", "Monday: begun\nTuesday: done\n"),
        says("Noted."),
    ];
    let mut world = examples
        .at_work("note_taker", vec![("note_taker", turns)])
        .await;
    approve(&mut world).await;
    let given = given(&world).await;
    let codes = [&given[0]["code"], &given[1]["code"]];
    assert_eq!(codes, ["INVALID_PATH", "NOT_FOUND"], "{given:?}");
    assert_eq!(given[2]["content"], "Monday: begun\n");
    let log = fs::read_to_string(examples.path("note_taker/notes/activity.log")).unwrap();
    assert!(log.ends_with("Tuesday: done\n"), "{log}");
}

#[tokio::test]
async fn code_analyzer_writes_its_report_unasked_and_asks_before_it_deletes() {
    let examples = Examples::new();
    let turns = vec![
        write("/reports/analysis.md", "Small."),
        file("delete_file", "/reports/analysis.md"),
        says("Done."),
    ];
    let world = examples
        .at_work("code_analyzer", vec![("code_analyzer", turns)])
        .await;
    let report = examples.path("code_analyzer/reports/analysis.md");
    assert_eq!(fs::read_to_string(report).unwrap(), "Small.");
    assert!(matches!(world.root().await.state, RunState::Asking { .. }));
    let asked = waiting(&world).await;
    assert_eq!(asked.len(), 1);
    let card = world.answers().pop().unwrap();
    assert!(card.contains("Delete a file"), "{card}");
}

#[tokio::test]
async fn whiteboard_planner_passes_each_picture_on() {
    let examples = Examples::new();
    // Longer than any file that is read as text.
    let mut board = PNG.to_vec();
    board.resize(2_258_516, b' ');
    examples.put("whiteboard_planner/input/plan.png", &board);
    examples.put("whiteboard_planner/input/plan.txt", b"no picture");
    let look = |at: &[&str]| {
        let arguments = json!({"input": "Make a plan", "attachments": at}).to_string();
        calls(&[("", "whiteboard_analyzer", &arguments)])
    };
    let lead = vec![
        file("list_files", "/input"),
        look(&["/input/plan.png", "/input/plan.png"]),
        look(&["/input/plan.txt"]),
        look(&["/input/plan.png"]),
        file("delete_file", "/input/plan.png"),
        write("/plans/plan.md", "# Project"),
        says("1 picture."),
    ];
    let parts = vec![
        ("whiteboard_orchestrator", lead),
        ("whiteboard_analyzer", vec![says("# Project")]),
    ];
    let mut world = examples.at_work("whiteboard_planner", parts).await;
    let [analyzer] = &asked_of(&world, "whiteboard_analyzer")[..] else {
        panic!("{:?}", given(&world).await)
    };
    assert_eq!(names(analyzer), ["plan.png"]);
    let given = given(&world).await;
    let said = |at: usize| given[at]["error"].as_str().unwrap_or_default().to_owned();
    assert!(
        said(1).ends_with("whiteboard_analyzer takes one file at a time"),
        "{given:?}"
    );
    assert!(
        said(2).ends_with("this worker takes no files of that ending"),
        "{given:?}"
    );
    assert_eq!(given[3]["result"], "# Project");
    assert_eq!(
        said(4),
        "Not allowed: delete_file is blocked here. Nothing was done."
    );
    // Content derived from others' files is always asked about, even if pre-approved.
    approve(&mut world).await;
    let plan = fs::read_to_string(examples.path("whiteboard_planner/plans/plan.md"));
    assert_eq!(plan.unwrap(), "# Project");
}

#[tokio::test]
async fn pdf_analyzer_passes_each_pdf_on_with_instructions() {
    let examples = Examples::new();
    examples.put("pdf_analyzer/input/pitch.pdf", b"%PDF-1.7 a pitch");
    let arguments = json!({
        "input": "Analyze this document", "attachments": ["/input/pitch.pdf"],
        "instructions": "Focus on the market.",
    });
    let lead = vec![
        calls(&[("", "pdf_analyzer", &arguments.to_string())]),
        write("/output/acme/analysis.md", "**Type**: pitch"),
        says("1 PDF."),
    ];
    let parts = vec![
        ("pdf_orchestrator", lead),
        ("pdf_analyzer", vec![says("**Type**: pitch")]),
    ];
    let mut world = examples.at_work("pdf_analyzer", parts).await;
    let analyzer = &asked_of(&world, "pdf_analyzer")[0];
    let [pdf] = &shown(analyzer)[..] else {
        panic!("{:?}", given(&world).await)
    };
    assert_eq!(
        (&*pdf.name, &*pdf.media_type),
        ("pitch.pdf", "application/pdf")
    );
    assert!(words(analyzer).contains("Guidance: Focus on the market."));
    approve(&mut world).await;
    assert!(
        examples
            .path("pdf_analyzer/output/acme/analysis.md")
            .exists()
    );
}

#[tokio::test]
async fn orchestrator_calls_its_three_one_of_them_beside_it() {
    let lead = vec![
        hand("a", "greeter", "hi"),
        hand("b", "math", "20!"),
        hand("c", "general", "why?"),
        says("Hello! 2432902008176640000. Nobody knows."),
    ];
    let parts = vec![
        ("orchestrator", lead),
        ("greeter", vec![says("Hello!")]),
        (
            "math",
            vec![
                calls(&[("f", "calculateFactorial", r#"{"n": 20}"#)]),
                says("It is that."),
            ],
        ),
        ("general", vec![says("Nobody knows.")]),
    ];
    let world = Examples::new().at_work("orchestrator", parts).await;
    assert_eq!(world.said(), ["Hello! 2432902008176640000. Nobody knows."]);
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let inside: Vec<_> = steps
        .into_iter()
        .filter(|step| step.frame.depth() == 1)
        .collect();
    assert_eq!(results(&inside)[0]["result"], "2432902008176640000");
    let given: Vec<_> = given(&world)
        .await
        .iter()
        .map(|one| one["result"].clone())
        .collect();
    assert_eq!(given, ["Hello!", "It is that.", "Nobody knows."]);
    let greeter = &asked_of(&world, "orchestrator")[0];
    let takes: Vec<_> = greeter
        .tools
        .iter()
        .map(|tool| &tool.parameters["properties"])
        .collect();
    assert!(
        takes
            .iter()
            .all(|fields| fields.get("attachments").is_none()),
        "nothing to pass on"
    );
}
