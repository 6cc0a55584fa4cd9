//! Kills the worker while it asks, and every function while it serves the click. The message is sent once, its
//! owner is told once, and the audit is complete.

use alfred_agent::RunState;
use alfred_agent::model::Status;
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_tests::story;
use jiff::SignedDuration;
use std::sync::Arc;

use super::{
    Asked, SENT, approval, ask, asked, audit, click, open_card, replied, replies, request, shown,
    to_ana, to_ben,
};
use crate::lambdas::kills::{Cases, places, sampled, side_by_side, writes};
use crate::lambdas::wire::{Call, Moment, Point};
use crate::lambdas::world::World;
use crate::lambdas::{logs, run};

/// A lost effect's outcome is searched a minute after its start. Timers have a resolution of a second.
pub const UNSETTLED: SignedDuration = SignedDuration::from_secs(62);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Asking,
    Deciding,
}

#[derive(Clone, Debug)]
struct Case {
    phase: Phase,
    point: Point,
}

#[test]
fn an_approved_message_is_sent_once_whichever_function_is_killed_where() {
    run(async {
        let worlds = World::for_kills().await;
        let cases = cases(&worlds[0]).await;
        assert_named(&cases);
        let cases = Cases::new(sampled(cases, |case| &case.point));
        side_by_side(&worlds, |world, number| share(world, number, cases.clone())).await;
    });
}

/// Asks and approves once without faults, and returns a case per call.
async fn cases(world: &World) -> Vec<Case> {
    plain(world, "[warm]").await;
    let before = world.wire.calls().len();
    let asked = ask(world, "[plain]").await;
    let between = world.wire.calls().len();
    approve(world, &asked, "[plain]").await;
    let calls = world.wire.calls();
    let (asking, deciding) = calls[before..].split_at(between - before);
    let case = |phase| move |point| Case { phase, point };
    // `kills.rs` covers the calls before the worker. Of the worker's calls only writes count: a death at a read
    // leaves the same state as a death before the next write.
    let worker = |call: &Call| call.caller.function.ends_with("utility-worker");
    let asking = places(asking, |call| worker(call) && writes(&call.operation));
    let mut cases: Vec<Case> = asking.into_iter().map(case(Phase::Asking)).collect();
    let deciding = places(deciding, |call| !worker(call) || writes(&call.operation));
    cases.extend(deciding.into_iter().map(case(Phase::Deciding)));
    cases
}

/// Checks that the critical calls are among the cases.
fn assert_named(cases: &[Case]) {
    let has = |function: &str, operation: &str, moment| {
        let found = cases.iter().any(|case| {
            let point = &case.point;
            case.phase == Phase::Deciding
                && point.function.ends_with(function)
                && point.operation == operation
                && point.moment == moment
        });
        assert!(found, "no {function} {operation} {moment:?} in {cases:#?}");
    };
    let (before, after) = (Moment::BeforeEffect, Moment::AfterEffect);
    // The claim of the approval resumes its run; then the run is sent.
    has("classifier", "dynamodb.TransactWriteItems", after);
    has("classifier", "amazonsqs.SendMessage", before);
    has("classifier", "amazonsqs.SendMessage", after);
    // The message to Ben is the worker's first post.
    has("utility-worker", "slack.chat.postMessage", before);
    has("utility-worker", "slack.chat.postMessage", after);
    has("utility-worker", "dynamodb.TransactWriteItems", before);
    assert!(cases.len() >= 30, "{}", cases.len());
}

async fn plain(world: &World, mark: &str) {
    let asked = ask(world, mark).await;
    approve(world, &asked, mark).await;
}

async fn approve(world: &World, asked: &Asked, mark: &str) {
    says_yes(world, asked).await;
    replied(world, mark).await;
    assert_sent_once(world, asked, mark).await;
}

