//! Counts an approval's outgoing calls, and checks that the message is sent exactly as shown.

use alfred_agent::RunState;
use alfred_agent::model::Status;
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_tests::story;
use std::collections::BTreeMap;

use super::{SENT, ask, click, open_card, replied, replies, shown, stored, to_ben};
use crate::lambdas::wire::Call;
use crate::lambdas::world::World;
use crate::lambdas::{logs, run};

struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn of(calls: &[Call]) -> Self {
        let mut counts = BTreeMap::new();
        for call in calls {
            *counts.entry(call.operation.clone()).or_default() += 1;
        }
        Self(counts)
    }

    fn service(&self, name: &str) -> usize {
        let own = self.0.iter().filter(|(call, _)| call.starts_with(name));
        own.map(|(_, count)| count).sum()
    }

    /// The most calls to the store, the queue, Slack and the model. Any other call fails.
    fn assert_within(&self, phase: &str, most: [usize; 4]) {
        let services = ["dynamodb.", "amazonsqs.", "slack.", "model."];
        let used = services.map(|service| self.service(service));
        println!("calls of {phase}: {used:?} of {most:?}: {:?}", self.0);
        let (known, all): (usize, usize) = (used.iter().sum(), self.0.values().sum());
        assert_eq!(known, all, "{phase}");
        for ((used, most), service) in used.into_iter().zip(most).zip(services) {
            assert!(used <= most, "{phase}, {service}: {:?}", self.0);
        }
    }
}

#[test]
fn an_approved_message_is_sent_once_and_within_its_budget() {
    run(async {
        let world = &*World::exclusive().await;
        let first = ask(world, "[warm-up]").await;
        assert!(click(world, &first.card, "approval_approve").await);
        replied(world, "[warm-up]").await;

        let before = world.wire.calls().len();
        let asked = ask(world, "[body-4c17]").await;
        let between = world.wire.calls().len();
        let none = to_ben(world, "[body-4c17]").is_empty();
        assert!(none, "nothing before the yes");
        let loaded = world.journal(&asked.run).await;
        assert_eq!(loaded.run.state, RunState::Asking { shown: true });
        assert!(click(world, &asked.card, "approval_approve").await);
        let reply = replied(world, "[body-4c17]").await;
        let calls = world.wire.calls();
        Counts::of(&calls[before..between]).assert_within("asking", [14, 2, 5, 2]);
        Counts::of(&calls[between..]).assert_within("an approved message", [20, 2, 12, 1]);

        let sent = to_ben(world, "[body-4c17]");
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert!(shown(&sent[0]).contains("Lunch at noon [body-4c17]?"));
        assert!(reply.contains("Sent to Ben Okafor: "), "{reply}");
        assert_eq!(replies(world, "[body-4c17]").len(), 1);
        assert_eq!(open_card(world, "[body-4c17]"), None);
        let approval = stored(world, &asked.approval.id).await;
        assert_eq!(approval.status, Status::Approved);
        assert_eq!(approval.resolved_by, Some(ANA.into()));
        let done = world.journal(&asked.run).await;
        assert_eq!(story(&done.steps), SENT);
        let card = world.slack().message(ANA_DM, &asked.card.ts).unwrap();
        assert!(shown(&card).contains("✓"), "the card says it: {card:?}");
        logs::assert_silent(world, &["body-4c17", "Lunch at noon", "This is it"]);
    });
}
