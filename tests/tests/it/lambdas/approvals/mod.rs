//! A message to Ben, from the request over card and click to its delivery.

mod audit;
mod budget;
mod decisions;
pub mod kills;

use alfred_agent::approval::pending;
use alfred_agent::model::Approval;
use alfred_agent::{LoadedRun, Step};
use alfred_core::ports::Clock;
use alfred_core::{ApprovalId, RunId};
use alfred_slack_local::seed::{ANA, ANA_DM, BEN_DM};
use alfred_slack_local::{Message, signature};
use serde_json::{Value, json};

use crate::lambdas::world::World;

/// The steps of a request whose message was approved and sent.
const SENT: &str = "classified turn asked decided intent slack_sendMessage turn";

/// The model turns it into "Lunch at noon [MARK]?" to Ben.
pub fn request(mark: &str) -> String {
    format!("Tell Ben about lunch {mark}")
}

pub struct Asked {
    pub run: RunId,
    pub card: Message,
    pub approval: Approval,
}

pub async fn ask(world: &World, mark: &str) -> Asked {
    let message = world.say(ANA, ANA_DM, &request(mark));
    asked(world, &message, mark).await
}

/// Waits for the card of a request, and for the run to sleep.
pub async fn asked(world: &World, message: &Message, mark: &str) -> Asked {
    let card = seen(world, "a card", || open_card(world, mark)).await;
    world.quiet().await;
    let run = world.run_id(message).await.unwrap();
    let approval = approval(world, &run).await;
    Asked {
        run,
        card,
        approval,
    }
}

pub async fn seen<T>(world: &World, what: &str, look: impl Fn() -> Option<T>) -> T {
    let what = || format!("{what}: {:#?}", told(world));
    world.within(what, world.slack().until(|_| look())).await
}

fn told(world: &World) -> Vec<String> {
    let all = world.slack().messages(ANA_DM, 5).unwrap();
    all.iter().map(shown).collect()
}

pub async fn approval(world: &World, run: &RunId) -> Approval {
    let LoadedRun { steps, .. } = world.journal(run).await;
    let asked = steps.iter().rev().find_map(Step::asked);
    stored(world, &asked.expect("it was asked").approval).await
}

pub async fn stored(world: &World, id: &ApprovalId) -> Approval {
    let found = pending::load(&*world.store, &world.team(), id).await;
    found.unwrap().expect("is stored").0
}

pub fn to_ana(world: &World, mark: &str) -> Vec<Message> {
    marked(world, ANA_DM, mark)
}

pub fn to_ben(world: &World, mark: &str) -> Vec<Message> {
    marked(world, BEN_DM, mark)
}

fn marked(world: &World, channel: &str, mark: &str) -> Vec<Message> {
    let all = world.slack().messages(channel, 10_000).unwrap();
    let own = all.into_iter().filter(|message| message.bot_id.is_some());
    own.filter(|message| shown(message).contains(mark))
        .collect()
}

pub fn shown(message: &Message) -> String {
    format!("{}\n{}", message.text, Value::from(message.blocks.clone()))
}

pub fn open_card(world: &World, mark: &str) -> Option<Message> {
    let decides = |message: &Message| message.blocks.iter().any(|one| one["block_id"] == "decide");
    to_ana(world, mark).into_iter().find(decides)
}

/// The replies to a request, each with its ledger.
pub fn replies(world: &World, mark: &str) -> Vec<String> {
    let said = format!("This is it {mark}.");
    let own = to_ana(world, mark).into_iter();
    let replies = own.filter(|message| message.text == said);
    replies.map(|message| shown(&message)).collect()
}

pub async fn replied(world: &World, mark: &str) -> String {
    let reply = seen(world, "reply", || replies(world, mark).pop()).await;
    world.quiet().await;
    reply
}

/// Returns whether the receiver accepted Ana's click.
pub async fn click(world: &World, card: &Message, action: &str) -> bool {
    let clicked = world.slack().click(ANA, ANA_DM, &card.ts, action, None);
    clicked.await.is_ok()
}

/// A signed click on a button that isn't on this user's screen.
pub async fn press(world: &World, user: &str, channel: &str, action: &str, approval: &Approval) {
    let seed = world.slack().seed();
    let now = world.clock.now();
    let payload = json!({
        "type": "block_actions",
        "team": {"id": seed.team_id},
        "user": {"id": user, "team_id": seed.team_id},
        "trigger_id": format!("trg.{}.{user}", now.as_nanosecond()),
        "channel": {"id": channel},
        "container": {"type": "message", "channel_id": channel, "message_ts": "1.1"},
        "actions": [{"action_id": action, "type": "button", "value": approval.button_value()}],
    });
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let form = [("payload", payload.to_string())];
    let mut request = http.post(&world.receiver).form(&form).build().unwrap();
    let body = request.body().and_then(|body| body.as_bytes()).unwrap();
    let signed = signature(&seed.signing_secret, now.as_second(), body);
    let headers = request.headers_mut();
    headers.insert("x-slack-signature", signed.parse().unwrap());
    let stamp = now.as_second().to_string();
    headers.insert("x-slack-request-timestamp", stamp.parse().unwrap());
    let answer = http.execute(request).await.unwrap();
    assert_eq!(answer.status(), 200);
    world.quiet().await;
}

/// The last ephemeral message to this user.
pub fn whispered(world: &World, user: &str) -> Option<String> {
    let all = world.slack().ephemerals(user);
    all.last().map(|one| one.text.clone())
}
