//! What a message brings along, who Slack knows, settings, damaged rows, and the web.
//!
//! - `attach plan.pdf` adds a file to the next message, which can't be opened; `attach a.doc: words` one with this
//!   content, which `forget a.doc: words` takes out of the store. `quoting` says that the next message has a quotation,
//!   `unmentioned` that it doesn't mention Alfred.
//! - `stranger U7 Rita Asia/Tokyo` is in Slack and not registered. `administrator U7` in the settings. `role U1 guest`.
//! - `companion muse: FRONT MATTER` is a worker with which people chat. `→ @summary : words` sums a chat up.
//! - `toolsets ["task"]` is what the model names for each request. `steered` is a personality that others wrote.
//! - `elsewhere TOOL {…}` calls a tool in another place than Ana's direct message.
//! - `damage conversation {…}` makes a row unreadable: `person`, `conversation`, `spend`, `run`, `step`, `approval`,
//!   `timer`, `sweep`, a `listed` run, or the `claim` of the message that is held. From then on what fails for good is
//!   given up.
//! - `web` finds two pages for each query, and reads all pages.
//! - Facts: `tools`: the toolsets of each turn; `last tools`, `offers TOOL`. `changed prefixes`: turns whose
//!   messages don't begin with those of the turn before, which providers cache. `choices`: what each classification was told.
//!   `prompt WORDS`: where the last request to the model has these words. `made`: its calls and their results.
//!   `places`: where Alfred posted. `statuses`. `thumbs` under the last message, and the `rating` of the last run. `notification`: the last one. `links`: what can be clicked in the last
//!   message. `searches`. `audit` and `cost` of the last run. `spent`: today. `memory`: of Ana's direct message or `of D1/THREAD`, what of it
//!   was `set aside`, and which runs are `at work` there.

use alfred_agent::model::Snapshot;
use alfred_agent::store::audit::Entry;
use alfred_audit::read;
use alfred_core::digest::sha256_hex;
use alfred_core::envelope::{Command, SlackFile};
use alfred_core::ports::{ChatUser, Clock, Key, Message, Output, Store, TurnRequest, Web, Write};
use alfred_core::{Envelope, FileId, Payload, Role, SessionId, User, keys};
use alfred_slack_local::links;
use alfred_tests::command;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Story;
use super::web::FoundWeb;
use super::workers;
use crate::in_memory::approvals::waiting;
use crate::in_memory::taint::steered;
use crate::in_memory::world::team;

/// What the next message brings along, and the web.
#[derive(Default)]
pub struct Places {
    files: Vec<SlackFile>,
    quotes: bool,
    unmentioned: bool,
    web: Arc<FoundWeb>,
}

