//! The functions' processes under `/proc`. Only processes of this test's own emulator are inspected or killed.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub function: String,
}

impl Process {
    /// Kills it like a machine crash: no handler runs, nothing is flushed.
    pub fn kill(&self, endpoint: &str) {
        let now = read(self.pid, endpoint);
        assert_eq!(now.as_ref(), Some(self), "the process is another one now");
        let pid = self.pid.to_string();
        let killed = Command::new("kill").args(["-KILL", &pid]).status();
        assert!(killed.unwrap().success(), "{self:?} can't be ended");
    }
}

pub fn of_function(function: &str, endpoint: &str) -> Vec<Process> {
    let all = bootstraps(endpoint).into_iter();
    all.filter(|process| process.function == function).collect()
}

pub fn caller(peer: SocketAddr, port: u16, endpoint: &str) -> Option<Process> {
    let socket = format!("socket:[{}]", inode(peer.port(), port)?);
    let holds = |process: &Process| {
        let Ok(files) = fs::read_dir(format!("/proc/{}/fd", process.pid)) else {
            return false;
        };
        let files = files.flatten();
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        links.any(|link| link.to_string_lossy() == socket)
    };
    bootstraps(endpoint).into_iter().find(holds)
}

/// The socket of a loopback connection, by its two ports.
fn inode(from: u16, to: u16) -> Option<String> {
    // The table has thousands of lines, mostly closed connections.
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    let ends = format!(" 0100007F:{from:04X} 0100007F:{to:04X} ");
    let line = table[table.find(&ends)?..].lines().next()?;
    // The columns after the addresses: state, queues, timer, retransmissions, user and timeout.
    line.split_whitespace().nth(8).map(str::to_owned)
}

fn bootstraps(endpoint: &str) -> Vec<Process> {
    let folders = fs::read_dir("/proc").unwrap().flatten();
    let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| read(pid, endpoint)).collect()
}

fn read(pid: u32, endpoint: &str) -> Option<Process> {
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).ok()?;
    let variable = |name: &str| {
        let lines = environment.split('\0');
        let mut all = lines.filter_map(|one| one.split_once('='));
        all.find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_owned())
    };
    if variable("AWS_ENDPOINT_URL")? != endpoint {
        return None;
    }
    let function = variable("AWS_LAMBDA_FUNCTION_NAME")?;
    Some(Process { pid, function })
}
