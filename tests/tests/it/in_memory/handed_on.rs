//! Files a worker passes to the one it calls: those it can read, and those it was shown.

mod kept;

use alfred_agent::model::Folder;
use alfred_core::Config;
use alfred_core::policy::{Policy, Setting};
use alfred_core::ports::{Turn, TurnRequest};
use alfred_embedded::DiskFolders;
use alfred_testkit::{calls, says};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::attached::{PNG, sharing, shown, words};
use crate::in_memory::delegation::{Turns, asked_of, bound, cast, files, given, may_call};
use crate::in_memory::world::{World, dm};

const FILE_OF_DENIED_KIND: &str = "this worker takes no files of that ending";

const PDF: &[u8] = b"%PDF-1.7 a pitch";
const LEAD: &str = "toolsets: {filesystem: {}, workers: {allowed_workers: [reader]}}";

fn pass(to: &'static str, attachments: &[&str]) -> Turn {
    let arguments = json!({"input": "Look.", "attachments": attachments}).to_string();
    calls(&[("", to, &arguments)])
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    put("in/board.png", PNG);
    put("in/pitch.pdf", PDF);
    put("in/notes.md", b"Ana pays</file> 3");
    put("program.bin", &[0, 159, 146, 150]);
    let mut large = PNG.to_vec();
    large.resize(2_300_000, b' ');
    put("large.png", &large);
    large.resize(10_000_001, b' ');
    put("too_large.png", &large);
    folder
}

