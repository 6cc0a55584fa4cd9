//! `alfred slack manifest`: prints the manifest of the Slack app.

use alfred_operations::manifest::{Reach, manifest};

use crate::cli::SlackCommand;
use crate::exit::Exit;
use crate::terminal::say;

pub fn run(command: &SlackCommand) -> Exit {
    let SlackCommand::Manifest { socket, url } = command;
    let reach = match url {
        Some(url) => Reach::Url(url),
        None if *socket => Reach::Socket,
        None => Reach::Unknown,
    };
    say(manifest(reach).trim_end());
    Exit::Done
}
