//! The steps of scenarios: what is arranged and seen in the workspace, and what is asked of the client.

use alfred_core::ports::{
    Chat, ChatError, LivePlace, LiveTask, Posted, Progress, Status, TaskState,
};
use alfred_slack::SlackClient;
use alfred_slack_local::seed::{ANA, ANA_DM, BEN};
use alfred_slack_local::{Fault, Message, Refusal, SharedFile, SlackLocal};
use alfred_testkit::stand_in::{self, Reply};
use serde_json::{Value, json};
use std::time::Duration;

use crate::script::options;
use crate::world::{World, client, image, look, option, post};

impl World {
    fn slack(&self) -> &SlackLocal {
        &self.running.slack
    }

    /// Arranges or looks at something in the workspace. `None` if it is a step of the client's.
    pub async fn arrange(&mut self, words: &[&str]) -> Option<String> {
        match words {
            ["with", option @ ..] => *self = Self::with(options(option)).await,
            ["says", user, channel, text, options @ ..] => {
                let thread = option(options, "in");
                let said = self.slack().post_as(user, channel, text, thread);
                self.last = said.unwrap().ts;
            }
            ["chatter", channel, root, number] => {
                for n in 0..number.parse().unwrap() {
                    let (slack, text) = (self.slack(), format!("{n}"));
                    slack.post_as(ANA, channel, &text, None).unwrap();
                    slack.post_as(BEN, channel, &text, Some(root)).unwrap();
                }
            }
            ["share", text, options @ ..] => {
                let times = option(options, "times").unwrap_or("1").parse().unwrap();
                self.last = self.share(text.repeat(times));
            }
            ["delete", user] => {
                let people = self.slack().people().unwrap();
                let mut person = people.into_iter().find(|one| one.id == *user).unwrap();
                (person.deleted, person.email, person.tz) = (true, String::new(), String::new());
                self.slack().put_person(&person).unwrap();
            }
            ["command", user, channel] => {
                let asked = self.slack().command(user, channel, "/alfred", "");
                asked.await.unwrap();
                let sent = self.sent.lock().unwrap().pop().unwrap();
                let form = String::from_utf8(sent.body).unwrap();
                let mut fields = form.split('&');
                let trigger = fields.find_map(|field| field.strip_prefix("trigger_id="));
                self.last = trigger.unwrap().to_owned();
            }
            ["fail", method, number, how] => {
                let number = number.parse().unwrap();
                self.slack().fail_next(method, number, fault(how));
            }
            ["advance", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                self.clock.advance(seconds);
            }
            ["token", token] => self.client = client(&self.running.api_url(), token, &self.clock),
            ["at", url] => self.client = client(&address(url), "xoxb-local", &self.clock),
            ["uploads", "at", url] => self.slack().set_base_url(address(url)),
            ["answer", status, rest @ ..] => self.answer(status, rest),
            _ => return self.look(words),
        }
        Some(String::new())
    }

    fn look(&mut self, words: &[&str]) -> Option<String> {
        let slack = &self.running.slack;
        Some(match words {
            ["shown", channel] => each(slack.messages(channel, 99).unwrap(), line),
            ["shown", channel, root] => each(slack.thread(channel, root).unwrap(), line),
            ["whispers", user] => each(slack.ephemerals(user), |one| one.text),
            ["status", channel, root] => format!("{:?}", slack.status(channel, root).unwrap()),
            ["views", user] => each(slack.views(user).unwrap(), |it| {
                it.view["title"]["text"].to_string()
            }),
            ["file", user, id] => match slack.file(user, id) {
                Ok(bytes) if bytes == image(String::new()).png => "the picture".into(),
                Ok(_) => "another file".into(),
                Err(error) => error.to_string(),
            },
            ["sent", method] => {
                let mut calls = slack.calls().into_iter().rev();
                let call = calls.find(|call| call.method == *method).unwrap();
                call.arguments.to_string()
            }
            ["calls"] => {
                let calls: Vec<String> = slack.calls().into_iter().map(|it| it.method).collect();
                let new = &calls[self.reported..];
                let chunks = new.chunk_by(|one, next| one == next);
                let shown = chunks.map(|same| format!("{} {}", same.len(), same[0]));
                let shown = each(shown, |it| it);
                self.reported = calls.len();
                shown
            }
            _ => return None,
        })
    }

    /// Asks the client to change something, or else to read. Steps without a result return nothing.
    pub async fn ask(&mut self, words: &[&str]) -> Result<String, ChatError> {
        let client = &self.client;
        match words {
            ["post", channel, key, options @ ..] => {
                let posted = client.post(&post(channel, key, options)).await?;
                self.last = posted.ts;
                return Ok(format!("posted in {}", posted.channel));
            }
            ["repeat", number, "post", channel, key] => {
                for _ in 0..number.parse().unwrap() {
                    client.post(&post(channel, key, &[])).await?;
                }
            }
            ["update", channel, ts, text] => {
                client.update(&posted(channel, ts), text, &[]).await?;
            }
            ["live", channel, key, options @ ..] => {
                let place = live_place(channel, key, options);
                let live = client.start_live(&place, &progress("")).await?;
                self.last = live.at.ts.clone();
                let kind = if live.streams { "stream" } else { "message" };
                self.live = Some((live, progress("")));
                return Ok(format!("a {kind}"));
            }
            ["grows", text @ ..] => {
                let (live, shown) = self.live.clone().unwrap();
                let now = progress(&text.join(" "));
                client.show_live(&live, &shown, &now).await?;
                self.live = Some((live, now));
            }
            ["completes", channel, key, options @ ..] => {
                let (live, _) = self.live.clone().unwrap();
                let post = post(channel, key, options);
                client.complete_live(&live, &post).await?;
            }
            ["discards"] => client.delete_live(&self.live.clone().unwrap().0).await?,
            ["whisper", user, channel] => {
                let whisper = post(channel, "k", &[]);
                client.ephemeral(&(*user).into(), &whisper).await?;
            }
            ["set_status", channel, root, status @ ..] => {
                let status = match status {
                    ["answered"] => Status::Answered,
                    ["stopped"] => Status::Stopped,
                    ["goes", "on"] => Status::GoesOn("reads…".into()),
                    words => Status::Begins(words.join(" ")),
                };
                client.set_status(&(*channel).into(), root, &status).await?;
            }
            ["open", trigger, title] => {
                self.last = client.open_view(trigger, &modal(title)).await?;
            }
            ["update_view", view, title] => client.update_view(view, &modal(title)).await?,
            ["upload", options @ ..] => {
                let times = option(options, "alt").unwrap_or("1").parse().unwrap();
                let id = client.upload(&image("é & ".repeat(times))).await?;
                self.last = id.to_string();
            }
            _ => return read(client, words).await,
        }
        Ok("done".into())
    }

