//! What a deployment does when its secrets change, its data is damaged, its URL is flooded, or it has a neighbour.
//! Each test prints its numbers.

use alfred_agent::model::Session;
use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Body, Commit, SPILL_BYTES, SystemIds, Write};
use alfred_core::{SessionId, keys};
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::{Options, SlackLocal};
use futures_util::future::join_all;
use reqwest::{Client, StatusCode};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::binaries::packages;
use crate::lambdas::world::{World, function_url};
use crate::lambdas::{run, stack};

/// Requests without a signature, and how many of them at once.
const FLOOD: usize = 400;
const AT_ONCE: usize = 20;

fn calls(world: &World, from: usize, operation: &str) -> usize {
    let calls = world.wire.calls();
    let since = calls[from..].iter();
    since.filter(|call| call.operation == operation).count()
}

/// A deployment that has answered once, so that its functions run and hold what they read.
async fn warm() -> World {
    let world = World::start().await;
    ask(&world, "[first]").await;
    world
}

/// Asks Alfred something in Ana's direct message. Returns all its answers and the time to the last.
async fn ask(world: &World, mark: &str) -> (Vec<String>, Duration) {
    let started = Instant::now();
    let asked = world.say(ANA, ANA_DM, &format!("What is on my list? {mark}"));
    world.answered(&asked, &format!("This is it {mark}.")).await;
    let answered = started.elapsed();
    world.quiet().await;
    assert_eq!(world.dead(), [""; 0], "nothing is given up");
    (world.answers(&asked), answered)
}

#[test]
fn a_token_rotated_in_the_middle_of_a_run_is_read_again() {
    run(async {
        let world = &warm().await;
        let before = world.wire.calls().len();
        let rotated = async {
            let turn = async {
                let mut look = tokio::time::interval(Duration::from_millis(2));
                while calls(world, before, "model.turn") == 0 {
                    look.tick().await;
                }
            };
            world.within(|| "the run's first turn".into(), turn).await;
            let secret = json!({"SecretId": "alfred/SLACK_BOT_TOKEN", "SecretString": "xoxb-new"});
            let put = "secretsmanager.PutSecretValue";
            world.ministack.call(put, &secret);
            world.slack().rotate_token("xoxb-new");
        };
        let ((answers, answered), ()) = tokio::join!(ask(world, "[rotated]"), rotated);
        assert_eq!(answers, ["This is it [rotated]."]);
        let reads = calls(world, before, "secretsmanager.GetSecretValue");
        println!("rotated token: an answer after {answered:?}, {reads} reads of the secret");
        // The classifier and the worker hold it, and two calls of the worker may find it refused at once.
        assert!((1..=3).contains(&reads), "{reads} reads");
    });
}

#[test]
fn a_conversation_whose_body_is_lost_starts_afresh_and_says_so() {
    run(async {
        let world = &warm().await;
        lose_conversation(world).await;
        let before = world.wire.calls().len();
        let (answers, answered) = ask(world, "[lost]").await;
        let told = |one: &String| one.contains("I've lost what was said");
        assert!(answers.iter().any(told), "{answers:?}");
        let reads = calls(world, before, "s3.GET");
        println!("lost body: an answer after {answered:?}, {reads} reads of the bucket");
        assert!((1..=3).contains(&reads), "{reads} reads");
    });
}

/// Makes the row of Ana's direct message so long that its body is in the bucket, and deletes it there.
async fn lose_conversation(world: &World) {
    let id = SessionId::new(&world.team(), &ANA.into(), &ANA_DM.into(), None);
    let row = keys::session(&world.team(), &ANA.into(), &id);
    let stored = world.store.get(&row).await.unwrap().unwrap();
    let mut session: Session = serde_json::from_value(stored.body).unwrap();
    session.memory[0].answer = "x".repeat(SPILL_BYTES);
    let body = Body::new(&session).unwrap();
    let name = sha256_hex(body.as_str().as_bytes());
    let long = Write::replace(row.clone(), stored.version, body);
    let commit = Commit::new(&SystemIds, vec![long]);
    world.store.commit(&commit).await.unwrap();
    let bucket = &world.outputs["BlobsBucketName"];
    let scope = keys::blob_scope(&row.partition);
    let url = format!("{}/{bucket}/{scope}/{name}", world.ministack.endpoint());
    let deleted = http().delete(url).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    let lost = world.store.get(&row).await;
    assert!(lost.is_err(), "{lost:?}");
}

