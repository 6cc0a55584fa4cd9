//! The person's side: people, messages, and Slack's own buttons.

use serde_json::json;
use thiserror::Error;

use crate::api::TEXT_CHARACTERS;
use crate::db::{CHANNEL, PERSON};
use crate::delivery::Undelivered;
use crate::files::SharedFile;
use crate::state::SlackLocal;
use crate::types::{Channel, ChannelKind, Message, Person, View};

#[derive(Debug, Error)]
pub enum PersonError {
    /// Nobody has this id, or the account is deactivated or a bot's.
    #[error("user_not_found")]
    UnknownUser,
    #[error("channel_not_found")]
    UnknownChannel,
    #[error("message_not_found")]
    UnknownMessage,
    /// The message or view has no such element, or the element no such choice.
    #[error("action_not_found")]
    UnknownAction,
    /// The app's manifest names no such shortcut.
    #[error("shortcut_not_found")]
    UnknownShortcut,
    #[error("view_not_found")]
    UnknownView,
    /// No such file, or nothing they see shows it.
    #[error("file_not_found")]
    UnknownFile,
    #[error("no_text")]
    Empty,
    /// Over 40,000 characters.
    #[error("msg_too_long")]
    TooLong,
    #[error("missing_input: {block_id}")]
    MissingInput { block_id: String },
    #[error("invalid_app_answer: {reason}")]
    BadAnswer { reason: String },
    /// The app wasn't there, was too slow, or failed.
    #[error("{0}")]
    Undelivered(#[from] Undelivered),
    #[error("storage: {0}")]
    Storage(#[from] rusqlite::Error),
}

impl SlackLocal {
    /// Everybody, the bot included.
    pub fn people(&self) -> Result<Vec<Person>, PersonError> {
        Ok(self.db().read().all(PERSON)?)
    }

    pub fn put_person(&self, person: &Person) -> Result<(), PersonError> {
        Ok(self.db().write(|tx| tx.put(PERSON, &person.id, person))?)
    }

    pub(crate) fn member(&self, user: &str) -> Result<Person, PersonError> {
        let person = self.db().read().person(user)?;
        let active = person.filter(|person| !person.is_bot && !person.deleted);
        active.ok_or(PersonError::UnknownUser)
    }

    pub fn channels(&self, user: &str) -> Result<Vec<Channel>, PersonError> {
        self.member(user)?;
        let mut all: Vec<Channel> = self.db().read().all(CHANNEL)?;
        all.retain(|channel| channel.has(user));
        Ok(all)
    }

    pub(crate) fn joined(&self, user: &str, channel: &str) -> Result<Channel, PersonError> {
        self.member(user)?;
        let channel = self.db().read().channel(channel)?.filter(|c| c.has(user));
        channel.ok_or(PersonError::UnknownChannel)
    }

    /// Writes as a person. In the typed text `@name`, `#channel`, `<@U…>` and `@here` become mentions; the rest is
    /// escaped as Slack does.
    pub fn post_as(
        &self,
        user: &str,
        channel: &str,
        text: &str,
        thread_ts: Option<&str>,
    ) -> Result<Message, PersonError> {
        self.share_as(user, channel, text, thread_ts, &[])
    }

    /// Writes a message with files. Its text may be empty.
    pub fn share_as(
        &self,
        user: &str,
        channel: &str,
        text: &str,
        thread_ts: Option<&str>,
        files: &[SharedFile],
    ) -> Result<Message, PersonError> {
        let channel = self.joined(user, channel)?;
        let root = thread_ts.map(|ts| self.message(&channel.id, ts));
        let thread_ts = root.transpose()?.map(|it| it.thread_ts.unwrap_or(it.ts));
        let text = match (files, text.trim()) {
            ([_, ..], "") => String::new(),
            _ => self.typed(user, text)?,
        };
        let files = files.iter().map(|file| self.keep_shared(file));
        let message = Message {
            user: user.to_owned(),
            text,
            files: files.collect::<Result<_, _>>()?,
            thread_ts,
            ..Message::default()
        };
        Ok(self.insert(&channel, message)?)
    }

    /// Writes to the bot in their direct message.
    pub fn dm_as(&self, user: &str, text: &str) -> Result<Message, PersonError> {
        let channel = self.dm_with(user)?;
        self.post_as(user, &channel.id, text, None)
    }

    /// The direct message between this person and the bot. Opens it if it is new.
    pub fn dm_with(&self, user: &str) -> Result<Channel, PersonError> {
        self.member(user)?;
        Ok(self.open_dm(user)?)
    }

    /// Converts typed text to Slack's format.
    pub(crate) fn typed(&self, user: &str, text: &str) -> Result<String, PersonError> {
        if text.trim().is_empty() {
            return Err(PersonError::Empty);
        }
        let out = text.replace('&', "&amp;").replace('<', "&lt;");
        let mut out = out.replace('>', "&gt;");
        for person in self.people()? {
            let mention = format!("<@{}>", person.id);
            out = out.replace(&format!("&lt;@{}&gt;", person.id), &mention);
            out = replace_words(&out, &format!("@{}", person.username), &mention);
        }
        for channel in self.channels(user)? {
            if channel.kind != ChannelKind::Im {
                let mention = format!("<#{}|{}>", channel.id, channel.name);
                out = replace_words(&out, &format!("#{}", channel.name), &mention);
            }
        }
        for everyone in ["channel", "here", "everyone"] {
            out = replace_words(&out, &format!("@{everyone}"), &format!("<!{everyone}>"));
        }
        if out.chars().count() > TEXT_CHARACTERS {
            return Err(PersonError::TooLong);
        }
        Ok(out)
    }

    /// Opens the conversation with the app: `app_home_opened` on its tab of messages.
    pub fn open_home(&self, user: &str) -> Result<Channel, PersonError> {
        self.open_tab(user, "messages", None)
    }

    /// Opens the Home tab, as last published: `app_home_opened` on its tab `home`. `None` before the first publication.
    pub fn open_home_tab(&self, user: &str) -> Result<Option<View>, PersonError> {
        let shown = self.home(user)?;
        self.open_tab(user, "home", shown.as_ref())?;
        Ok(shown)
    }

    fn open_tab(&self, user: &str, tab: &str, view: Option<&View>) -> Result<Channel, PersonError> {
        let channel = self.dm_with(user)?;
        let mut event = json!({
            "type": "app_home_opened",
            "user": user,
            "channel": channel.id,
            "tab": tab,
            "event_ts": self.next_ts(),
        });
        if let Some(view) = view {
            event["view"] = self.slack_view(view);
        }
        self.emit(event)?;
        Ok(channel)
    }

    /// What this person's Home tab shows.
    pub fn home(&self, user: &str) -> Result<Option<View>, PersonError> {
        self.member(user)?;
        Ok(self.home_view(user)?)
    }

    /// Presses the stop button of a thread's request.
    pub fn stop(&self, user: &str, channel: &str, thread_ts: &str) -> Result<(), PersonError> {
        let channel = self.joined(user, channel)?;
        self.message(&channel.id, thread_ts)?;
        self.emit(json!({
            "type": "agent_session_stopped",
            "user": user,
            "channel": channel.id,
            "thread_ts": thread_ts,
            "streaming_message_ts": [],
            "event_ts": self.next_ts(),
        }))
    }

    fn emit(&self, event: serde_json::Value) -> Result<(), PersonError> {
        self.db().write(|tx| self.enqueue(tx, event))?;
        self.0.wake.notify_one();
        Ok(())
    }

    /// The name a command's `channel_name` carries.
    pub(crate) fn shown_name(channel: &Channel) -> &str {
        match channel.kind {
            ChannelKind::Im => "directmessage",
            ChannelKind::Private => "privategroup",
            ChannelKind::Public => &channel.name,
        }
    }
}

/// Replaces whole words only, in any case: `@ana` isn't in `@anabel`, nor in an address.
fn replace_words(text: &str, word: &str, with: &str) -> String {
    let word = word.to_ascii_lowercase();
    // Only ASCII letters change, so places stay.
    let lower = text.to_ascii_lowercase();
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::with_capacity(text.len());
    let mut written = 0;
    for (at, found) in lower.match_indices(&word) {
        let end = at + found.len();
        let starts = !text[..at].ends_with(|c: char| c.is_alphanumeric());
        let ends = !text[end..].starts_with(joins);
        if starts && ends {
            out.push_str(&text[written..at]);
            out.push_str(with);
            written = end;
        }
    }
    out.push_str(&text[written..]);
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_whole_words_are_mentions() {
        let text = "@ana, @anabel x@ana (@ANA) É @Ana.";
        let replaced = super::replace_words(text, "@ana", "<@U>");
        assert_eq!(replaced, "<@U>, @anabel x@ana (<@U>) É <@U>.");
    }
}
