//! The live message: shows what a request does until it becomes the reply. It is sent in the background, so that a slow
//! or failing Slack neither delays nor fails the run.
//!
//! Only the delivery that posted a live message shows more in it, and only a reply that names it in its commit completes
//! it. A delivery that takes over after a crash posts its own, and deletes the one left behind once it has committed.

use alfred_core::ports::{
    Chat, ChatError, Clock, Live, LivePlace, LiveTask, Look, Posted, Progress, Status, TaskState,
    TextSink,
};
use alfred_core::source::{Piece, pieces};
use alfred_core::{ChannelId, Deadline, text};
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

use crate::model::{Preview, Readers, Run, Step, Work};
use crate::slack::{respond, status};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

/// The shortest time between two updates of the text.
const EACH: SignedDuration = SignedDuration::from_secs(1);
/// The pause after Slack couldn't be reached.
const PAUSE: Duration = Duration::from_secs(5);
/// A run that has committed nothing for so long may have lost its worker.
const ABANDONED: SignedDuration = SignedDuration::from_secs(60);
/// How much of the text is shown before the reply. With the tasks it fits into the blocks of a message.
const MOST_CHARS: usize = 6_000;
const MOST_TASKS: usize = 20;
/// The most messages of lost workers that one delivery deletes.
const MOST_LEFT: usize = 5;

/// The live message of one delivery. Runs that show none have no `shared`.
pub struct LiveMessage {
    shared: Option<Arc<Shared>>,
    /// When this delivery loaded the run.
    loaded_at: Timestamp,
    /// Whether an earlier delivery may have left a message.
    pub unsure: bool,
}

struct Shared {
    chat: Arc<dyn Chat>,
    clock: Arc<dyn Clock>,
    place: LivePlace,
    look: Look,
    /// The conversation and the thread of the status line.
    status: (ChannelId, Option<String>),
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    wanted: Progress,
    shown: Progress,
    live: Option<Live>,
    /// The first post had no answer, so the message may exist.
    is_lost: bool,
    is_closed: bool,
    is_sending: bool,
    /// Whether a task changed, which doesn't wait for the next second.
    is_urgent: bool,
    next_at: Timestamp,
    paused_until: Timestamp,
    sending: Option<JoinHandle<()>>,
}

impl LiveMessage {
    pub fn new(ports: &Ports, loaded: &LoadedRun, deadline: Deadline) -> Self {
        let (run, now) = (&loaded.run, ports.clock.now());
        let is_shown = ports.live
            && run.parent.is_none()
            && run.job.is_none()
            && matches!(run.work, Work::Agent);
        let shared = is_shown.then(|| {
            let post = respond::live_post(run);
            Arc::new(Shared {
                look: post.look_since(run.created_at),
                chat: ports.chat.clone(),
                clock: ports.clock.clone(),
                place: LivePlace {
                    team: run.team.clone(),
                    owner: run.user.clone(),
                    channel: post.channel,
                    thread_ts: post.thread_ts,
                    key: post.idempotency_key,
                },
                status: (run.input.slack().channel_id.clone(), status::thread(run)),
                state: Mutex::default(),
            })
        });
        let silent_for = now.duration_since(run.updated_at);
        Self {
            unsure: is_shown && (deadline.is_repeated() || silent_for >= ABANDONED),
            shared,
            loaded_at: now,
        }
    }

    /// Where the text of the next turn is shown. Text that other people may have shaped, or that may go to the owner
    /// only, isn't shown before the reply.
    pub fn sink(&self, run: &Run) -> TextSink {
        let is_safe = !run.is_tainted() && run.readers() == Readers::Here;
        match self.shared.clone().filter(|_| is_safe) {
            Some(shared) => TextSink::new(move |text| shared.write(text)),
            None => TextSink::default(),
        }
    }

    pub fn begin(&self, call: &str, tool: &str) {
        let Some(shared) = &self.shared else { return };
        let mut state = shared.state();
        let tasks = &mut state.wanted.tasks;
        if tasks.len() < MOST_TASKS && !tasks.iter().any(|task| task.id == call) {
            tasks.push(LiveTask {
                id: call.to_owned(),
                title: Preview::title_of(tool),
                state: TaskState::InProgress,
            });
            shared.poke(state, true);
        }
    }

    /// Shows the calls with a result as ended.
    pub fn sync(&self, steps: &[Step]) {
        let Some(shared) = &self.shared else { return };
        let mut state = shared.state();
        for result in steps.iter().filter_map(Step::result) {
            let mut tasks = state.wanted.tasks.iter_mut();
            if let Some(task) = tasks.find(|task| task.id == result.call_id) {
                task.state = match result.ok {
                    true => TaskState::Complete,
                    false => TaskState::Error,
                };
            }
        }
        shared.poke(state, true);
    }

    /// Shows nothing more. Returns the message, which the reply replaces.
    pub async fn close(&self) -> Option<Live> {
        let shared = self.shared.as_ref()?;
        shared.state().is_closed = true;
        let sending = shared.state().sending.take();
        if let Some(sending) = sending {
            let _ = sending.await;
        }
        if shared.state().is_lost {
            let found = shared.chat.find(&shared.look).await.ok().flatten();
            return found.map(|at| shared.left(at));
        }
        shared.state().live.clone()
    }

    /// Deletes the message of this delivery, which no reply names.
    pub async fn discard(&self) {
        if let (Some(live), Some(shared)) = (self.close().await, &self.shared) {
            respond::delete_live(&*shared.chat, &live).await;
        }
    }

