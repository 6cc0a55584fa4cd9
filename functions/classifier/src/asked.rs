use alfred_agent::model::Snapshot;
use alfred_agent::runner::admit::Request;
use alfred_agent::{RunInput, Work};
use alfred_core::envelope::SlackFile;
use alfred_core::{Envelope, ReplyAddress, User, WorkerInput};

use crate::forms::Form;

#[derive(Default)]
pub(crate) struct Asked {
    pub task: String,
    pub files: Vec<SlackFile>,
    pub quotes: bool,
    pub work: Work,
    pub program: Option<Snapshot>,
    pub ts: Option<String>,
    pub reply_to: ReplyAddress,
    /// The Modify form that it was written in.
    pub form: Option<Form>,
}

pub(crate) fn request(envelope: &Envelope, user: User, asked: Asked) -> Request {
    let input = WorkerInput {
        task_prompt: asked.task,
        user_context: (&user).into(),
        slack_context: asked.reply_to.into(),
        session_id: envelope.session.clone(),
        files: asked.files,
        quotes: asked.quotes,
    };
    Request {
        asked_ts: asked.ts,
        ..Request::new(RunInput::Worker(input), asked.work, user.preferences)
    }
}
