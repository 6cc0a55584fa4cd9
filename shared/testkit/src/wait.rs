//! Waits with a limit. A test that waits for something that never comes fails, and its message names the wait.

use std::any::Any;
use std::io::{BufRead, BufReader, Read};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// The limit of nearly every wait. Nothing that works takes this long, even while both cores are busy.
pub const LIMIT: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

pub async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> T {
    match timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => panic!("{}", too_late(limit, what)),
    }
}

/// Runs blocking work on a thread and waits for its result, or passes its panic on. When the limit is over, the
/// thread is left behind.
#[track_caller]
pub fn within_blocking<T: Send + 'static>(
    limit: Duration,
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, result) = mpsc::channel();
    thread::spawn(move || drop(done.send(catch_unwind(AssertUnwindSafe(work)))));
    received(limit, what, &result).unwrap_or_else(|panic| resume_unwind(panic))
}

/// Awaits `work` and lets the time of its limits pass at once as soon as `reached` has happened: it runs out of time at
/// this point, however slow the machine is. The runtime has one thread.
pub async fn out_of_time<T, R>(
    reached: impl Future<Output = R>,
    work: impl Future<Output = T>,
) -> (T, R) {
    let pause = async {
        let reached = reached.await;
        tokio::time::pause();
        reached
    };
    let done = tokio::join!(work, pause);
    tokio::time::resume();
    done
}

/// Calls `look` every few milliseconds until it returns something.
pub async fn eventually<T>(
    limit: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    };
    within(limit, what, found).await
}

#[track_caller]
pub fn received<T>(limit: Duration, what: &str, channel: &Receiver<T>) -> T {
    match channel.recv_timeout(limit) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("{}", too_late(limit, what)),
        Err(RecvTimeoutError::Disconnected) => panic!("{what}: the sender has ended"),
    }
}

/// The message of a panic, as `catch_unwind` or a joined task returns it.
pub fn panic_message(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or_default()
}

pub(crate) fn too_late(limit: Duration, what: &str) -> String {
    format!("waited {} s for {what}", limit.as_secs_f64())
}

/// A child process that is killed when this value is dropped, so that a test that panics leaves no process behind
/// which holds the pipes of the test run open.
#[derive(Debug)]
pub struct ChildGuard(Child);

impl ChildGuard {
    #[track_caller]
    pub fn spawn(command: &mut Command) -> Self {
        match command.spawn() {
            Ok(child) => Self(child),
            Err(error) => panic!("{command:?} can't be run: {error}"),
        }
    }

    #[track_caller]
    pub fn ended(&mut self, limit: Duration, what: &str) -> ExitStatus {
        match self.ended_before(Instant::now() + limit) {
            Some(status) => status,
            None => panic!("{}", too_late(limit, what)),
        }
    }

    /// Like `ended`, but returns `None` when the process still runs at the deadline.
    pub(crate) fn ended_before(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    }
}

