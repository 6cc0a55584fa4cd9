//! A question with buttons: pressing one counts like naming the option.

use alfred_core::Role;
use alfred_core::ports::{Message, Output, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use alfred_tests::seen;
use serde_json::{Value, json};

use crate::in_memory::approvals::waiting;
use crate::in_memory::delegation::{files, hand, may_call};
use crate::in_memory::plan_limits::system;
use crate::in_memory::world::{World, click, dm, turns_taken};

/// The id of the nth listed option in the press's turn, outside the owner's own words.
fn listed(asked: &TurnRequest, nth: usize) -> String {
    let mut said = asked.messages.iter().filter_map(|message| match message {
        Message::User { text } => text.split_once("<listed>"),
        _ => None,
    });
    let (_, list) = said.next().expect("what was listed");
    let parts = list.split('(').skip(1);
    let ids = parts.filter_map(|part| part.split_once(')'));
    ids.map(|(id, _)| id.to_owned()).nth(nth).unwrap()
}

/// Alfred's current messages with their buttons.
fn screen(world: &World) -> String {
    let posted = world.chat.posted();
    let shown = posted.iter().map(|kept| seen(&kept.text, &kept.blocks));
    shown.collect::<Vec<_>>().join("\n---\n")
}

fn buttons(world: &World) -> Vec<(String, String)> {
    let posted = world.chat.posted();
    let blocks = posted.iter().flat_map(|kept| &kept.blocks);
    let blocks = blocks.filter(|block| block["block_id"] == "option_choose");
    let buttons = blocks.flat_map(|block| block["elements"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let buttons = buttons.map(|button| (text(&button["action_id"]), text(&button["value"])));
    buttons.collect()
}

async fn press(world: &mut World, user: &str, (action, value): &(String, String)) {
    let trigger = world.next_trigger();
    world.ask(click(user, action, value, &trigger)).await;
}

/// A team's worker finds two Bens and its manager asks. The press's run gets the listed options.
fn by_a_team() -> ScriptedModel {
    const PLAN: &str = r#"{"teams":[{"team":"communications","task":"Tell Ben","after":[]}]}"#;
    let send = |to: &str| {
        let message = json!({"to": to, "text": "Lunch at noon"});
        calls(&[("c1", "slack_sendMessage", &message.to_string())])
    };
    ScriptedModel::answering(move |asked| {
        let first = turns_taken(asked) == 0;
        Ok(match &asked.output {
            Output::Json { name: "teams", .. } => says(PLAN),
            Output::Json { .. } => {
                let complex = matches!(&asked.messages[1], Message::User { text } if text.contains("\"request\":\"Tell"));
                says(&json!({ "result": complex }).to_string())
            }
            Output::Text if system(asked).starts_with("You are boss") && first => {
                hand("d1", "sender", "Tell Ben that lunch is at noon")
            }
            Output::Text if system(asked).starts_with("You are sender") && first => send("Ben"),
            Output::Text if !system(asked).contains("chief of staff") => {
                says("Which Ben do you mean?")
            }
            Output::Text if first => send(&listed(asked, 1)),
            Output::Text => says("Done."),
        })
    })
}

#[tokio::test]
async fn a_team_that_asks_which_one_is_meant_has_buttons_too() {
    let mut world = World::new(by_a_team()).await;
    for (id, name) in [("U2", "Ben Okafor"), ("U4", "Ben Roth")] {
        world.register(id, name, Role::Member).await;
    }
    let boss = ("boss", &*may_call("sender"));
    let team = files("", &[boss, ("sender", "toolsets: {slack: {}}")]);
    world.found([("communications".to_owned(), team)]);
    world.ask(dm("U1", "1.1", "Tell Ben: lunch at noon")).await;
    assert!(screen(&world).contains("[Ben Okafor (@ben.okafor)]\n[Ben Roth (@ben.roth)]"));
    let second = buttons(&world).remove(1);
    press(&mut world, "U1", &second).await;
    assert!(buttons(&world).is_empty());
    assert_eq!(waiting(&world).await.remove(0).payload["to"], "U4");
    let runs = world.runs().await;
    let mut presses = runs.iter().filter(|run| run.before.answers.is_some());
    let pressed = presses.next().unwrap();
    let team = runs.iter().find(|run| run.parent.is_some()).unwrap();
    assert!(!team.taint.untrusted.is_empty());
    assert!(team.taint.untrusted.is_subset(&pressed.taint.untrusted));
}