    fn share(&self, text: String) -> String {
        let file = SharedFile {
            name: "plan.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: text.into(),
        };
        let slack = self.slack();
        let message = slack.share_as(ANA, ANA_DM, "", None, &[file]);
        message.unwrap().files[0]["id"].as_str().unwrap().to_owned()
    }

    /// Adds an answer of a server that isn't the stand-in, which is asked from now on.
    fn answer(&mut self, status: &str, rest: &[&str]) {
        let (headers, body) = rest.split_at(rest.len() - 1);
        let mut reply = Reply::new(status.parse().unwrap(), "application/json", body[0]);
        for header in headers {
            let (name, value) = header.split_once(':').unwrap();
            reply = reply.with(name, value.replace('_', " "));
        }
        self.replies.push(reply);
        let mut replies = self.replies.clone();
        // One request more than answers finds a closed connection.
        replies.push(Reply::default());
        let (url, _) = stand_in::serve_in_turn(replies);
        self.client = client(&url, "xoxb-local", &self.clock);
    }
}

fn live_place(channel: &str, key: &str, options: &[&str]) -> LivePlace {
    LivePlace {
        team: "T0LOCAL001".into(),
        owner: ANA.into(),
        channel: channel.into(),
        thread_ts: option(options, "in").map(str::to_owned),
        key: key.into(),
    }
}

/// A task that works until there is a text.
fn progress(text: &str) -> Progress {
    let state = match text {
        "" => TaskState::InProgress,
        _ => TaskState::Complete,
    };
    let task = LiveTask {
        id: "1".into(),
        title: "View tasks".into(),
        state,
    };
    Progress {
        tasks: vec![task],
        text: text.to_owned(),
    }
}

async fn read(client: &SlackClient, words: &[&str]) -> Result<String, ChatError> {
    Ok(match words {
        ["team"] => client.team().await?.to_string(),
        ["message", channel, ts, options @ ..] => {
            let (posted, thread) = (posted(channel, ts), option(options, "in"));
            let found = client.message(&posted, thread).await?;
            found.map_or("nothing".into(), |it| json!(it.blocks).to_string())
        }
        ["find", channel, key, options @ ..] => {
            format!("{:?}", client.find(&look(channel, key, options)).await?)
        }
        ["thread", channel, root, limit] => {
            let limit = limit.parse().unwrap();
            let thread = client.thread(&(*channel).into(), root, limit).await?;
            each(thread, |it| {
                format!("{:?} {} {}", it.user, it.from_app, it.text)
            })
        }
        ["user", user] => format!("{:?}", client.user(&(*user).into()).await?),
        ["channels", user] => {
            let channels = client.channels(&(*user).into()).await?;
            each(channels, |it| format!("{it:?}"))
        }
        ["download", file, most] => {
            let (file, most) = ((*file).into(), most.parse().unwrap());
            String::from_utf8(client.download(&file, most).await?).unwrap()
        }
        other => panic!("{other:?}"),
    })
}

fn posted(channel: &str, ts: &str) -> Posted {
    Posted {
        channel: channel.into(),
        ts: ts.into(),
    }
}

fn modal(title: &str) -> Value {
    json!({"type": "modal", "title": {"type": "plain_text", "text": title}, "blocks": []})
}

/// `dead` is an address at which nobody listens.
fn address(url: &str) -> String {
    if url == "dead" {
        stand_in::nowhere()
    } else {
        url.to_owned()
    }
}

fn fault(how: &str) -> Fault {
    let (how, value) = how.split_once(':').unwrap_or((how, ""));
    let status = || Refusal::Status(value.parse().unwrap());
    match how {
        "error" => Fault::Error(Refusal::Code(value.into())),
        "status" => Fault::Error(status()),
        "status-after" => Fault::ErrorAfter(status()),
        "limit" => Fault::Error(Refusal::RateLimited(value.parse().unwrap())),
        "drop-before" => Fault::DropBefore,
        "drop-after" => Fault::DropAfter,
        "garbled" => Fault::GarbledAfter,
        other => panic!("{other}"),
    }
}

/// A few of many are shown.
fn each<T>(all: impl IntoIterator<Item = T>, shown: impl FnMut(T) -> String) -> String {
    let all: Vec<String> = all.into_iter().map(shown).collect();
    match all.as_slice() {
        [] => "nothing".into(),
        [first, second, .., last] if all.len() > 9 => {
            format!("{}: {first}; {second}; …; {last}", all.len())
        }
        all => all.join("; "),
    }
}

fn line(message: Message) -> String {
    let key = &message.metadata.unwrap_or_default()["event_payload"]["key"];
    let blocks = message.blocks.len();
    format!("{} {:?} {key} {blocks} blocks", message.user, message.text)
}
