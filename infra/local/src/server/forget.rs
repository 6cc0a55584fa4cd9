//! Forgets a person on one machine.

use alfred_core::ports::Account;
use alfred_operations::forget::{Forget, Forgotten};
use alfred_operations::one_machine::OneMachineErasure;

use crate::app::LocalApp;

pub async fn forget(app: &LocalApp, account: &Account) -> anyhow::Result<Forgotten> {
    let ports = &app.ports;
    let forget = Forget {
        store: &ports.store,
        clock: &ports.clock,
        ids: &ports.ids,
        config: &ports.config,
        connect: &*ports.accounts.connect,
        erasure: &OneMachineErasure {
            sqlite: app.sqlite.clone(),
            queue: app.queue.clone(),
            secrets: app.folder.secrets(),
        },
    };
    let forgotten = forget.forget(account).await?;
    app.sqlite.compact().await?;
    Ok(forgotten)
}
