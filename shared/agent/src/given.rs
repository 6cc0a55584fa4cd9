//! Files of requests, for the tools that pass them on.

use alfred_core::RunId;

use crate::attached::{self, Attached};
use crate::frame::{self, Frame};
use crate::journal::LoadedRun;
use crate::step::Step;
use crate::tool::{ToolContext, ToolError};

/// Requests before this one whose files are looked for; each is a query.
const EARLIER: usize = 10;

/// The files that a request came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The run beside which they are kept.
    pub run: RunId,
    /// In the request's order, also those that aren't kept.
    pub files: Vec<Attached>,
    /// The runs of what was asked before in the conversation, the newest first.
    pub earlier: Vec<RunId>,
}

impl Given {
    /// To whoever works on this run now; the conversation is its own agent's alone.
    pub(crate) fn to(loaded: &LoadedRun) -> Self {
        let (run, frame) = (&loaded.run, &loaded.frame);
        let before = run.history.iter().rev().filter(|_| frame.is_own());
        let earlier = before.filter_map(|exchange| exchange.run.clone());
        Self {
            run: run.id.clone(),
            files: opened(&loaded.steps, frame),
            earlier: earlier.take(EARLIER).collect(),
        }
    }
}

fn opened(steps: &[Step], frame: &Frame) -> Vec<Attached> {
    let own = frame::own(steps, frame);
    let files = own.flat_map(|step| attached::attached(&step.did));
    files.cloned().collect()
}

impl ToolContext {
    /// The files of the request; where it came with none, those of the latest before it in the conversation that did.
    ///
    /// # Errors
    /// `Stop` when the store doesn't answer.
    pub async fn files(&self) -> Result<Given, ToolError> {
        if self.given.files.is_empty() {
            for run in &self.given.earlier {
                let loaded = self.journal().load(&self.team, run).await;
                let loaded = loaded.map_err(ToolError::Stop)?;
                let steps = loaded.map(|loaded| loaded.steps).unwrap_or_default();
                let files = opened(&steps, &Frame::default());
                if !files.is_empty() {
                    let run = run.clone();
                    return Ok(Given {
                        run,
                        files,
                        earlier: Vec::new(),
                    });
                }
            }
        }
        Ok((*self.given).clone())
    }

    /// What is in a file that came with a request of the person; `None` where it isn't kept, or not any more.
    ///
    /// # Errors
    /// `Stop` when the store doesn't answer.
    pub async fn content(
        &self,
        run: &RunId,
        file: &Attached,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let Some(digest) = &file.digest else {
            return Ok(None);
        };
        let whose = (&self.team, self.user_id(), run);
        Ok(attached::content(&*self.store, whose, digest).await?)
    }
}
