use super::owner;
use crate::api::Trace;
use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::say_made;

pub async fn run(cli: &Cli, id: &str) -> anyhow::Result<Exit> {
    let asked = Trace {
        id: id.into(),
        team: cli.team.clone(),
        json: cli.json,
    };
    #[cfg(feature = "aws")]
    if let Some(store) = super::deployment::store().await? {
        let tree = crate::server::trace::render(store, &asked).await?;
        say_made(cli.json, &tree);
        return Ok(Exit::Done);
    }
    say_made(cli.json, &owner::ask(cli, &asked).await?);
    Ok(Exit::Done)
}