/// Runs cases one after the other, settles those with unknown outcomes, and checks for late effects.
async fn share(world: Arc<World>, number: usize, cases: Arc<Cases<Case>>) {
    let world = &*world;
    let mut done = Vec::new();
    let mut unsettled = Vec::new();
    plain(world, &format!("[v{number}]")).await;
    while let Some((at, case)) = cases.take() {
        let mark = format!("[a{at}]");
        println!("{mark} {case:?}");
        let asked = kill(world, &case, &mark).await;
        if replies(world, &mark).is_empty() {
            unsettled.push((asked, mark));
        } else {
            assert_sent_once(world, &asked, &mark).await;
            done.push((asked, mark));
        }
    }
    let count = unsettled.len();
    println!("deployment {number}: {count} wait to be settled");
    settle(world, &unsettled).await;
    for (asked, mark) in done.iter().chain(&unsettled) {
        assert_sent_once(world, asked, mark).await;
    }
    assert_eq!(world.dead(), [""; 0], "nothing is given up");
    logs::assert_silent(world, &["Tell Ben", "Lunch at noon", "This is it"]);
    let entries = audit::assert_whole(world).await;
    println!("deployment {number}: {entries} audit entries are whole");
}

async fn kill(world: &World, case: &Case, mark: &str) -> Asked {
    let killed = async |held| {
        let what = || format!("{case:?}: {:?}", to_ana(world, mark));
        let call: Call = Result::unwrap(world.within(what, held).await);
        call.caller.kill(world.wire.endpoint());
    };
    if case.phase == Phase::Asking {
        let held = world.wire.hold(case.point.clone());
        let message = world.say(ANA, ANA_DM, &request(mark));
        killed(held).await;
        let asked = asked(world, &message, mark).await;
        says_yes(world, &asked).await;
        return asked;
    }
    let asked = ask(world, mark).await;
    let held = world.wire.hold(case.point.clone());
    let (taken, ()) = tokio::join!(click(world, &asked.card, "approval_approve"), killed(held));
    world.quiet().await;
    if !taken && open_card(world, mark).is_some() {
        // Slack shows the error and doesn't retry; the person clicks again.
        says_yes(world, &asked).await;
    }
    asked
}

async fn says_yes(world: &World, asked: &Asked) {
    assert!(click(world, &asked.card, "approval_approve").await);
    world.quiet().await;
}

/// Skips the wait before outcomes are searched, and waits for the replies.
async fn settle(world: &World, unsettled: &[(Asked, String)]) {
    for (asked, mark) in unsettled {
        let steps = world.journal(&asked.run).await.steps;
        let story = story(&steps);
        assert!(story.ends_with("intent"), "{mark} waits for something else");
    }
    world.elapse(UNSETTLED).await;
    for (_, mark) in unsettled {
        replied(world, mark).await;
    }
}

/// Ben has the message once, Ana has one reply with its receipt, and nothing waits.
async fn assert_sent_once(world: &World, asked: &Asked, mark: &str) {
    let sent = to_ben(world, mark);
    assert_eq!(sent.len(), 1, "{mark}: {sent:#?}");
    assert!(shown(&sent[0]).contains(&format!("Lunch at noon {mark}?")));
    let replies = replies(world, mark);
    assert_eq!(replies.len(), 1, "{mark}: {replies:?}");
    let receipt = "Sent to Ben Okafor: ";
    assert!(replies[0].contains(receipt), "{mark}: {replies:?}");
    let now = approval(world, &asked.run).await;
    assert_eq!((now.status, now.revision), (Status::Approved, 1), "{mark}");
    assert_eq!(now.digest, asked.approval.digest, "{mark}");
    assert_eq!(open_card(world, mark), None, "{mark}");
    assert_eq!(to_ana(world, mark).len(), 2, "{mark}: a card and a reply");
    let loaded = world.journal(&asked.run).await;
    let story = story(&loaded.steps);
    let mut words: Vec<_> = story.split(' ').collect();
    // If the search doesn't find the message, its intent is recorded again.
    words.dedup_by(|a, b| a == b && *a == "intent");
    assert_eq!(words.join(" "), SENT, "{mark}");
    let state = &loaded.run.state;
    let done = matches!(state, RunState::Done { output } if output.success);
    assert!(done, "{mark}: {state:?}");
}