    /// Looks for messages of other deliveries when the run ends here: it may be at work elsewhere.
    pub fn suspect(&mut self) {
        self.unsure = self.shared.is_some();
        self.loaded_at = Timestamp::MAX;
    }

    /// Deletes messages of lost deliveries. Only after a commit of this one, or of the run's end: then nobody else can
    /// complete a message that was there before.
    pub async fn remove_left(&mut self) {
        let Some(shared) = self.shared.as_ref().filter(|_| self.unsure) else {
            return;
        };
        self.unsure = false;
        for _ in 0..MOST_LEFT {
            match shared.chat.find(&shared.look).await {
                Ok(Some(at)) if is_before(&at, self.loaded_at) => {
                    respond::delete_live(&*shared.chat, &shared.left(at)).await;
                }
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(error = %error, "couldn't look for an unfinished live message");
                    return;
                }
            }
        }
    }
}

impl Drop for LiveMessage {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.state().is_closed = true;
        }
    }
}

/// Slack's clock may be a second ahead.
fn is_before(at: &Posted, time: Timestamp) -> bool {
    let seconds = at.ts.split('.').next().and_then(|ts| ts.parse().ok());
    seconds.is_some_and(|seconds: i64| seconds <= time.as_second().saturating_add(1))
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message that another delivery posted here.
    fn left(&self, at: Posted) -> Live {
        Live {
            at,
            channel: self.place.channel.clone(),
            thread_ts: self.place.thread_ts.clone(),
            streams: self.place.thread_ts.is_some(),
        }
    }

    fn write(self: &Arc<Self>, text: &str) {
        let text = readable(text);
        let mut state = self.state();
        if !text.is_empty() {
            state.wanted.text = text;
            self.poke(state, false);
        }
    }

    /// Sends what is new, if it is time and nothing is under way.
    fn poke(self: &Arc<Self>, mut state: MutexGuard<'_, State>, urgent: bool) {
        state.is_urgent |= urgent;
        if !state.is_sending && state.is_due(self.clock.now()) {
            state.is_sending = true;
            let this = self.clone();
            state.sending = Some(tokio::spawn(async move { this.send().await }));
        }
    }

    async fn send(&self) {
        loop {
            let (live, shown, wanted) = {
                let mut state = self.state();
                if !state.is_due(self.clock.now()) {
                    state.is_sending = false;
                    return;
                }
                state.is_urgent = false;
                let (shown, wanted) = (state.shown.clone(), state.wanted.clone());
                (state.live.clone(), shown, wanted)
            };
            let outcome = match &live {
                Some(live) => {
                    let shown = self.chat.show_live(live, &shown, &wanted).await;
                    shown.map(|()| None)
                }
                None => self.chat.start_live(&self.place, &wanted).await.map(Some),
            };
            // Slack may have removed the status, and with it the button that stops the request.
            if let (None, Ok(_), (channel, Some(root))) = (&live, &outcome, &self.status) {
                let status = Status::GoesOn(text::STATUS_THINKING.to_owned());
                status::set(&*self.chat, channel, root, &status).await;
            }
            let mut state = self.state();
            let now = self.clock.now();
            state.next_at = now.saturating_add(EACH).unwrap_or(now);
            state.take(outcome, wanted, now);
        }
    }
}

impl State {
    fn is_due(&self, now: Timestamp) -> bool {
        let on_time = self.is_urgent || now >= self.next_at;
        !self.is_closed && self.wanted != self.shown && on_time && now >= self.paused_until
    }

    fn take(&mut self, outcome: Result<Option<Live>, ChatError>, wanted: Progress, now: Timestamp) {
        let pause = match outcome {
            Ok(started) => {
                self.live = started.or(self.live.take());
                self.shown = wanted;
                return;
            }
            Err(ChatError::RateLimited { retry_after }) => retry_after,
            Err(ChatError::NotSent { .. }) => PAUSE,
            Err(error @ (ChatError::Unknown { .. } | ChatError::Refused { .. })) => {
                tracing::debug!(error = %error, "a live message shows nothing more");
                self.is_lost = self.live.is_none() && matches!(error, ChatError::Unknown { .. });
                self.is_closed = true;
                return;
            }
        };
        let pause = SignedDuration::try_from(pause).unwrap_or(EACH);
        self.paused_until = now.saturating_add(pause).unwrap_or(now);
    }
}

/// The beginning of an answer as it can be shown while the rest is written: without marks of sources, Slack's commands
/// and what isn't complete yet.
fn readable(text: &str) -> String {
    let words = pieces(text).filter_map(|piece| match piece {
        Piece::Words(words) => Some(words),
        Piece::Mark(_) => None,
    });
    let text: String = words.collect();
    // The last word may be half a word, half an address or half a mark.
    let mut end = text.rfind(char::is_whitespace).unwrap_or(0);
    if let Some(at) = text[..end].rfind('[') {
        let link = &text[at..end];
        let is_open = match link.split_once(']') {
            None => true,
            Some((_, rest)) => rest.starts_with('(') && !rest.contains(')'),
        };
        if is_open {
            end = at;
        }
    }
    let mut shown: String = text[..end].chars().take(MOST_CHARS).collect();
    for command in ["<!", "<@", "<#"] {
        shown = shown.replace(command, &command.replace('<', "< "));
    }
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_complete_is_shown() {
        alfred_testkit::cases::check(include_str!("live_cases.txt"), readable);
        assert_eq!(readable("Hel"), "");
    }
}
