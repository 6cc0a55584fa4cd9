//! One decision of the approval gate: a call that may run, one that is asked,
//! one that is refused, and the digest that an approval binds.

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

use alfred_agent::model::{Call, Recipient, digest};
use alfred_agent::policy::{Facts, Requirement, require};
use alfred_agent::tool::{Effect, Flow, ToolDef, Toolset};
use alfred_core::policy::Setting;
use alfred_core::{Role, Taint, TeamId, UserId};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use std::hint::black_box;

const ANY: Toolset = Toolset::new("any", "", "", "", "");

/// What a run has read that was asked to answer mail from a list of tasks.
fn tainted() -> Taint {
    Taint {
        untrusted: ["mail_read".to_owned(), "web_search".to_owned()].into(),
        private: ["task_viewTasks".to_owned()].into(),
        ..Taint::default()
    }
}

fn facts<'a>(def: &'a ToolDef, taint: &'a Taint, recipients: &'a [Recipient]) -> Facts<'a> {
    Facts {
        recipients,
        ..Facts::of(def, Role::Member, taint)
    }
}

fn decisions(criterion: &mut Criterion) {
    let (nothing, tainted) = (Taint::default(), tainted());
    let read = ToolDef::new(ANY, "task_viewTasks", "");
    let send = ToolDef::new(ANY, "slack_sendMessage", "")
        .effect(Effect::Outward)
        .flow(Flow::NEUTRAL.leaving());
    let to = [Recipient {
        who: "U0BEN00001".into(),
        trusted: false,
    }];
    let free = facts(&read, &nothing, &[]);
    let outward = facts(&send, &nothing, &[]);
    // Every reason there is: outward, the rule of two, somebody unknown.
    let hardest = facts(&send, &tainted, &to);
    let mut blocked = facts(&send, &tainted, &to);
    blocked.configured[0] = Some(Setting::Blocked);
    assert_eq!(require(&free), Requirement::Skip);
    assert!(matches!(require(&hardest), Requirement::NeedsApproval(why) if why.len() == 3));
    assert!(matches!(require(&blocked), Requirement::Forbidden(_)));
    for (name, facts) in [
        ("gate: may run", &free),
        ("gate: asked, one reason", &outward),
        ("gate: asked, three reasons", &hardest),
        ("gate: refused", &blocked),
    ] {
        criterion.bench_function(name, |bencher| bencher.iter(|| require(black_box(facts))));
    }
}

fn digests(criterion: &mut Criterion) {
    let arguments = json!({"to": "U0BEN00001", "text": "Lunch at noon?".repeat(20)});
    let schema = json!({"type": "object", "properties": {"to": {"type": "string"}, "text": {"type": "string"}}});
    let (team, owner): (TeamId, UserId) = ("T0LOCAL001".into(), "U0ANA00001".into());
    let call = Call {
        team: &team,
        owner: &owner,
        tool: "slack_sendMessage",
        schema: &schema,
        policy: "default",
        arguments: &arguments,
    };
    criterion.bench_function("digest of a call with 280 characters", |bencher| {
        bencher.iter(|| digest(black_box(&call)).expect("JSON"));
    });
}

criterion_group!(benches, decisions, digests);
criterion_main!(benches);
