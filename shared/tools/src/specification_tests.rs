//! The tools that the product specification requires: `specification.txt`.

use crate::testing::*;
use std::collections::BTreeSet;

fn lines() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("specification.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn tools() -> impl Iterator<Item = [&'static str; 4]> {
    let rows = lines().filter(|line| line.contains(" | "));
    rows.map(|line| {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        columns.try_into().unwrap()
    })
}

#[test]
fn the_36_tools_take_what_is_specified() {
    assert_eq!(tools().count(), 36);
    for [name, needed, optional, _] in tools() {
        let tool = crate::tool(name).unwrap_or_else(|| panic!("{name} is missing"));
        let schema = tool.schema();
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        assert_eq!(required, needed.split_whitespace().collect(), "{name}");
        for field in optional.split_whitespace() {
            let taken = schema["properties"][field].is_object();
            assert!(taken, "{name} takes no {field}");
        }
    }
}

async fn world(name: &str) -> ToolHarness {
    if name == "mail" {
        let (harness, mails) = inbox();
        for id in ["x0", "x1"] {
            let mail = arriving(id, "ben@x.example", "Can you send it?", "Can you?");
            mails.arrive(&harness.context.account(), mail);
        }
        return harness;
    }
    let harness = ToolHarness::at("2026-11-17T00:00:00Z").later("2026-11-20T07:00:00Z");
    harness.register("U1", |_| ()).await;
    if name == "own" {
        return harness.since_now();
    }
    for n in 17..20 {
        let day = format!("2026-11-{n}");
        harness.block(&day, "break 12:00-13:00 Lunch").await;
    }
    let mut own = event("e1", "Sync", "2026-11-23T10:00:00Z", "2026-11-23T11:00:00Z");
    own.own = true;
    harness.propose("apr_1", |_| ()).await;
    let kind = "workflow_schedule";
    harness.executed(kind, "run_1:c1", |_| ()).await;
    harness.events(vec![own]).since_now()
}

#[tokio::test]
async fn the_36_tools_give_what_is_specified() {
    let mut called = BTreeSet::new();
    let mut harness = world("own").await;
    for line in lines().filter(|line| !line.contains(" | ")) {
        let (name, arguments) = line.split_once(' ').unwrap();
        if name == "world" {
            harness = world(arguments).await;
            continue;
        }
        called.insert(name);
        let arguments = serde_json::from_str(arguments).unwrap();
        let data = harness.ok(name, arguments).await;
        let [.., fields] = tools().find(|tool| tool[0] == name).unwrap();
        for field in fields.split_whitespace() {
            let (path, kind) = field.split_once(':').unwrap();
            let there = data.pointer(&format!("/{path}"));
            let fits = there.is_some_and(|there| match kind {
                "s" => there.is_string(),
                "n" => there.is_number(),
                "b" => there.is_boolean(),
                "a" => there.is_array(),
                _ => there.is_object(),
            });
            assert!(fits, "{name}: {path} is no {kind}: {data:#}");
        }
    }
    assert_eq!(called, tools().map(|tool| tool[0]).collect());
}