fn http() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

#[test]
fn a_flood_of_unsigned_requests_is_refused_while_people_are_answered() {
    run(async {
        let world = &warm().await;
        let before = world.wire.calls().len();
        let http = &http();
        let started = Instant::now();
        let visitor = async || {
            for _ in 0..FLOOD / AT_ONCE {
                let forged = http.post(&world.receiver).body("{}");
                let forged = forged.header("x-slack-signature", "v0=00");
                let forged = forged.header("x-slack-request-timestamp", "1");
                let status = forged.send().await.unwrap().status();
                assert_eq!(status, StatusCode::UNAUTHORIZED);
            }
            started.elapsed()
        };
        let flood = join_all((0..AT_ONCE).map(|_| visitor()));
        let (over, (answers, answered)) = tokio::join!(flood, ask(world, "[flood]"));
        let over = over.into_iter().max().unwrap();
        println!("flood: {FLOOD} refused in {over:?}, an answer after {answered:?}");
        assert_eq!(answers, ["This is it [flood]."]);
        let sent = world.wire.calls().split_off(before).into_iter();
        let sent = sent.filter(|call| call.caller.function == "alfred-slack-receiver");
        assert_eq!(sent.count(), 1, "only the person's message is sent on");
    });
}

#[test]
fn two_stages_in_one_account_answer_their_own_people() {
    run(async {
        let world = &warm().await;
        let (clock, ids) = (world.clock.clone(), Arc::new(SystemIds));
        let other = SlackLocal::open(Options::default(), clock, ids).unwrap();
        let other = other.listen().await.unwrap();
        let (url, seed) = (other.api_url(), other.slack.seed());
        let given = world.parameters.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
        let mut parameters: BTreeMap<_, _> = given.collect();
        parameters.extend([
            ("SlackApiUrl", url.as_str()),
            ("SlackBotToken", &seed.bot_token),
            ("SlackSigningSecret", &seed.signing_secret),
        ]);
        let outputs = stack::deploy(&world.ministack, "alfred-test", &parameters).await;
        let url = function_url(&world.ministack, &outputs["SlackRequestUrl"]);
        other.slack.set_request_url(url);
        let (before, started) = (world.wire.calls().len(), Instant::now());
        let text = "What is on my list? [there]";
        other.slack.post_as(ANA, ANA_DM, text, None).unwrap();
        let bots = || {
            let all = other.slack.messages(ANA_DM, 100).unwrap().into_iter();
            let own = all.filter(|message| message.bot_id.is_some());
            own.map(|message| message.text).collect::<Vec<_>>()
        };
        let slack = &other.slack;
        let is_there = || bots().iter().any(|text| text.starts_with("This"));
        let there = slack.until(|_| is_there().then(|| started.elapsed()));
        let there = world.within(|| "an answer of the second stage".into(), there);
        let (there, (answers, here)) = tokio::join!(there, ask(world, "[here]"));
        println!("two stages: answers after {here:?} and {there:?}");
        assert_eq!(answers, ["This is it [here]."]);
        assert_eq!(bots(), ["This is it [there]."]);
        let calls = world.wire.calls().split_off(before).into_iter();
        let functions: BTreeSet<String> = calls.map(|call| call.caller.function).collect();
        let expected = ["alfred", "alfred-test"].map(|stage| {
            ["classifier", "slack-receiver", "utility-worker"].map(|name| format!("{stage}-{name}"))
        });
        assert_eq!(functions, expected.into_iter().flatten().collect());
    });
}

#[test]
fn a_new_account_without_any_key_comes_up_and_says_what_is_missing() {
    run(async {
        // The build isn't part of the measured time.
        packages();
        let started = Instant::now();
        let none = [("ModelKey", ""), ("ModelUrl", ""), ("ModelContext", "")];
        let world = &World::with(&[&none[..], &[("Model", "openai:gpt-5.2")]].concat()).await;
        let up = started.elapsed();
        let asked = world.say(ANA, ANA_DM, "What is on my list?");
        world.answered(&asked, "I have no language model yet").await;
        let later = started.elapsed() - up;
        println!("new account: up after {up:?}, answered {later:?} later");
        world.quiet().await;
        assert_eq!(world.answers(&asked).len(), 1);
        assert_eq!(world.dead(), [""; 0]);
        assert_eq!(world.model.requests().len(), 0);
    });
}
