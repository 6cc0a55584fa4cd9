//! Gives tools access to the files attached to requests.

use alfred_core::{RunId, keys};

use crate::history::{attached_files, frame};
use crate::model::{Attached, Frame, Given, Step};
use crate::store::attachments;
use crate::store::journal::{Journal, LoadedRun};
use crate::tool::{Result, ToolContext};

/// Maximum earlier requests searched for files; each costs a query.
const EARLIER: usize = 10;

impl Given {
    /// The files for the current agent. Only the run's own agent may see earlier requests.
    pub(crate) fn to(loaded: &LoadedRun) -> Self {
        let (run, frame) = (&loaded.run, &loaded.frame);
        let before = run.before.history.iter().rev().filter(|_| frame.is_own());
        let earlier = before.filter_map(|exchange| exchange.run.clone());
        let waiting = run.before.waiting.iter().map(|one| one.id.clone());
        Self {
            run: run.id.clone(),
            files: opened(&loaded.steps, frame),
            earlier: earlier.take(EARLIER).collect(),
            waiting: waiting.collect(),
        }
    }
}

fn opened(steps: &[Step], frame: &Frame) -> Vec<Attached> {
    let own = frame::own(steps, frame);
    let files = own.flat_map(|step| attached_files(&step.did));
    files.cloned().collect()
}

impl ToolContext {
    pub fn journal(&self) -> Journal {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        Journal::new(store, clock, self.ids.clone(), &self.config)
    }

    /// The request's files. If it has none, those of the latest earlier request with files.
    pub async fn files(&self) -> Result<Given> {
        let is_empty = self.given.files.is_empty();
        for run in self.given.earlier.iter().filter(|_| is_empty) {
            let loaded = self.journal().load(&self.team, run).await?;
            let steps = loaded.map(|loaded| loaded.steps).unwrap_or_default();
            let files = opened(&steps, &Frame::default());
            if !files.is_empty() {
                let mut given = (*self.given).clone();
                (given.run, given.files) = (run.clone(), files);
                return Ok(given);
            }
        }
        Ok((*self.given).clone())
    }

    pub async fn content(&self, run: &RunId, file: &Attached) -> Result<Option<Vec<u8>>> {
        let Some(digest) = &file.digest else {
            return Ok(None);
        };
        let key = keys::attached(&self.team, self.user_id(), run, digest);
        Ok(attachments::content(&*self.store, &key).await?)
    }
}
