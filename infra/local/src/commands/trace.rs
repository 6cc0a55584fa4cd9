use super::owner;
use crate::api::Trace;
use crate::cli::Cli;
use crate::exit::Exit;

pub async fn run(cli: &Cli, id: &str) -> anyhow::Result<Exit> {
    let asked = Trace {
        id: id.into(),
        team: cli.team.clone(),
        json: cli.json,
    };
    #[cfg(feature = "aws")]
    if let Some(store) = super::deployment::store().await? {
        let tree = crate::server::trace::render(store, &asked).await?;
        crate::terminal::say_made(cli.json, &tree);
        return Ok(Exit::Done);
    }
    owner::print(cli, &asked).await
}
