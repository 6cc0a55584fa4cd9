//! Clicks, submitted modals and shortcuts (<https://docs.slack.dev/reference/interaction-payloads/>).

use alfred_core::envelope::{Click, ViewSubmission};
use alfred_core::{ChannelId, Payload, ReplyAddress, TeamId, UserId};
use serde::Deserialize;
use serde_json::Value;

use crate::incoming::{Incoming, Refusal, is_dm, place, session, slack_id};
use crate::shortcuts;

#[derive(Deserialize)]
struct Interaction {
    #[serde(rename = "type")]
    kind: String,
    team: Option<Id>,
    user: Option<InteractionUser>,
    trigger_id: Option<String>,
    channel: Option<Id>,
    container: Option<Container>,
    message: Option<InteractionMessage>,
    view: Option<View>,
    #[serde(default)]
    actions: Vec<Action>,
}

#[derive(Deserialize)]
struct Id {
    id: Option<String>,
}

#[derive(Deserialize)]
struct InteractionUser {
    id: Option<String>,
    team_id: Option<String>,
}

#[derive(Default, Deserialize)]
struct Container {
    message_ts: Option<String>,
    channel_id: Option<String>,
    thread_ts: Option<String>,
}

#[derive(Default, Deserialize)]
struct InteractionMessage {
    ts: Option<String>,
    thread_ts: Option<String>,
}

#[derive(Deserialize)]
struct View {
    id: Option<String>,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    callback_id: String,
    #[serde(default)]
    private_metadata: String,
    state: Option<ViewState>,
}

#[derive(Deserialize)]
struct ViewState {
    #[serde(default)]
    values: Value,
}

#[derive(Deserialize)]
struct Action {
    #[serde(default)]
    action_id: String,
    value: Option<String>,
    selected_option: Option<Choice>,
    selected_options: Option<Vec<Choice>>,
    selected_user: Option<String>,
    selected_channel: Option<String>,
    selected_conversation: Option<String>,
    selected_date: Option<String>,
    selected_time: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    value: String,
}

impl Action {
    /// Several values are a JSON array.
    fn chosen(self) -> String {
        let several = self.selected_options.map(|options| {
            Value::from_iter(options.into_iter().map(|option| option.value)).to_string()
        });
        self.value
            .or(self.selected_option.map(|option| option.value))
            .or(several)
            .or(self.selected_user)
            .or(self.selected_channel)
            .or(self.selected_conversation)
            .or(self.selected_date)
            .or(self.selected_time)
            .unwrap_or_default()
    }
}

pub struct Actor {
    pub team: TeamId,
    pub user: UserId,
    pub trigger: String,
}

impl Actor {
    pub fn sends(self, reply_to: &ReplyAddress, payload: Payload) -> Incoming {
        Incoming {
            identity: format!("trg:{}", self.trigger),
            trigger: self.trigger,
            session: session(&self.team, &self.user, reply_to),
            team: self.team,
            user: self.user,
            payload,
        }
    }
}

pub enum Parsed {
    Event(Box<Incoming>),
    /// A form to open with the trigger. Nothing is queued before it is submitted.
    Form {
        trigger: String,
        view: Value,
    },
}

pub fn parse(payload: &str) -> Result<Parsed, Refusal> {
    let malformed = |_| Refusal::Malformed("not a JSON payload");
    let mut interaction: Interaction = serde_json::from_str(payload).map_err(malformed)?;
    let read = match interaction.kind.as_str() {
        "block_actions" => click,
        "view_submission" => submission,
        "message_action" => {
            let payload = serde_json::from_str(payload).map_err(malformed)?;
            return shortcuts::parse(actor(&mut interaction)?, &payload);
        }
        _ => return Err(Refusal::Unserved("interaction type not served")),
    };
    let incoming = read(actor(&mut interaction)?, interaction)?;
    Ok(Parsed::Event(Box::new(incoming)))
}

/// `team` is null for apps installed to a whole organisation. The user's `team_id` is used instead.
fn actor(interaction: &mut Interaction) -> Result<Actor, Refusal> {
    let user = interaction.user.take();
    let user = user.ok_or(Refusal::Malformed("no user"))?;
    let team = interaction.team.take().and_then(|team| team.id);
    Ok(Actor {
        team: slack_id(team.or(user.team_id), "no team")?.into(),
        user: slack_id(user.id, "no user id")?.into(),
        trigger: slack_id(interaction.trigger_id.take(), "no trigger_id")?,
    })
}

fn click(actor: Actor, interaction: Interaction) -> Result<Incoming, Refusal> {
    let mut actions = interaction.actions.into_iter();
    let action = actions.next().ok_or(Refusal::Malformed("no action"))?;
    if actions.next().is_some() {
        // Slack sends one action. A second would need its own identity.
        tracing::warn!("a click came with several actions, the first counts");
    }
    let container = interaction.container.unwrap_or_default();
    let message = interaction.message.unwrap_or_default();
    let channel = interaction.channel.and_then(|channel| channel.id);
    let channel = channel.or(container.channel_id);
    let message_ts = message.ts.or(container.message_ts);
    // No form can be shown in a Home tab, so its id isn't the id of one.
    let modal = interaction.view.filter(|view| view.kind != "home");
    let reply_to = match (channel, &message_ts) {
        (Some(channel), Some(ts)) => {
            let channel = ChannelId(slack_id(Some(channel), "odd channel")?);
            let ts = slack_id(Some(ts.clone()), "odd message ts")?;
            let thread_id = |ts| slack_id(Some(ts), "odd thread_ts");
            let thread = message.thread_ts.or(container.thread_ts);
            let thread = thread.map(thread_id).transpose()?;
            let dm = is_dm(channel.as_str(), None);
            place(&channel, dm, &ts, thread.as_deref())
        }
        _ => ReplyAddress::direct(&actor.user),
    };
    let click = Click {
        action_id: action.action_id.clone(),
        value: action.chosen(),
        message_ts,
        view_id: modal.and_then(|view| view.id),
        reply_to: reply_to.clone(),
    };
    Ok(actor.sends(&reply_to, Payload::Click(click)))
}

fn submission(actor: Actor, interaction: Interaction) -> Result<Incoming, Refusal> {
    let view = interaction.view.ok_or(Refusal::Malformed("no view"))?;
    let values = view.state.map(|state| state.values).unwrap_or_default();
    if view.callback_id == shortcuts::ASK {
        return shortcuts::question(actor, &view.private_metadata, &values);
    }
    let reply_to = ReplyAddress::direct(&actor.user);
    let submission = ViewSubmission {
        callback_id: view.callback_id,
        view_id: slack_id(view.id, "no view id")?,
        private_metadata: view.private_metadata,
        values,
    };
    Ok(actor.sends(&reply_to, Payload::View(submission)))
}
