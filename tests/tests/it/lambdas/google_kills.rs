//! Kills the worker at every Google call of a mail reply. The reply is sent once, and its owner is told once.

use alfred_core::ports::Clock;
use alfred_google_local::{Account, Running};
use alfred_slack_local::seed::{ANA, ANA_DM};
use std::cell::Cell;

use crate::lambdas::approvals::kills::UNSETTLED;
use crate::lambdas::approvals::{click, open_card, replied, replies, seen};
use crate::lambdas::kills::{places, sampled};
use crate::lambdas::run;
use crate::lambdas::two_people::{ANAS, BENS, connect, mail};
use crate::lambdas::wire::{Call, Point};
use crate::lambdas::world::World;

async fn ask(world: &World, google: &Running, mark: &str) -> alfred_slack_local::Message {
    let raw = mail(BENS, &format!("lunch {mark}"), "Where?");
    let now = world.clock.now();
    let arrive = |ana: &mut Account| ana.mailbox.deliver(raw.as_bytes(), &["INBOX"], now);
    google.google.with_account(ANAS, arrive).unwrap();
    world.say(ANA, ANA_DM, &format!("Answer the mail {mark}"));
    let card = seen(world, "a card", || open_card(world, mark)).await;
    world.quiet().await;
    card
}

/// The numbers of replies sent, and received by Ben.
fn sent(google: &Running, mark: &str) -> (usize, usize) {
    let with = |email: &str, label: &str| {
        let count = |account: &mut Account| {
            let mails = account.mailbox.with_label(label).into_iter();
            let ours = format!("At noon {mark}.");
            let ours = mails.filter(|(_, raw)| String::from_utf8_lossy(raw).contains(&ours));
            ours.count()
        };
        google.google.with_account(email, count).unwrap()
    };
    (with(ANAS, "SENT"), with(BENS, "INBOX"))
}

/// The Google calls of an approved reply, once the labels exist.
async fn points(world: &World, google: &Running) -> Vec<Point> {
    let mut before = 0;
    for mark in ["[g98]", "[g99]"] {
        let card = ask(world, google, mark).await;
        before = world.wire.calls().len();
        assert!(click(world, &card, "approval_approve").await);
        replied(world, mark).await;
        assert_eq!(sent(google, mark), (1, 1));
    }
    let calls = world.wire.calls().split_off(before);
    // Earlier reads are simply repeated by the next worker.
    let begun = Cell::new(false);
    places(&calls, |call: &Call| {
        begun.set(begun.get() || call.operation.ends_with("/drafts"));
        begun.get() && call.operation.starts_with("google.")
    })
}

#[test]
fn an_approved_answer_goes_out_once_whichever_call_of_google_the_worker_dies_at() {
    run(async {
        let both = World::with_google().await;
        let (world, google) = &*both;
        google.google.put_account(Account::new(ANAS, "Ana"));
        google.google.put_account(Account::new(BENS, "Ben"));
        let first = world.say(ANA, ANA_DM, "What is on my list? [hello]");
        world.answered(&first, "This is it [hello].").await;
        world.quiet().await;
        connect(world, google, (ANA, ANA_DM), ANAS).await;
        let points = points(world, google).await;
        assert!(points.len() >= 5, "{points:#?}");
        let mut marks = Vec::new();
        for (at, point) in (1..).zip(sampled(points, |point| point)) {
            let mark = format!("[g{at:02}]");
            println!("{mark} {point:?}");
            let card = ask(world, google, &mark).await;
            let held = world.wire.hold(point.clone());
            assert!(click(world, &card, "approval_approve").await);
            let call = world.within(|| format!("{point:?}"), held).await;
            call.unwrap().caller.kill(world.wire.endpoint());
            world.quiet().await;
            marks.push(mark);
        }
        world.elapse(UNSETTLED).await;
        for mark in &marks {
            replied(world, mark).await;
        }
        for mark in &marks {
            assert_eq!(sent(google, mark), (1, 1), "{mark}");
            let told = replies(world, mark);
            assert_eq!(told.len(), 1, "{mark}: {told:?}");
            assert!(told[0].contains("✓"), "{mark}: {told:?}");
        }
        assert_eq!(world.dead(), [""; 0], "nothing is given up");
    });
}
