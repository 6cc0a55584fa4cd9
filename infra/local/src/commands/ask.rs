//! `alfred ask`: sends a direct message to Alfred and prints the answer.

use super::{answer, owner};
use crate::api::{self, Ask};
use crate::cli::Cli;
use crate::exit::Exit;

pub async fn run(cli: &Cli, request: String) -> anyhow::Result<Exit> {
    let asked = Ask {
        user: cli.user.clone(),
        request,
        id: api::new_id(),
    };
    answer::report(cli, owner::ask_serving(cli, &asked).await)
}
