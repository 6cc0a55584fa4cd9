//! Protects conversations that aren't open to the whole workspace. Text from them may reach only
//! the same conversation; elsewhere it counts as private data.

use alfred_core::ports::ChatChannel;

use crate::model::approval::Recipient;
use crate::model::run::Run;
use crate::policy::tool_def::ToolDef;
use crate::store::ports::Ports;

/// Whether a call would send text out of a members-only conversation. Slack is asked only if the
/// run's taint doesn't decide already. Channels that Slack doesn't list as public count as closed,
/// also if the list is unavailable.
pub async fn left(ports: &Ports, run: &Run, def: &ToolDef, to: &[Recipient]) -> bool {
    let said_in = &run.taint.conversations;
    let decided = run.taint.untrusted.is_empty() || !run.taint.private.is_empty();
    if !def.reaches_out() || said_in.is_empty() || decided {
        return false;
    }
    let channels = channels(ports, run).await;
    said_in.iter().any(|id| {
        let listed = channels.iter().find(|channel| channel.id == *id);
        let open = listed.is_some_and(|channel| !channel.is_private);
        let back = |to: &Recipient| listed.is_some_and(|channel| is_named(channel, &to.who));
        !open && (to.is_empty() || !to.iter().all(back))
    })
}

/// The channels that the owner may know of. Empty if Slack fails.
pub(crate) async fn channels(ports: &Ports, run: &Run) -> Vec<ChatChannel> {
    match ports.chat.channels(&run.user).await {
        Ok(channels) => channels,
        Err(error) => {
            tracing::warn!(run.id = %run.id, error = %error, "which channels there are isn't known");
            Vec::new()
        }
    }
}

/// Whether `who` is the channel's id or its name, which is unique in the workspace.
pub(crate) fn is_named(channel: &ChatChannel, who: &str) -> bool {
    let bare = bare(who);
    let name = bare.strip_prefix('#');
    let id = name.unwrap_or(bare);
    id == channel.id.as_str() || name.is_some_and(|name| name.eq_ignore_ascii_case(&channel.name))
}

/// An id or address without Slack's mention brackets.
pub(crate) fn bare(who: &str) -> &str {
    let who = who.trim();
    let inner = ["<@", "<#"]
        .iter()
        .find_map(|open| who.strip_prefix(open)?.strip_suffix('>'));
    match inner {
        Some(inner) => inner.split('|').next().unwrap_or(inner),
        None => who,
    }
}