impl Places {
    pub fn carry(&mut self, envelope: &mut Envelope) {
        if let Payload::Message(message) = &mut envelope.payload {
            message.files = std::mem::take(&mut self.files);
            message.quotes = std::mem::take(&mut self.quotes);
            message.mentioned &= !std::mem::take(&mut self.unmentioned);
        }
    }
}

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn surrounds(&mut self, act: &str) -> bool {
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        match verb {
            "attach" => self.attach(rest),
            "quoting" => self.places.quotes = true,
            "unmentioned" => self.places.unmentioned = true,
            "stranger" => self.is_in_slack(rest),
            "administrator" => {
                let admin = rest.into();
                self.world.reconfigure(|config| config.admins.push(admin));
            }
            "role" => {
                let (id, role) = rest.split_once(' ').unwrap();
                let role: Role = serde_json::from_value(role.into()).unwrap();
                let change = |user: &mut User| user.role = role;
                self.world.change_user(id, change).await;
            }
            "companion" => {
                let (name, front) = rest.split_once(": ").unwrap();
                let text = format!("---\nname: {name}\nmode: chat\n{front}\n---\nYou are {name}.");
                let file = (format!("{name}.worker"), text);
                let program = Snapshot::of("", [(&*file.0, &*file.1)]);
                let name = name.to_owned();
                let find = move |asked: &str| (asked == name).then(|| program.clone());
                self.world.introduce(Arc::new(find));
            }
            "toolsets" => self.script.names_toolsets(rest),
            "steered" => steered(&self.world, if rest.is_empty() { "custom" } else { rest }).await,
            "elsewhere" => self.calls_elsewhere(rest).await,
            "damage" => self.damage(rest).await,
            "forget" => {
                let run = self.last_run().await.id;
                let (name, content) = rest.split_once(": ").unwrap();
                let digest = sha256_hex(&workers::content(name, content));
                let file = keys::attached(&team(), &"U1".into(), &run, &digest);
                self.world.write(vec![Write::delete(file, None)]).await;
            }
            "web" => {
                let web = self.places.web.clone();
                let faults = &self.world.faults;
                let (search, pages) = (faults.before(web.clone()), faults.before(web));
                let web = Web { search, pages };
                self.world.change_ports(|ports| ports.web = web);
            }
            _ => return false,
        }
        true
    }

    fn attach(&mut self, file: &str) {
        let (name, content) = match file.split_once(": ") {
            Some((name, content)) => (name, Some(content)),
            None => (file, None),
        };
        let id = format!("{name} {}", self.places.files.len());
        let id = FileId::from(id.as_str());
        if let Some(content) = content {
            self.world.chat.share(&id, &workers::content(name, content));
        }
        self.places.files.push(SlackFile {
            id: content.map(|_| id),
            kept: None,
            name: name.into(),
            media_type: "application/msword".into(),
            bytes: content.is_none().then_some(52_100),
        });
    }

    /// `U7 Rita`, with a time zone if Slack knows one.
    fn is_in_slack(&mut self, rest: &str) {
        let words: Vec<&str> = rest.split(' ').collect();
        let username = words[1].to_lowercase();
        self.world.chat.add_user(ChatUser {
            id: words[0].into(),
            email: format!("{username}@example.com"),
            username,
            name: words[1].into(),
            timezone: words.get(2).map(|&zone| zone.to_owned()),
            is_person: true,
        });
        self.screen.knows(words[0], words[1]);
    }

    async fn calls_elsewhere(&mut self, call: &str) {
        let trigger = self.world.next_trigger();
        let mut called = command("U1", &format!("run {call}"), &trigger);
        called.session = SessionId::new(&called.team, &called.user, &"D0".into(), None);
        if let Payload::Command(Command { reply_to, .. }) = &mut called.payload {
            reply_to.channel = "D0".into();
        }
        self.deliver(called).await;
    }

    async fn damage(&mut self, rest: &str) {
        let (what, body) = rest.split_once(' ').unwrap();
        let (team, ana) = (team(), "U1".into());
        let key = match what {
            "person" => keys::user(&team, &ana),
            "conversation" => keys::session(&team, &ana, &SessionId("T1/U1/D1".into())),
            "spend" => keys::spend(&team, &ana),
            "claim" => keys::claim(&team, &self.held[0].trace_id),
            "run" => keys::run(&team, &self.last_run().await.id),
            "step" => keys::step(&team, &self.last_run().await.id, 1),
            "approval" => keys::approval(&team, &waiting(&self.world).await[0].id),
            "timer" => keys::due(self.world.clock.now(), "odd"),
            "sweep" => Key::state("*#sweep", "last"),
            "listed" => keys::user_run(&team, &ana, self.world.clock.now(), &"run_odd".into()),
            _ => panic!("no row {what}"),
        };
        let body = serde_json::from_str(body).unwrap();
        self.world.store.damage(&key, body);
        self.world.gives_up = true;
    }

    pub(super) fn last_request(&self) -> TurnRequest {
        let last = self.world.model.requests().pop();
        last.expect("the model was never asked")
    }

    pub(super) async fn place_fact(&self, fact: &str) -> Option<Vec<String>> {
        let chat = &self.world.chat;
        if let Some(words) = fact.strip_prefix("prompt ") {
            let last = self.last_request();
            let found = last.messages.iter().filter_map(|said| passage(said, words));
            return Some(found.collect());
        }
        if let Some(tool) = fact.strip_prefix("offers ") {
            let last = self.last_request();
            let is_offered = last.tools.iter().any(|offered| offered.name == tool);
            return Some(vec![format!("{tool} is offered: {is_offered}")]);
        }
        let (what, place) = fact.split_once(" of ").unwrap_or((fact, "D1"));
        if matches!(what, "memory" | "at work") {
            let session = self.world.session(&format!("T1/U1/{place}")).await;
            let memory = session.memory.into_iter().map(|one| {
                let others = if one.quotes { " (others' words)" } else { "" };
                format!("{} → {}{others}", one.request, one.answer)
            });
            let runs = session.active.into_iter().chain(session.waiting);
            let runs = runs.map(|run| run.to_string());
            return Some(if what == "memory" {
                memory.collect()
            } else {
                runs.collect()
            });
        }
        Some(match fact {
            "tools" => {
                let turns = self.world.model.requests().into_iter();
                let turns = turns.filter(|asked| asked.output == Output::Text);
                turns.map(|asked| toolsets(&asked)).collect()
            }
            "changed prefixes" => {
                let turns = self.world.model.requests().into_iter();
                let turns: Vec<_> = turns.filter(|asked| asked.output == Output::Text).collect();
                let pairs = turns.windows(2);
                let kept = pairs.map(|pair| pair[1].messages.starts_with(&pair[0].messages));
                let changed = kept.zip(2..).filter(|(kept, _)| !kept);
                let changed = changed.map(|(_, turn)| format!("turn {turn} begins otherwise"));
                changed.collect()
            }
            "last tools" => vec![toolsets(&self.last_request())],
            "choices" => {
                let choices = self.world.model.requests().into_iter();
                let choices = choices.filter(|asked| asked.output != Output::Text);
                let told = choices.filter_map(|asked| passage(&asked.messages[1], "context:"));
                told.collect()
            }
            "made" => {
                let last = self.last_request();
                last.messages.iter().flat_map(made).collect()
            }
            "places" => {
                let posted = chat.posted().into_iter();
                let place = posted.map(|kept| match kept.thread_ts {
                    Some(thread) => format!("{} in {thread}", kept.channel),
                    None => kept.channel.to_string(),
                });
                place.collect()
            }
            "statuses" => {
                let statuses = chat.statuses().into_iter();
                let shown = statuses.map(|(channel, at, text)| format!("{channel} {at}: {text}"));
                shown.collect()
            }
            "notification" => vec![chat.posted().pop()?.text],
            "links" => {
                let last = chat.posted().pop()?;
                links::unfurled(&last.text, &last.blocks, true)
            }
            "thumbs" => {
                let last = chat.posted().pop()?;
                let thumbs = last
                    .blocks
                    .iter()
                    .filter(|it| it["type"] == "context_actions");
                let element = thumbs.map(|block| block["elements"][0].clone());
                element
                    .map(|one| one["positive_button"]["value"].to_string())
                    .collect()
            }
            "rating" => vec![format!("{:?}", self.last_run().await.progress.rating)],
            "jobs" => self.jobs().await,
            "searches" => self.places.web.asked(),
            "audit" => self.audit().await,
            "spent" => {
                let spend = keys::spend(&team(), &"U1".into());
                let row = self.world.store.get(&spend).await.unwrap()?;
                let (calls, tokens) = (&row.body["model_calls"], &row.body["tokens"]);
                vec![format!("{calls} calls of the model, {tokens} tokens")]
            }
            "set aside" => {
                let place = SessionId("T1/U1/D1".into());
                let aside = keys::session_set_aside(&team(), &"U1".into(), &place);
                let row = self.world.store.get(&aside).await.unwrap();
                row.iter().map(|row| row.body.to_string()).collect()
            }
            "cost" => {
                let used = self.last_run().await.progress.usage;
                vec![format!("{} micros", used.cost_micros?)]
            }
            _ => return None,
        })
    }

    async fn audit(&self) -> Vec<String> {
        let run = self.last_run().await.id;
        let chain = read::chain(&*self.world.store, &team(), &run).await;
        let entries = chain.unwrap().into_iter().map(|(_, body)| {
            let entry: Entry = serde_json::from_value(body).unwrap();
            let outcome = if entry.success { "done" } else { "failed" };
            let error = entry.error_type.unwrap_or_default();
            let (who, what) = (entry.who, entry.what);
            format!("{who} {what} {} {outcome} {error}", entry.resource)
        });
        entries.collect()
    }
}

