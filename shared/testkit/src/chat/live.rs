//! Live messages, which become messages when they are completed.

use alfred_core::ports::{Live, LivePlace, Post, Posted, Progress, TaskState};

use super::port::conversation;
use super::{Kept, RecordingChat, State};

pub(super) struct LiveKept {
    at: Posted,
    key: String,
}

impl RecordingChat {
    /// What happened to live messages since the last call, a line each.
    pub fn take_moments(&self) -> Vec<String> {
        std::mem::take(&mut self.state().moments)
    }

    /// The live messages that are neither completed nor deleted.
    pub fn unfinished(&self) -> usize {
        self.state().lives.len()
    }

    pub(super) fn begin_live(&self, place: &LivePlace, progress: &Progress) -> Live {
        let state = &mut *self.state();
        let at = Posted {
            channel: conversation(&place.channel),
            ts: self.next_ts(state),
        };
        let (kept, key) = (at.clone(), place.key.clone());
        state.lives.push(LiveKept { at: kept, key });
        let streams = place.thread_ts.is_some();
        state.note(if streams { "stream" } else { "live" }, progress);
        Live {
            at,
            channel: place.channel.clone(),
            thread_ts: place.thread_ts.clone(),
            streams,
        }
    }
}

impl State {
    pub(super) fn note(&mut self, kind: &str, progress: &Progress) {
        let tasks = progress.tasks.iter().map(|task| {
            let mark = match task.state {
                TaskState::InProgress => "…",
                TaskState::Complete => "✓",
                TaskState::Error => "✗",
            };
            format!("[{} {mark}]", task.title)
        });
        let text = Some(progress.text.clone()).filter(|text| !text.is_empty());
        let shown: Vec<String> = tasks.chain(text).collect();
        self.moments.push(format!("{kind}: {}", shown.join(" ")));
    }

    pub(super) fn live(&self, at: &Posted) -> Option<usize> {
        self.lives.iter().position(|live| live.at == *at)
    }

    pub(super) fn live_by_key(&self, key: &str) -> Option<Posted> {
        let found = self.lives.iter().find(|live| live.key == key);
        found.map(|live| live.at.clone())
    }

    pub(super) fn remove(&mut self, at: &Posted) {
        if let Some(number) = self.live(at) {
            self.lives.remove(number);
            self.moments.push("deleted".to_owned());
        }
    }

    /// `None` if the message doesn't exist. Completing it again replaces its content.
    pub(super) fn complete(&mut self, live: &Live, post: &Post) -> Option<()> {
        if let Some(number) = self.live(&live.at) {
            self.lives.remove(number);
            self.moments.push("completed".to_owned());
            self.messages.push(Kept {
                channel: live.at.channel.clone(),
                thread_ts: live.thread_ts.clone(),
                ts: live.at.ts.clone(),
                ..Kept::default()
            });
        }
        let mut messages = self.messages.iter_mut();
        let kept = messages.find(|kept| kept.ts == live.at.ts)?;
        post.text.clone_into(&mut kept.text);
        kept.blocks.clone_from(&post.blocks);
        kept.idempotency_key = Some(post.idempotency_key.clone());
        Some(())
    }
}
