//! The model that answers when none is configured. It matches a request against patterns, which are
//! data (`patterns/`), calls tools through the loop as any model does, and puts their results into
//! sentences. One pattern has to match every word of a request. Otherwise nothing is done.

mod call;
mod chosen;
mod decline;
mod follow;
mod look;
mod matching;
mod pattern;
mod prompt;
mod say;
mod slot;
mod things;
mod times;
mod understand;
mod words;

use alfred_core::ConfigError;
use alfred_core::ports::{
    Finish, Message, Model, ModelError, Output, ToolCall, Turn, TurnRequest, Usage,
};
use async_trait::async_trait;
use serde_json::Value;

use follow::Reply;
use pattern::Phrasings;

/// Its name, as `ALFRED_MODEL` names it.
pub const NAME: &str = "demo:offline";

macro_rules! files {
    ($($name:ident)+) => {
        &[$((stringify!($name), include_str!(concat!("../patterns/", stringify!($name), ".txt")))),+]
    };
}

/// The pattern files; `words` comes first, since the others use its names.
const FILES: &[(&str, &str)] = files! {
    words changes workflow_schedule workflow_fillWorkBlock workflow_fillEmailBlock system_modifyProposal
    calendar_viewMeetings calendar_findTimes calendar_cancelMeeting calendar_answerInvitation
    schedule_viewSchedule schedule_viewWeek schedule_findGaps schedule_analyzeUtilization
    job_createJob job_viewJobs job_deleteJob calendar_scheduleMeeting calendar_rescheduleMeeting schedule_createTimeBlock schedule_moveTimeBlock
    schedule_deleteTimeBlock task_createTask task_viewTasks task_suggestForDuration task_completeTask
    task_updateTask task_assignToTimeBlock task_deleteTask web_readPage web_search email_readEmail email_viewEmails email_batchCategorize email_archiveBatch email_markBatch email_groupBySender
    email_processEmail email_sendEmail email_createTaskFromEmail slack_sendMessage user_lookup user_list
    preference_updatePreferences system_provideFeedback approval_list system_presentProposal
    system_confirmProposal system_resumeWorkflow system_showWorkflowHistory system_showPatterns
    system_clearContext system_undo time_now time_convert time_add talk
};

/// The patterns behind the model port. Costs nothing and needs no network.
///
/// A request for JSON is answered with `{"result": false}`: the only known one asks whether a
/// request needs a team, and the demo model can't lead one.
#[derive(Debug)]
pub struct DemoModel {
    phrasings: Phrasings,
}

impl DemoModel {
    /// Reads the pattern files.
    ///
    /// # Errors
    /// `Invalid` names the line of a pattern file that can't be read.
    pub fn new() -> Result<Self, ConfigError> {
        let phrasings = Phrasings::read(FILES);
        let phrasings = phrasings.map_err(|reason| ConfigError::Invalid { name: NAME, reason })?;
        Ok(Self { phrasings })
    }
}

#[async_trait]
impl Model for DemoModel {
    async fn turn(&self, request: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
        let reply = match &request.output {
            Output::Json { name, schema } => json(name, schema)?,
            Output::Text => follow::reply(request, &self.phrasings),
        };
        let finish = match reply.calls.as_slice() {
            [] => Finish::Stop,
            _ => Finish::ToolCalls,
        };
        Ok(Turn {
            usage: usage(request, &reply),
            finish,
            text: reply.text,
            tool_calls: reply.calls,
            refused: reply.refused,
            model: NAME.into(),
        })
    }

    fn name(&self) -> String {
        NAME.into()
    }
}

/// The answer to the only known schema, a predicate: false.
fn json(name: &str, schema: &Value) -> Result<Reply, ModelError> {
    let kind = schema.pointer("/properties/result/type");
    if kind.is_none_or(|kind| kind != "boolean") {
        let detail = format!("{NAME} can't fill in \"{name}\": set ALFRED_MODEL");
        return Err(ModelError::Refused { detail });
    }
    Ok(Reply {
        text: "{\"result\": false}".into(),
        ..Reply::default()
    })
}

/// Four bytes count as a token, so that token budgets work. Free of charge.
fn usage(request: &TurnRequest, reply: &Reply) -> Usage {
    let size = |calls: &[ToolCall]| calls.iter().map(|call| call.arguments.len()).sum::<usize>();
    let read = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => {
            text.len()
        }
        Message::Assistant { text, tool_calls } => text.len() + size(tool_calls),
        Message::Files { .. } => 0,
    });
    Usage {
        input_tokens: read.sum::<usize>().div_ceil(4) as u64,
        output_tokens: (reply.text.len() + size(&reply.calls)).div_ceil(4) as u64,
        cost_micros: Some(0),
        ..Usage::default()
    }
}
