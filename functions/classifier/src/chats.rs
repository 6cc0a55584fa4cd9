//! `/alfred chat NAME`: a direct message thread with one worker, stored in the thread's session row.

use alfred_agent::model::{Session, Snapshot};
use alfred_agent::slack::notice;
use alfred_agent::store::claim::{Claimed, claim};
use alfred_agent::turn::chat;
use alfred_agent::{Deadline, Work};
use alfred_core::{Envelope, ReplyAddress, Result, SessionId, policy, text};
use alfred_workers::{Mode, WorkerFile};
use std::sync::Arc;

use crate::asked::Asked;
use crate::{Classifier, answering, people};

pub type Chats = Arc<dyn Fn(&str) -> Option<Snapshot> + Send + Sync>;

const NAME_CHARS: usize = 64;

/// A name has only letters, digits, `-` and `_`, so it can't be a path or a request.
pub(crate) fn named(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let (Some("chat"), Some(name), None) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (name.len() <= NAME_CHARS && name.chars().all(plain)).then_some(name)
}

/// An embedded worker with `mode: chat`, plus the other workers of its folder.
pub(crate) fn embedded(name: &str) -> Option<Snapshot> {
    let mut paths = alfred_workers::programs::workers();
    let file = |path: &str| WorkerFile::parse(path, &alfred_workers::programs::worker(path)?).ok();
    let at = paths.iter().position(|path| {
        file(path).is_some_and(|file| file.name == name && file.mode == Mode::Chat)
    })?;
    let first = paths.remove(at);
    let folder = first.split('/').next()?.to_owned();
    paths.retain(|path| path.split('/').next() == Some(&*folder));
    paths.insert(0, first);
    Some(alfred_workers::built_in(&folder, paths))
}

impl Classifier {
    pub(crate) async fn open(
        &self,
        envelope: &Envelope,
        to: &ReplyAddress,
        worker: &str,
    ) -> Result<()> {
        let (ports, team, user) = (&self.ports, &envelope.team, &envelope.user);
        if people::known(ports, envelope).await?.is_none() {
            return answering::notice(ports, envelope, to, text::NOT_RECOGNISED).await;
        }
        if (self.chats)(worker).is_none() {
            return answering::notice(ports, envelope, to, no_such_worker(worker)).await;
        }
        let key = format!("chat:{}", envelope.trace_id);
        let opening = notice::words(envelope, to, chat_thread_opens(worker), key);
        let opening = opening.direct(user);
        let there = match claim(ports, &envelope.into(), None).await? {
            Claimed::Duplicate => return Ok(()),
            Claimed::First => None,
            Claimed::Again(_) => {
                let look = opening.look_since(envelope.received_at);
                ports.chat.find(&look).await?
            }
        };
        let thread = match there {
            Some(there) => there,
            None => ports.chat.post(&opening).await?,
        };
        let session = SessionId::new(team, user, &thread.channel, Some(&thread.ts));
        let known = Session::load(&*ports.store, team, user, &session).await?;
        match known.chat {
            Some(_) => Ok(()),
            None => chat::bind(ports, team, user, &session, Some(worker)).await,
        }
    }

    pub(crate) async fn said(
        &self,
        envelope: &Envelope,
        worker: &str,
        mut asked: Asked,
        session: Session,
        deadline: Deadline,
    ) -> Result<()> {
        let (ports, id) = (&self.ports, &envelope.session);
        let (team, user) = (&envelope.team, &envelope.user);
        let order = asked.task.as_str();
        if matches!(order, "/new" | "/exit") {
            if claim(ports, &envelope.into(), None).await? == Claimed::Duplicate {
                return Ok(());
            }
            if order == "/new" {
                chat::begin_anew(ports, team, user, id).await?;
                let words = text::CHAT_BEGINS_ANEW;
                return answering::notice(ports, envelope, &asked.reply_to, words).await;
            }
            // The notice goes first: after the unbind, a redelivery would no longer find the chat.
            let words = "That was it. If you write here again, I answer myself.";
            answering::notice(ports, envelope, &asked.reply_to, words).await?;
            return chat::bind(ports, team, user, id, None).await;
        }
        let Some(program) = (self.chats)(worker) else {
            let words = no_such_worker(worker);
            return answering::notice(ports, envelope, &asked.reply_to, words).await;
        };
        asked.work = Work::Program {
            digest: program.digest()?,
            chat: true,
            approval: policy::Mode::default(),
            headless: false,
        };
        asked.program = Some(program);
        Box::pin(self.take_in(envelope, asked, session, deadline)).await
    }
}

fn chat_thread_opens(worker: &str) -> String {
    format!(
        "This thread is a conversation with {worker}: write what you want to say in it. With a space before it, /new begins anew, and /exit ends it."
    )
}

fn no_such_worker(name: &str) -> String {
    format!("I have no worker called {name} to talk to.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path_and_no_request() {
        for (command, name) in [
            ("chat muse", Some("muse")),
            (" chat  my-muse_2 ", Some("my-muse_2")),
            ("chat ../muse", None),
            ("chat muse.worker", None),
            ("chat with Ben", None),
            ("chat", None),
            ("chatter muse", None),
        ] {
            assert_eq!(named(command), name, "{command}");
        }
    }
}
