use alfred_agent::RunState;
use alfred_agent::approval::decide::{Decision, Outcome, decide as decided};
use alfred_agent::approval::pending;
use alfred_agent::model::Verdict;
use alfred_core::ports::Write;
use alfred_core::{Taint, keys};
use serde_json::json;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::world;
use crate::in_memory::world::{results, team};

/// Older releases stored the words as an argument.
#[tokio::test]
async fn a_proposal_of_an_earlier_release_ends() {
    let mut world = world().await;
    let first = world.planned().await;
    let words = json!({"date": "2026-11-22", "feedback": "lunch at one"});
    let decision = Decision {
        team: team(),
        by: Some("U1".into()),
        approval: first.id.clone(),
        revision: 1,
        verdict: Verdict::Edit,
        arguments: Some(words),
        note: None,
        trigger: "t2".into(),
        opened_home: false,
        taint: Taint::default(),
    };
    let outcome = decided(&world.ports, &decision).await.unwrap();
    assert!(matches!(outcome, Outcome::Decided(_)), "{outcome:?}");
    world.drain().await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!((second.revision, &second.payload), (2, &first.payload));
    let said = world.answers().pop().unwrap();
    assert!(said.contains("from an older version of me"), "{said}");
    let found = pending::load(&*world.ports.store, &team(), &second.id).await;
    let (mut old, version) = found.unwrap().unwrap();
    old.payload["feedback"] = json!("lunch at one");
    let key = keys::approval(&team(), &old.id);
    let row = serde_json::to_value(&old).unwrap();
    world.write(vec![Write::replace(key, version, row)]).await;
    world.decide(&old, "approval_approve").await;
    let runs = world.runs().await;
    let run = runs.iter().find(|run| run.id == old.run).unwrap();
    let state = &run.state;
    assert!(matches!(state, RunState::Done { .. }), "{state:?}");
    let result = results(&world.steps(&run.id).await).pop().unwrap();
    assert_eq!(result["success"], false, "{result}");
}
