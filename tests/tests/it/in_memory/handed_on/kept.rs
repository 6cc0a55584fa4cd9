//! Passed files are kept: a run that waited or crashed shows the same bytes again.

use alfred_agent::{RunState, StepKind};
use alfred_testkit::STORE_FAULTS;

use super::*;

#[tokio::test]
async fn a_run_that_waited_shows_the_same_bytes_again() {
    let folder = folder();
    let reader = "toolsets: {task: {}}";
    let delete = calls(&[("c", "task_deleteTask", r#"{"taskId": "Call Ben"}"#)]);
    let create = calls(&[("t", "task_createTask", r#"{"title": "Call Ben"}"#)]);
    let workers = [
        (
            "lead",
            LEAD,
            vec![pass("reader", &["/in/notes.md"]), says("done")],
        ),
        ("reader", reader, vec![create, delete, says("Read.")]),
    ];
    let mut world = at_work(&workers, folder.path()).await;
    world.ask(dm("U1", "1.1", "go")).await;
    assert!(matches!(world.root().await.state, RunState::Asking { .. }));
    fs::write(folder.path().join("in/notes.md"), "Ben pays").unwrap();
    let asked = waiting(&world).await.remove(0);
    let yes = alfred_agent::slack::card::action::APPROVE;
    world.ask(click("U1", yes, &value(&asked), "t1")).await;
    let of_reader = asked_of(&world, "reader");
    assert!(of_reader.len() > 1);
    for request in of_reader {
        assert!(words(&request).contains("Ana pays") && !words(&request).contains("Ben pays"));
    }
}

#[tokio::test]
async fn a_fault_at_every_call_passes_a_file_on_once() {
    let begin = || async {
        let folder = folder();
        let workers = [
            (
                "lead",
                LEAD,
                vec![pass("reader", &["/in/board.png"]), says("done")],
            ),
            ("reader", "", vec![says("A cat.")]),
        ];
        (at_work(&workers, folder.path()).await, folder)
    };
    let (mut plain, _folder) = begin().await;
    plain.say(dm("U1", "1.1", "go")).await;
    for kind in ["store.get", "store.commit"] {
        for number in 1..=plain.faults.calls(kind) {
            for (when, error) in STORE_FAULTS {
                let (mut world, _folder) = begin().await;
                world.faults.fail_at(kind, number, when, error());
                world.say(dm("U1", "1.1", "go")).await;
                let what = format!("{kind} {number} {when:?}");
                assert_eq!(world.said(), ["done"], "{what}");
                let run = world.root().await;
                let steps = world.steps(&run.id).await;
                let opened = steps
                    .iter()
                    .filter(|step| matches!(step.did, StepKind::Attached { .. }));
                assert_eq!(
                    opened.map(|step| step.frame.depth()).collect::<Vec<_>>(),
                    [1],
                    "{what}"
                );
                for request in asked_of(&world, "reader") {
                    assert_eq!(shown(&request).len(), 1, "{what}");
                }
            }
        }
    }
}
