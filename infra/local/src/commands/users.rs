use super::owner;
use crate::api::{Order, People};
use crate::cli::{Cli, UsersCommand};
use crate::exit::{Exit, Usage};
#[cfg(feature = "aws")]
use crate::terminal::say_made;

pub async fn run(cli: &Cli, command: &UsersCommand) -> anyhow::Result<Exit> {
    let order = match command {
        UsersCommand::List => Order::List,
        UsersCommand::Add { id, role } => Order::Add {
            id: id.clone(),
            role: *role,
        },
        UsersCommand::Forget { id, yes: true } => {
            #[cfg(feature = "aws")]
            if let Some(forgotten) = super::deployment::forget(cli, id).await? {
                say_made(cli.json, &forgotten);
                return Ok(Exit::Done);
            }
            Order::Forget { id: id.clone() }
        }
        UsersCommand::Forget { id, yes: false } => {
            return Err(Usage::error(format!(
                "this deletes everything stored of {id} and can't be undone; repeat it with --yes"
            )));
        }
    };
    let json = cli.json;
    owner::print(cli, &People { order, json }).await
}
