//! The buttons that only the Home tab has. Those of approvals and accounts do what they do elsewhere.

use alfred_agent::Work;
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
    /// Sets a state, under this title.
    SetJob(&'static str, &'static str),
    RunJob,
    Switch,
}

impl HomeButton {
    pub fn of(action_id: &str) -> Option<Self> {
        Some(match action_id {
            PAUSE_JOB => Self::SetJob("paused", "Pause a scheduled job"),
            RESUME_JOB => Self::SetJob("active", "Resume a scheduled job"),
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
            HomeButton::SetJob(status, words) => self.set_job(press, status, words).await,
            HomeButton::RunJob => {
                let owner = Account::of(&envelope.team, &envelope.user);
                let id = ScheduleId(value.to_owned());
                let once = format!("job-now:{}", envelope.trace_id);
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
        let envelope = press.envelope;
        let change = json!({"jobId": press.click.value, "status": status});
        let made = Made {
            work: Work::Call(consented("job_updateJob", change)?),
            answers: None,
            taint: Taint::default(),
            once: format!("home:{}", envelope.trace_id),
            words: words.to_owned(),
            place: SlackContext {
                thread_ts: None,
                ..press.click.reply_to.clone().into()
            },
            session: envelope.session.clone(),
        };
        Box::pin(self.make(press, made, text::ALREADY_DECIDED)).await
    }
}
