//! The buttons that only the Home tab has. Those of approvals and accounts do what they do elsewhere.

use alfred_agent::Work;
use alfred_agent::tool::UndoCall;
use alfred_core::ports::Account;
use alfred_core::{Result, ScheduleId, SlackContext, Taint, text};
use alfred_schedule::fire;
use serde_json::json;

use crate::Classifier;
use crate::administration::{self, Order};
use crate::again::{Made, consented};
use crate::people::Press;

/// The values of the first three are the job's id.
pub(super) const PAUSE_JOB: &str = "home_job_pause";
pub(super) const RESUME_JOB: &str = "home_job_resume";
pub(super) const RUN_JOB: &str = "home_job_run";
/// The value is "pause" or "resume".
pub(super) const SWITCH: &str = "home_switch";

#[derive(Clone, Copy)]
pub(crate) enum HomeButton {
    PauseJob,
    ResumeJob,
    RunJob,
    Switch,
}

impl HomeButton {
    pub fn of(action_id: &str) -> Option<Self> {
        Some(match action_id {
            PAUSE_JOB => Self::PauseJob,
            RESUME_JOB => Self::ResumeJob,
            RUN_JOB => Self::RunJob,
            SWITCH => Self::Switch,
            _ => return None,
        })
    }
}

impl Classifier {
    pub(crate) async fn press_home(&self, press: Press<'_>, button: HomeButton) -> Result<()> {
        let (envelope, value) = (press.envelope, press.click.value.as_str());
        match button {
            HomeButton::PauseJob => self.set_job(press, "paused", "Pause a scheduled job").await,
            HomeButton::ResumeJob => {
                self.set_job(press, "active", "Resume a scheduled job")
                    .await
            }
            HomeButton::RunJob => {
                let owner = Account::of(&envelope.team, &envelope.user);
                let (id, once) = (
                    ScheduleId(value.to_owned()),
                    format!("job-now:{}", envelope.trace_id),
                );
                match fire::run_now(&self.ports, &owner, &id, &once).await? {
                    Some(words) => self.whisper(press, words).await,
                    None => Ok(()),
                }
            }
            HomeButton::Switch => {
                let order = Order::Pause(value == "pause");
                let words = administration::carry_out(&self.ports, envelope, press.by, order);
                self.whisper(press, words.await?).await
            }
        }
    }

    /// Makes a request of its own, so that the change has a receipt, an audit entry and an undo button.
    async fn set_job(&self, press: Press<'_>, status: &str, words: &str) -> Result<()> {
        let (envelope, to) = (press.envelope, &press.click.reply_to);
        let direct = consented(&UndoCall {
            tool: "job_updateJob".into(),
            arguments: json!({"jobId": press.click.value, "status": status}),
            left: None,
        })?;
        let made = Made {
            work: Work::Call(direct),
            answers: None,
            taint: Taint::default(),
            once: format!("home:{}", envelope.trace_id),
            words: words.to_owned(),
            place: SlackContext {
                channel_id: to.channel.clone(),
                thread_ts: None,
                response_type: to.response_type,
            },
            session: envelope.session.clone(),
        };
        Box::pin(self.make(press, made, text::ALREADY_DECIDED)).await
    }
}