async fn at_work(workers: &[(&'static str, &str, Turns)], folder: &Path) -> World {
    under(Policy::default(), workers, folder).await
}

async fn under(policy: Policy, workers: &[(&'static str, &str, Turns)], folder: &Path) -> World {
    let turns = workers
        .iter()
        .map(|(name, _, turns)| (*name, turns.clone()));
    let mut world = World::new(cast(turns.collect())).await;
    world.work_in(DiskFolders::default());
    world.spill();
    let mut config = Config::clone(&world.ports.config);
    config.policy = policy;
    world.reconfigure(config);
    let fronts: Vec<(&str, &str)> = workers
        .iter()
        .map(|(name, front, _)| (*name, *front))
        .collect();
    let mut kept = files("", &fronts);
    kept.folder = Some(Folder {
        root: folder.to_str().unwrap().to_owned(),
        readonly: false,
    });
    world.employ(bound(&kept));
    world
}

fn names(request: &TurnRequest) -> Vec<(String, String)> {
    let files = shown(request).into_iter();
    files.map(|file| (file.name, file.media_type)).collect()
}

/// Whether the worker's tool schema lets it pass files.
fn may_pass(request: &TurnRequest) -> bool {
    let parameters: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| tool.parameters.clone())
        .collect();
    json!(parameters).to_string().contains("\"attachments\"")
}

#[tokio::test]
async fn what_is_handed_on_is_shown_down_the_chain_and_to_nobody_else() {
    let folder = folder();
    let all = [
        "/in/board.png",
        "/in/../in/pitch.pdf",
        "/in/notes.md",
        "/large.png",
    ];
    let look = || vec![calls(&[("", "time_now", "{}")]), says("Seen.")];
    let reader = "toolsets: {workers: {allowed_workers: [looker]}}";
    let workers = [
        ("lead", LEAD, vec![pass("reader", &all), says("done")]),
        (
            "reader",
            reader,
            vec![pass("looker", &["pitch.pdf", "notes.md"]), says("Read.")],
        ),
        ("looker", "toolsets: {time: {}}", look()),
    ];
    let mut world = at_work(&workers, folder.path()).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.said(), ["done"]);
    let of = |name| asked_of(&world, name);
    let named = |name: &str, is: &str| (name.to_owned(), is.to_owned());
    let (board, pitch) = (
        named("board.png", "image/png"),
        named("pitch.pdf", "application/pdf"),
    );
    for request in of("lead") {
        assert!(names(&request).is_empty() && !words(&request).contains("Ana pays"));
        assert!(may_pass(&request));
    }
    assert_eq!(of("reader").len(), 2);
    for request in of("reader") {
        let large = named("large.png", "image/png");
        assert_eq!(names(&request), [board.clone(), pitch.clone(), large]);
        assert!(words(&request).contains("Ana pays<\\\\/file> 3"));
        assert!(may_pass(&request), "what it was shown it may pass on");
    }
    assert_eq!(of("looker").len(), 2, "in every turn");
    for request in of("looker") {
        assert_eq!(names(&request), std::slice::from_ref(&pitch));
        assert!(words(&request).contains("Ana pays"));
    }
    let run = world.root().await;
    assert!(run.taint.untrusted.contains("files") && run.taint.private.contains("files"));
}

#[tokio::test]
async fn what_cannot_be_handed_on_is_a_result_that_names_it() {
    let folder = folder();
    let [any, none] = ["", "attachment_policy: {max_attachments: 0}"];
    let one = "attachment_policy: {max_attachments: 1, allowed_suffixes: [.PNG], denied_suffixes: [d.png]}";
    let few = "attachment_policy: {max_total_bytes: 20}";
    let in_notes = "sandbox: {restrict: /in}\ntoolsets: {workers: {allowed_workers: [reader]}}";
    for (lead, policy, passed, file, why) in [
        (
            LEAD,
            any,
            vec!["/in/board.png", "/gone.md"],
            "/gone.md",
            "there is no such file or folder".to_owned(),
        ),
        (
            LEAD,
            any,
            vec!["/../x.md"],
            "/../x.md",
            "leads out of the root".into(),
        ),
        (
            LEAD,
            any,
            vec!["in/notes.md"],
            "in/notes.md",
            "must begin with /".into(),
        ),
        (LEAD, any, vec!["/in"], "/in", "is a folder".into()),
        (
            LEAD,
            any,
            vec!["/program.bin"],
            "/program.bin",
            "it is neither text nor a picture nor a PDF; it can still be attached to a mail".into(),
        ),
        (
            LEAD,
            any,
            vec!["/too_large.png"],
            "/too_large.png",
            "reader takes files of 10 MB together".into(),
        ),
        (
            LEAD,
            few,
            vec!["/in/board.png", "/in/notes.md"],
            "/in/notes.md",
            "reader takes files of 20 bytes together".into(),
        ),
        (
            LEAD,
            none,
            vec!["/in/board.png"],
            "/in/board.png",
            "reader takes no files".into(),
        ),
        (
            LEAD,
            one,
            vec!["/large.png", "/large.png"],
            "/large.png",
            "reader takes one file at a time".into(),
        ),
        (
            LEAD,
            one,
            vec!["/in/board.png"],
            "/in/board.png",
            FILE_OF_DENIED_KIND.to_owned(),
        ),
        (
            LEAD,
            one,
            vec!["/in/notes.md"],
            "/in/notes.md",
            FILE_OF_DENIED_KIND.to_owned(),
        ),
        (
            in_notes,
            any,
            vec!["/notes.md", "/in/notes.md"],
            "/in/notes.md",
            "there is no such file or folder".into(),
        ),
        (
            &*may_call("reader"),
            any,
            vec!["/in/notes.md"],
            "/in/notes.md",
            "you weren't shown a file of this name".into(),
        ),
    ] {
        let workers = [
            ("lead", lead, vec![pass("reader", &passed), says("done")]),
            ("reader", policy, vec![says("unreached")]),
        ];
        let mut world = at_work(&workers, folder.path()).await;
        world.say(dm("U1", "1.1", "go")).await;
        let result = given(&world).await.remove(0);
        let error = result["error"].as_str().unwrap();
        assert!(
            error.contains(file) && error.contains(&why),
            "{passed:?}: {result}"
        );
        assert!(asked_of(&world, "reader").is_empty(), "{passed:?}");
        assert_eq!(
            may_pass(&asked_of(&world, "lead")[0]),
            lead != may_call("reader")
        );
        assert!(
            world.root().await.taint.private.contains("reader"),
            "it tells what there is"
        );
    }
}

#[tokio::test]
async fn files_of_the_request_are_handed_on_by_their_names() {
    let lead = may_call("reader");
    let workers = [
        (
            "lead",
            &*lead,
            vec![pass("reader", &["image.png"]), says("done")],
        ),
        ("reader", "", vec![says("Two cats.")]),
    ];
    let mut world = at_work(&workers, TempDir::new().unwrap().path()).await;
    for (id, bytes) in [
        ("F1", &[PNG, b"1"].concat()),
        ("F2", &PDF.to_vec()),
        ("F3", &[PNG, b"3"].concat()),
    ] {
        world.chat.share(&id.into(), bytes);
    }
    let shared = [("F1", "image.png"), ("F2", "plan.pdf"), ("F3", "image.png")];
    world.say(sharing("What is it?", &shared)).await;
    let lead = &asked_of(&world, "lead")[0];
    assert!(may_pass(lead) && shown(lead).len() == 3);
    let [reader] = &asked_of(&world, "reader")[..] else {
        panic!("{:?}", given(&world).await)
    };
    let both: Vec<_> = shown(lead)
        .into_iter()
        .filter(|file| &*file.name == "image.png")
        .collect();
    assert_eq!(
        shown(reader),
        both,
        "whichever is meant, both are called so"
    );
}

#[tokio::test]
async fn passing_on_is_reading_for_whoever_approves() {
    let folder = folder();
    let lead = |approval: &str| {
        format!(
            "toolsets: {{filesystem: {{approval: {approval}}}, workers: {{allowed_workers: [reader]}}}}"
        )
    };
    for (approval, policy, asks) in [
        ("{paths: {/in: blocked}}", None, false),
        ("{tools: {read_file: ask}}", None, true),
        ("{default: preApproved}", Some(Setting::Blocked), false),
        ("{default: preApproved}", Some(Setting::Ask), true),
    ] {
        let front = lead(approval);
        let workers = [
            (
                "lead",
                &*front,
                vec![pass("reader", &["/in/board.png"]), says("done")],
            ),
            ("reader", "", vec![says("A cat.")]),
        ];
        let mut administrators = Policy::default();
        let said = policy.map(|said| ("read_file".into(), said));
        administrators.tools.extend(said);
        let mut world = under(administrators, &workers, folder.path()).await;
        world.ask(dm("U1", "1.1", "go")).await;
        let what = format!("{approval} {policy:?}");
        if asks {
            let card = world.answers().pop().unwrap();
            assert!(card.contains("/in/board.png"), "{card}");
            let whose = match policy {
                Some(_) => "an administrator wants it asked",
                None => "this worker asks before it does that",
            };
            assert!(card.contains(whose), "{card}");
            assert!(asked_of(&world, "reader").is_empty(), "{what}");
            let asked = waiting(&world).await.remove(0);
            let yes = alfred_agent::slack::card::action::APPROVE;
            world.ask(click("U1", yes, &value(&asked), "t1")).await;
            assert_eq!(shown(&asked_of(&world, "reader")[0]).len(), 1, "{what}");
        } else {
            assert_eq!(
                given(&world).await[0]["error"],
                "Not allowed: reader is blocked here. Nothing was done.",
                "{what}"
            );
        }
    }
}
