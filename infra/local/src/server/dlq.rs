use alfred_operations::dead_letters::{
    DeadLetter, DeadLetterError, DeadLetterQueues, Settlement, redrive_all, settle_one,
};
use serde_json::Value;

use crate::api::{Dlq, DlqCommand, Request};
use crate::app::LocalApp;
use crate::terminal::made;

impl Request for Dlq {
    const PATH: &'static str = "/local/dlq";
    type Answer = String;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<String> {
        carry_out(&app.queue, self).await
    }
}

pub async fn carry_out(queues: &dyn DeadLetterQueues, asked: &Dlq) -> anyhow::Result<String> {
    let done = match &asked.command {
        DlqCommand::List => {
            let found = queues.list().await?;
            let letters: Vec<Value> = found.letters.iter().map(DeadLetter::summary).collect();
            return Ok(made(asked.json, &letters, || found.to_string())?);
        }
        DlqCommand::Show { id } => {
            let mut letters = queues.list().await?.letters.into_iter();
            let letter = letters.find(|letter| letter.id == *id);
            let letter = letter.ok_or_else(|| DeadLetterError::NotThere { id: id.clone() })?;
            return Ok(serde_json::to_string_pretty(&letter.details())?);
        }
        DlqCommand::Redrive { id: None, .. } => {
            format!("Delivered again: {}.", redrive_all(queues).await?)
        }
        DlqCommand::Redrive { id: Some(id), .. } => {
            settle_one(queues, id, Settlement::Redrive).await?;
            format!("{id} is delivered again.")
        }
        DlqCommand::Drop { id, .. } => {
            settle_one(queues, id, Settlement::Drop).await?;
            format!("{id} is deleted.")
        }
    };
    Ok(made(asked.json, &done, || done.clone())?)
}
