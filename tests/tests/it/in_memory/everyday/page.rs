//! Ana's Slack page. Her requests pass the local Slack and reach the receiver as signed events.
//! Alfred answers through Slack's API.

use alfred_agent::store::users;
use alfred_core::User;
use alfred_core::ports::{Clock, SystemIds};
use alfred_slack::SlackClient;
use alfred_slack_local::{Channel, ChannelKind, Options, Person, Running, Seed, SlackLocal};
use alfred_slack_receiver::{RawRequest, Receiver, SigningSecrets};
use alfred_tests::{seen, team};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::in_memory::world::World;

const BOT: &str = "UBOT";
const LARGEST: usize = 1 << 20;

#[derive(PartialEq)]
pub struct Post {
    pub id: String,
    /// Outside Ana's direct message the channel comes first.
    pub text: String,
}

pub struct Page {
    slack: Running,
    http: reqwest::Client,
    url: String,
    server: JoinHandle<()>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Page {
    /// Inserts a local Slack between this world's people and Alfred.
    pub async fn before(world: &mut World, http: &reqwest::Client) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let people = users::list(&*world.store, &team()).await.unwrap();
        let people: Vec<User> = people.into_iter().map(|stored| stored.user).collect();
        let clock: Arc<dyn Clock> = Arc::new(world.clock.clone());
        let options = Options {
            seed: seed(&people),
            request_url: Some(format!("{url}/slack/events")),
            ..Options::default()
        };
        let secrets = SigningSecrets::new(&options.seed.signing_secret, None).unwrap();
        let token = options.seed.bot_token.clone();
        let slack = SlackLocal::open(options, clock.clone(), Arc::new(SystemIds)).unwrap();
        let slack = slack.listen().await.unwrap();
        let chat = Arc::new(SlackClient::new(
            &slack.api_url(),
            token.into(),
            clock.clone(),
        ));
        world.ports.chat = chat.clone();
        world.reconfigure((*world.ports.config).clone());
        let receiver = Receiver::new(world.queue.clone(), secrets, clock);
        let receiver = Arc::new(receiver.with_chat(move || chat.clone()));
        let router = Router::new()
            .route(
                "/slack/events",
                post(move |request| received(receiver, request)),
            )
            .merge(slack.slack.person_routes());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            slack,
            http: http.clone(),
            url,
            server,
        }
    }

    /// Ana writes to Alfred, and everything that follows runs.
    pub async fn says(&self, world: &mut World, text: &str) {
        let said = json!({"user": "U1", "text": text});
        let request = self
            .http
            .post(format!("{}/client/post", self.url))
            .json(&said);
        assert_eq!(request.send().await.unwrap().status(), 200);
        let delivered =
            |slack: &SlackLocal| slack.pending_deliveries().unwrap().is_empty().then_some(());
        self.slack.slack.until(delivered).await;
        world.drain().await;
        assert!(world.dead.is_empty(), "{:?}", world.dead);
    }

    pub async fn posts(&self) -> Vec<Post> {
        let mut posts = Vec::new();
        for channel in &self.slack.slack.seed().channels {
            let place = match channel.id.as_str() {
                "DU1" => String::new(),
                other => format!("(in {other}) "),
            };
            for message in self.messages(&channel.id).await {
                let blocks = message["blocks"].as_array().map_or(&[][..], Vec::as_slice);
                let shown = seen(message["text"].as_str().unwrap(), blocks);
                let ts = message["ts"].as_str().unwrap();
                posts.push(Post {
                    id: format!("{} {ts}", channel.id),
                    text: format!("{place}{shown}"),
                });
            }
        }
        posts
    }

    async fn messages(&self, channel: &str) -> Vec<Value> {
        let mut all = Vec::new();
        for root in self.get(&format!("messages?channel={channel}")).await {
            match root["reply_count"].as_u64() {
                Some(1..) => {
                    let ts = root["ts"].as_str().unwrap();
                    all.extend(
                        self.get(&format!("thread?channel={channel}&thread_ts={ts}"))
                            .await,
                    );
                }
                _ => all.push(root),
            }
        }
        all.retain(|message| message["bot_id"].is_string());
        all
    }

    async fn get(&self, what: &str) -> Vec<Value> {
        let found = self.http.get(format!("{}/client/{what}", self.url)).send();
        let found: Value = found.await.unwrap().json().await.unwrap();
        found["messages"].as_array().unwrap().clone()
    }
}

async fn received(receiver: Arc<Receiver>, request: Request) -> (StatusCode, String) {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, LARGEST).await.unwrap();
    let headers = parts.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    let reply = receiver.handle(RawRequest::new(headers, body)).await;
    (StatusCode::from_u16(reply.status).unwrap(), reply.body)
}

/// All people, each with a direct message with Alfred, and two channels.
fn seed(people: &[User]) -> Seed {
    let person = |user: &User| Person {
        id: user.slack_user_id.to_string(),
        username: user.slack_username.clone(),
        name: user.name.clone(),
        email: user.email.clone(),
        tz: user.timezone.clone(),
        is_bot: false,
        deleted: false,
    };
    let mut all: Vec<Person> = people.iter().map(person).collect();
    let channel = |id: String, name: &str, kind, members: Vec<String>| Channel {
        id,
        name: name.into(),
        kind,
        members,
        created: 0,
    };
    let direct = |one: &Person| {
        let members = vec![one.id.clone(), BOT.into()];
        channel(format!("D{}", one.id), "", ChannelKind::Im, members)
    };
    let mut channels: Vec<Channel> = all.iter().map(direct).collect();
    for (n, name) in ["general", "sales"].into_iter().enumerate() {
        let members = vec!["U1".into(), BOT.into()];
        channels.push(channel(format!("C{n}"), name, ChannelKind::Public, members));
    }
    all.push(Person {
        id: BOT.into(),
        username: "alfred".into(),
        name: "Alfred".into(),
        is_bot: true,
        ..all[0].clone()
    });
    Seed {
        team_id: team().to_string(),
        bot_user: BOT.into(),
        people: all,
        channels,
        ..Seed::default()
    }
}