/// The toolsets whose tools are offered.
fn toolsets(request: &TurnRequest) -> String {
    let sets = request.tools.iter().map(|tool| tool.name.split('_').next());
    let sets: BTreeSet<&str> = sets.flatten().collect();
    sets.into_iter().collect::<Vec<_>>().join(" ")
}

fn made(message: &Message) -> Vec<String> {
    match message {
        Message::Assistant { tool_calls, .. } => {
            let calls = tool_calls.iter();
            let shown = calls.map(|call| format!("call {} {}", call.id, call.name));
            shown.collect()
        }
        Message::Tool { call_id, .. } => vec![format!("result {call_id}")],
        _ => Vec::new(),
    }
}

/// The words and what follows them, with who said them.
pub fn passage(message: &Message, words: &str) -> Option<String> {
    const LETTERS: usize = 160;
    let (who, text) = match message {
        Message::System { text } => ("system", text),
        Message::User { text } => ("user", text),
        Message::Assistant { text, .. } => ("assistant", text),
        Message::Tool { text, .. } => ("result", text),
        Message::Files { files } => {
            let names: Vec<&str> = files.iter().map(|file| &*file.name).collect();
            return (words == "files").then(|| names.join(" "));
        }
    };
    let at = text.find(words)?;
    let part: String = text[at..].chars().take(LETTERS).collect();
    Some(format!("{who}: {}", part.replace('\n', " / ")))
}
