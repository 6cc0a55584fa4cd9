//! Counts the outgoing calls of a simple request with one read tool.

use alfred_slack_local::Message;
use alfred_slack_local::seed::{ANA, ANA_DM};
use std::collections::BTreeMap;

use crate::lambdas::world::World;
use crate::lambdas::{logs, run};

#[test]
fn a_request_with_one_read_tool_stays_within_its_budget() {
    run(async {
        let world = &*World::exclusive().await;
        let first = world.say(ANA, ANA_DM, "What is on my list? [first]");
        world.answered(&first, "This is it [first].").await;
        world.quiet().await;
        let before = world.wire.calls().len();
        let asked = world.say(ANA, ANA_DM, "What is on my list? [body-9f31]");
        world.answered(&asked, "This is it [body-9f31].").await;
        world.quiet().await;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for call in &world.wire.calls()[before..] {
            *counts.entry(call.operation.clone()).or_default() += 1;
        }
        let of = |service: &str| -> usize {
            let own = counts.iter().filter(|(name, _)| name.starts_with(service));
            own.map(|(_, count)| count).sum()
        };
        println!("calls of a simple request: {counts:?}");
        assert!((1..=9).contains(&of("dynamodb.")), "{counts:?}");
        assert_eq!(of("amazonsqs."), 2, "{counts:?}");
        // Three statuses, and the live message: its start, what it shows, its end.
        assert!((1..=8).contains(&of("slack.")), "{counts:?}");
        assert_eq!(of("model."), 3, "{counts:?}");
        assert_eq!(of("secretsmanager.") + of("s3."), 0, "{counts:?}");
        assert_metrics_agree(world, &asked, &counts, of("dynamodb."));
        assert_nothing_leaks(world, &asked);
    });
}

/// The functions' metrics equal the proxy's counts.
fn assert_metrics_agree(
    world: &World,
    asked: &Message,
    counts: &BTreeMap<String, usize>,
    store_calls: usize,
) {
    let lines = logs::metrics(world, asked);
    let sum = |name: &str| -> f64 { lines.iter().filter_map(|line| line[name].as_f64()).sum() };
    let services: Vec<_> = lines.iter().map(|line| line["service"].clone()).collect();
    assert_eq!(lines.len(), 2, "{services:?}");
    #[allow(clippy::cast_precision_loss, reason = "a handful of calls")]
    let seen = (store_calls as f64, counts["model.turn"] as f64);
    assert_eq!((sum("store.calls"), sum("model.calls")), seen, "{lines:?}");
    let done = lines.iter().all(|line| line["outcome"] == "done");
    assert!(done, "{lines:?}");
    assert_eq!(sum("tokens.input"), 300.0);
}

/// One trace through all functions, and neither content nor secrets in the logs.
fn assert_nothing_leaks(world: &World, asked: &Message) {
    let services = logs::services_of(world, &world.trace(asked).0);
    assert_eq!(services, ["classifier", "slack-receiver", "utility-worker"]);
    logs::assert_silent(world, &["body-9f31", "on my list", "This is it"]);
}