impl Deref for ChildGuard {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for ChildGuard {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // Both fail only for a child that has ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Runs a command to its end and returns what it printed. It is killed when the limit is over.
#[track_caller]
pub fn output(limit: Duration, command: &mut Command) -> Output {
    try_output(limit, command).unwrap_or_else(|error| panic!("{error}"))
}

/// Like `output`, for callers that remember the failure.
#[track_caller]
pub fn try_output(limit: Duration, command: &mut Command) -> Result<Output, String> {
    let deadline = Instant::now() + limit;
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = ChildGuard::spawn(piped.stderr(Stdio::piped()));
    let stdout = whole(child.stdout.take().unwrap());
    let stderr = whole(child.stderr.take().unwrap());
    let status = child.ended_before(deadline);
    // Frees the pipes if it still runs.
    drop(child);
    let rest = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(LIMIT).unwrap_or_default();
    let (stdout, stderr) = (rest(stdout), rest(stderr));
    let Some(status) = status else {
        let waited = too_late(limit, &format!("{command:?}"));
        let printed = String::from_utf8_lossy(&stderr);
        return Err(format!("{waited}; it printed: {printed}"));
    };
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

fn whole(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (done, bytes) = mpsc::channel();
    thread::spawn(move || {
        let mut read = Vec::new();
        // What came before an error counts.
        drop(pipe.read_to_end(&mut read));
        drop(done.send(read));
    });
    bytes
}

/// The parts of a pipe that end with a delimiter, without it. A thread reads them, so that a wait for the next one can
/// have a limit. What follows the last delimiter is left out.
#[derive(Debug)]
pub struct Parts(Receiver<Vec<u8>>);

impl Parts {
    pub fn lines(pipe: impl Read + Send + 'static) -> Self {
        Self::ending_with(b'\n', pipe)
    }

    pub fn ending_with(delimiter: u8, pipe: impl Read + Send + 'static) -> Self {
        let (sender, parts) = mpsc::channel();
        thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut part = Vec::new();
            while pipe.read_until(delimiter, &mut part).is_ok() && part.pop() == Some(delimiter) {
                if sender.send(std::mem::take(&mut part)).is_err() {
                    return;
                }
            }
        });
        Self(parts)
    }

    /// The next part as text, or `None` at the end of the pipe.
    #[track_caller]
    pub fn next(&self, limit: Duration, what: &str) -> Option<String> {
        match self.next_before(Instant::now() + limit) {
            Ok(part) => Some(String::from_utf8(part).unwrap()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("{}", too_late(limit, what)),
        }
    }

    pub(crate) fn next_before(&self, deadline: Instant) -> Result<Vec<u8>, RecvTimeoutError> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.0.recv_timeout(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(50);

    async fn failure_of(work: impl Future<Output = ()> + Send + 'static) -> String {
        let cause = tokio::spawn(work).await.unwrap_err().into_panic();
        panic_message(&*cause).to_owned()
    }

    #[tokio::test]
    async fn wait_in_vain_fails_with_its_name() {
        let (from, _open) = std::io::pipe().unwrap();
        let (_sender, words) = mpsc::channel::<()>();
        let never = std::future::pending;
        let look = async || None::<()>;
        let in_vain = [
            failure_of(async move { within(SHORT, "what", never()).await }).await,
            failure_of(async move { eventually(SHORT, "what", look).await }).await,
            failure_of(async move { drop(Parts::lines(from).next(SHORT, "what")) }).await,
            failure_of(async move { received(SHORT, "what", &words) }).await,
        ];
        assert_eq!(in_vain, ["waited 0.05 s for what"; 4]);
    }

    #[tokio::test]
    async fn work_runs_out_of_time_at_the_point_it_reached() {
        let (reach, reached) = tokio::sync::oneshot::channel();
        let work = timeout(Duration::from_secs(3_600), async {
            reach.send(7).unwrap();
            std::future::pending::<()>().await
        });
        let (done, reached) = out_of_time(reached, work).await;
        assert!(done.is_err());
        assert_eq!(reached.unwrap(), 7);
    }

    #[test]
    fn closed_pipe_has_no_next_line() {
        let (from, mut to) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut to, b"whole\ncut").unwrap();
        drop(to);
        let lines = Parts::lines(from);
        assert_eq!(lines.next(LIMIT, "a line").as_deref(), Some("whole"));
        assert_eq!(lines.next(LIMIT, "the end"), None);
    }

    #[test]
    fn child_is_killed_when_its_guard_is_dropped() {
        let (mut from, to) = std::io::pipe().unwrap();
        let child = ChildGuard::spawn(Command::new("sleep").arg("600").stdout(to));
        drop(child);
        let rest = within_blocking(LIMIT, "the child's end", move || from.read(&mut [0]));
        assert_eq!(rest.unwrap(), 0, "nobody holds the pipe any more");
    }
}
