//! A thread that owns a connection and runs the jobs sent to it, one at a time.

use rusqlite::Connection;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

use super::Fault;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

pub(super) struct Worker {
    /// `None` only during drop.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(mut connection: Connection, name: &str) -> io::Result<Self> {
        let (jobs, inbox) = channel::<Job>();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let _guard = AbortOnPanic;
                for job in inbox {
                    job(&mut connection);
                }
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // The caller may have been dropped; its work is kept.
            drop(reply.send(work(connection)));
        });
        let jobs = self.jobs.as_ref().ok_or(Fault::Closed)?;
        jobs.send(job).map_err(|_| Fault::Closed)?;
        Ok(answer.await.map_err(|_| Fault::Closed)??)
    }
}

/// Aborts the process if the database thread panics. Otherwise it would accept messages and answer none.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

impl Drop for Worker {
    /// Waits for the running job, so that the file is closed when the last clone is gone.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
