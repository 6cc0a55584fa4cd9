//! What people do in Slack.
//!
//! - `Ana: words` in her direct message, `Ana in thread 200.000001: words` in a thread of it. `Ana in #C1: words` mentions
//!   Alfred in a channel. `Ana in thread: words` goes on in the last thread, `Ana in thread of card 1: words` in a card's.
//! - `Ana /alfred stop`. `task_viewTasks {}` and `Ben task_viewTasks {}` stand for `/alfred run`.
//! - `clicks Approve`, `Ben clicks Approve on card 1`: the last such button that is shown, or the one that the card
//!   showed once; `clicks Approve on every card`. `Ana of T2 clicks …` is somebody with Ana's id in another workspace.
//! - `presses approval_approve apr_1:2`: a click that Slack never offered; `presses of_an_old_release in #C1` in a channel.
//! - `opens Edit` opens the form of a button. `submits text Dinner?` sends the last form with this text in its field,
//!   `submits 1 text Dinner?` the first one that was opened.
//!   `submits only 12:00, 13:00 saying no music` ticks these parts of a proposal alone.
//! - `opens home`: Alfred's Home tab, which is shown whenever it changes. `clicks Approve on home` clicks there.
//! - `stops`: Slack's stop button. `again` repeats the last event, `again stops` the last press of it.
//! - `held Ana: words` is written now and delivered by `deliver`. `receive Ana: words` reaches the classifier alone;
//!   `deliver` lets the rest happen.
//! - `channel C1 general` is a public channel that Alfred is in, `channel C2 board private` one with Ana and Alfred.
//! - `person U2 Ben guest` registers somebody, without a role as a member. `rename U2 Ben Okafor`.

use alfred_core::envelope::{Click, Command};
use alfred_core::ports::{Chat, ChatChannel};
use alfred_core::{Envelope, Payload, ResponseType, Role, SessionId, User};
use alfred_tests::{click, command, event, message, own_dm};
use serde_json::json;

use super::Story;
use super::forms::submitted;

/// What somebody writes in an act; nothing for other acts.
pub fn words(act: &str) -> String {
    let (_, act) = split_delivery(act);
    match act.split_once(": ") {
        Some((who, words)) if is_writing(who) => words.to_owned(),
        _ => String::new(),
    }
}

/// An act without the word that says when its event is delivered.
fn split_delivery(act: &str) -> (Delivery, &str) {
    if let Some(act) = act.strip_prefix("held ") {
        return (Delivery::Held, act);
    }
    match act.strip_prefix("receive ") {
        Some(act) => (Delivery::Classifier, act),
        None => (Delivery::Whole, act),
    }
}

/// How far an event gets.
#[derive(Clone, Copy)]
enum Delivery {
    Whole,
    Classifier,
    Held,
}

