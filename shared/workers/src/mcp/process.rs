//! MCP servers that are programs: their environment and their end.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Variables that a server inherits.
const KEPT: [&str; 2] = ["PATH", "HOME"];

/// A running server. Dropping it kills its process group.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts a program in a folder, with only `env` and the inherited variables.
    pub fn start(
        command: &str,
        args: &[String],
        env: impl IntoIterator<Item = (String, String)>,
        folder: Option<&Path>,
    ) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let kept = KEPT.iter();
        let kept = kept.filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut start = Command::new(command);
        start.args(args).env_clear().envs(kept).envs(env);
        if let Some(folder) = folder {
            start.current_dir(folder);
        }
        start.stdin(Stdio::piped()).stdout(Stdio::piped());
        // The server's errors would mix with this process's own.
        start.stderr(Stdio::null());
        let mut child = start.process_group(0).kill_on_drop(true).spawn()?;
        let pipes = child.stdout.take().zip(child.stdin.take());
        let (stdout, stdin) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        Ok((Self { child }, stdout, stdin))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process wasn't waited for, so its id, which is also its group's, can't have been reused.
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw)
            && let Err(error) = kill_process_group(group, Signal::KILL)
        {
            tracing::warn!(%error, "an MCP server couldn't be ended");
        }
    }
}
