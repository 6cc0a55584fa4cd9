//! Slash commands (<https://docs.slack.dev/interactivity/implementing-slash-commands/>).

use alfred_core::envelope::Command;
use alfred_core::{ChannelId, Payload, ReplyAddress, SessionId, TeamId, UserId};
use serde::Deserialize;

use crate::incoming::{Incoming, Refusal, is_dm, place, slack_id};
use crate::mentions;

#[derive(Debug, Deserialize)]
pub struct CommandForm {
    command: String,
    #[serde(default)]
    text: String,
    team_id: Option<String>,
    user_id: Option<String>,
    channel_id: Option<String>,
    trigger_id: Option<String>,
}

/// Parses a command. The answer goes to the direct message: it is private, and a command has no thread.
pub fn parse(form: CommandForm) -> Result<Incoming, Refusal> {
    let team = TeamId(slack_id(form.team_id, "no team_id")?);
    let user = UserId(slack_id(form.user_id, "no user_id")?);
    let channel = ChannelId(slack_id(form.channel_id, "no channel_id")?);
    let trigger = slack_id(form.trigger_id, "no trigger_id")?;
    let reply_to = if is_dm(channel.as_str(), None) {
        place(&channel, true, "", None)
    } else {
        ReplyAddress::direct(&user)
    };
    Ok(Incoming {
        identity: format!("trg:{trigger}"),
        trigger,
        session: SessionId::new(&team, &user, &channel, None),
        team,
        user,
        payload: Payload::Command(Command {
            command: form.command,
            text: mentions::unnamed(&form.text),
            files: Vec::new(),
            reply_to,
        }),
    })
}