fn is_writing(who: &str) -> bool {
    let name = who.split(' ').next().unwrap();
    name.starts_with(char::is_uppercase)
}

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn person_does(&mut self, act: &str) -> bool {
        let (delivery, act) = split_delivery(act);
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        match verb {
            "person" => self.register(rest).await,
            "channel" => {
                let (id, name) = rest.split_once(' ').unwrap();
                let private = name.strip_suffix(" private");
                let channel = ChatChannel {
                    id: id.into(),
                    name: private.unwrap_or(name).into(),
                    is_private: private.is_some(),
                    is_member: true,
                };
                let members: &[&str] = if private.is_some() { &["U1"] } else { &[] };
                self.world.chat.add_channel(channel, members);
            }
            "rename" => {
                let (id, name) = rest.split_once(' ').unwrap();
                let rename = |user: &mut User| name.clone_into(&mut user.name);
                self.world.change_user(id, rename).await;
            }
            "deliver" => {
                for event in std::mem::take(&mut self.held) {
                    self.deliver(event).await;
                }
                self.world.drain().await;
            }
            _ => {
                if let Some(label) = act.strip_suffix(" on every card") {
                    assert!(!self.screen.cards().is_empty(), "there is no card");
                    for number in 1..=self.screen.cards().len() {
                        Box::pin(self.person_does(&format!("{label} on card {number}"))).await;
                    }
                    return true;
                }
                let Some(event) = self.event(act).await else {
                    return false;
                };
                self.handle(event, delivery).await;
            }
        }
        true
    }

    async fn handle(&mut self, event: Envelope, delivery: Delivery) {
        match delivery {
            Delivery::Whole => self.deliver(event).await,
            Delivery::Held => self.held.push(event),
            Delivery::Classifier => {
                self.remember(&event);
                self.world.receive(&event).await;
            }
        }
    }

    /// The event of an act. `None` if the act has none.
    async fn event(&mut self, act: &str) -> Option<Envelope> {
        if act == "again" {
            return self.events.last().cloned();
        }
        if act == "again stops" {
            let mut events = self.events.iter().rev();
            let is_stop = |event: &&Envelope| matches!(event.payload, Payload::Stop { .. });
            return events.find(is_stop).cloned();
        }
        if let Some((who, words)) = act.split_once(": ")
            && is_writing(who)
        {
            return Some(self.writes(who, words));
        }
        let (who, does) = match act.split_once(' ') {
            Some((who, does)) if is_writing(who) => (who, does),
            _ => ("Ana", act),
        };
        let (team, does) = match does.strip_prefix("of T2 ") {
            Some(does) => ("T2", does),
            None => ("T1", does),
        };
        let mut event = self.interaction(who, does).await?;
        event.team = team.into();
        Some(event)
    }

    async fn register(&mut self, rest: &str) {
        let words: Vec<&str> = rest.split(' ').collect();
        let (role, name) = match words[words.len() - 1] {
            "guest" => (Role::Guest, &words[1..words.len() - 1]),
            "admin" => (Role::Admin, &words[1..words.len() - 1]),
            _ => (Role::Member, &words[1..]),
        };
        let name = name.join(" ");
        self.world.register(words[0], &name, role).await;
        self.screen.knows(words[0], &name);
    }

    fn writes(&mut self, who: &str, words: &str) -> Envelope {
        let (name, place) = who.split_once(' ').unwrap_or((who, ""));
        let user = self.screen.user(name);
        let (channel, thread) = self.place(&user, place);
        let chat = &self.world.chat;
        let at = channel.as_str().into();
        let ts = chat.say(&at, thread.as_deref(), &user.as_str().into(), words);
        let (root, kind) = match (channel.starts_with('C'), &thread) {
            (false, _) => (thread.clone(), ResponseType::Dm),
            (true, None) => (Some(ts.clone()), ResponseType::Channel),
            (true, Some(root)) => (Some(root.clone()), ResponseType::Thread),
        };
        let first = thread.unwrap_or_else(|| ts.clone());
        self.thread = Some((channel.clone(), first));
        let mut written = message(&user, &channel, &ts, root.as_deref(), kind, words);
        self.places.carry(&mut written);
        written
    }

    /// The channel and the thread of a place.
    fn place(&self, user: &str, place: &str) -> (String, Option<String>) {
        if let Some(channel) = place.strip_prefix("in #") {
            return (channel.to_owned(), None);
        }
        if let Some(number) = place.strip_prefix("in thread of card ") {
            let kept = self.screen.card(&self.world, number.parse().unwrap());
            return (kept.channel.to_string(), Some(kept.ts));
        }
        if place == "in thread" {
            let (channel, thread) = self.thread.clone().unwrap();
            return (channel, Some(thread));
        }
        let own = own_channel(user);
        (own, place.strip_prefix("in thread ").map(str::to_owned))
    }

    /// The event of a click, a form or a command.
    async fn interaction(&mut self, who: &str, does: &str) -> Option<Envelope> {
        let user = self.screen.user(who);
        let trigger = self.world.next_trigger();
        let first = does.split(' ').next();
        if first.is_some_and(|word| word.contains('_')) {
            let call = format!("run {}", self.screen.unmask(does));
            return Some(at_home(command(&user, &call, &trigger)));
        }
        if let Some(text) = does.strip_prefix("/alfred ") {
            return Some(at_home(command(&user, text, &trigger)));
        }
        if does == "opens home" {
            let identity = format!("evt:{trigger}");
            return Some(event(&user, &identity, Payload::Home { opened: true }));
        }
        if does == "stops" {
            let reply_to = own_dm(&user);
            let payload = Payload::Stop { reply_to };
            return Some(at_home(event(&user, &format!("evt:{trigger}"), payload)));
        }
        if let Some(pressed) = does.strip_prefix("presses ") {
            let (pressed, channel) = match pressed.split_once(" in #") {
                Some((pressed, channel)) => (pressed, channel.to_owned()),
                None => (pressed, own_channel(&user)),
            };
            let (action, value) = pressed.split_once(' ').unwrap_or((pressed, ""));
            let value = self.screen.unmask(value);
            return Some(placed(click(&user, action, &value, &trigger), &channel));
        }
        if let Some(label) = does.strip_prefix("clicks ") {
            let (action, value) = self.screen.button(&self.world, label);
            // The Home tab is in no conversation.
            let at_home = label.ends_with(" on home");
            let channel = if at_home {
                user.clone()
            } else {
                own_channel(&user)
            };
            return Some(placed(click(&user, &action, &value, &trigger), &channel));
        }
        if let Some(label) = does.strip_prefix("opens ") {
            return Some(self.opening(&user, label).await);
        }
        let filled = does.strip_prefix("submits ")?;
        let (first, rest) = filled.split_once(' ').unwrap();
        let (view, filled) = match first.parse() {
            Ok(number) => (number, rest),
            Err(_) => (self.views, filled),
        };
        let view = self.world.chat.view(&format!("V{view}")).unwrap();
        Some(submitted(&user, &view, filled, &trigger))
    }

    /// A click that opens a form. The receiver opens an empty one, which the click then fills.
    async fn opening(&mut self, user: &str, label: &str) -> Envelope {
        let trigger = self.world.next_trigger();
        let view = self.world.chat.open_view(&trigger, &json!({})).await;
        self.views += 1;
        let (action, value) = self.screen.button(&self.world, label);
        let mut opening = at_home(click(user, &action, &value, &trigger));
        if let Payload::Click(click) = &mut opening.payload {
            click.view_id = Some(view.unwrap());
        }
        opening
    }
}

fn own_channel(user: &str) -> String {
    format!("D{}", &user[1..])
}

/// The event in the direct message in which the person and Alfred write.
fn at_home(event: Envelope) -> Envelope {
    let home = own_channel(event.user.as_str());
    placed(event, &home)
}

fn placed(mut event: Envelope, channel: &str) -> Envelope {
    let home = channel.into();
    event.session = SessionId::new(&event.team, &event.user, &home, None);
    match &mut event.payload {
        Payload::Click(Click { reply_to, .. })
        | Payload::Command(Command { reply_to, .. })
        | Payload::Stop { reply_to } => reply_to.channel = home,
        other => panic!("{other:?} has no place"),
    }
    event
}
