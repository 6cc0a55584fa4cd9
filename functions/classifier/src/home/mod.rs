//! The Home tab of Alfred in Slack: published when its owner opens it, and when something on it changes.

mod buttons;
mod sections;

use alfred_agent::Ports;
use alfred_agent::slack::respond::pictures;
use alfred_agent::slack::rich_text;
use alfred_agent::store::users;
use alfred_agent::tool::ToolContext;
use alfred_core::ports::{ChatError, StoreError, Write};
use alfred_core::{Envelope, Result, Role, User, UserId, keys, text};
use jiff::civil::DateTimeRound;
use jiff::{RoundMode, Unit};
use serde_json::{Value, json};

use crate::{Classifier, people};
pub(crate) use buttons::HomeButton;

/// The picture's line for the current time is drawn anew this often.
const DRAWN_EVERY_MINUTES: i64 = 30;

/// Whose Home tab it is.
pub(crate) struct Home<'a> {
    pub classifier: &'a Classifier,
    pub envelope: &'a Envelope,
    pub user: &'a User,
    pub context: ToolContext,
}

/// False if Slack refuses these blocks.
async fn publish(ports: &Ports, user: &UserId, blocks: &[Value]) -> bool {
    match ports.chat.publish_home(user, blocks).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(user.id = %user, %error, "a Home tab isn't published");
            !matches!(error, ChatError::Refused { .. })
        }
    }
}

impl Classifier {
    /// Builds and publishes the Home tab of the envelope's user. Failures of Slack are only logged: the tab is published
    /// anew when its owner opens it.
    pub(crate) async fn home(&self, envelope: &Envelope, opened: bool) -> Result<()> {
        let Some(user) = people::known(&self.ports, envelope).await? else {
            // Not registered, or removed.
            let words = rich_text::text(text::NOT_RECOGNISED);
            let refusal = [rich_text::line_block(vec![words])];
            publish(&self.ports, &envelope.user, &refusal).await;
            return Ok(());
        };
        if opened {
            self.remember_home(envelope, &user).await?;
        }
        let home = Home {
            classifier: self,
            envelope,
            user: &user,
            context: ToolContext::of_person(&self.ports, &envelope.team, &user),
        };
        let mut blocks = home.blocks().await?;
        if !publish(&self.ports, &envelope.user, &blocks).await {
            // The picture's file may be gone; the next publication uploads another.
            let picture = keys::home_picture(&envelope.team, &envelope.user);
            let forgotten = Write::delete(picture, None);
            self.ports.commit_once(vec![forgotten]).await?;
            blocks.retain(|block| block["type"] != "image");
            publish(&self.ports, &envelope.user, &blocks).await;
        }
        Ok(())
    }

    /// Publishes the Home tab after something that is done already. Failures are only logged.
    pub(crate) async fn refresh_home(&self, envelope: &Envelope) {
        if let Err(failure) = Box::pin(self.home(envelope, false)).await {
            tracing::warn!(user.id = %envelope.user, error = %failure, "a Home tab isn't brought up to date");
        }
    }

    /// From now on, changes are published. If their row is being changed, the next opening does it.
    async fn remember_home(&self, envelope: &Envelope, user: &User) -> Result<()> {
        let (ports, team) = (&self.ports, &envelope.team);
        if user.opened_home {
            return Ok(());
        }
        let Some(mut stored) = users::get(&*ports.store, team, &envelope.user).await? else {
            return Ok(());
        };
        stored.user.opened_home = true;
        let version = Some(stored.version);
        match users::put(&*ports.store, &*ports.ids, team, &stored.user, version).await {
            Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Home<'_> {
    /// At most 75 blocks: each section limits its own.
    async fn blocks(&self) -> Result<Vec<Value>> {
        let mut blocks = self.waiting().await?;
        blocks.extend(self.day().await);
        blocks.extend(self.accounts().await);
        blocks.extend(self.jobs().await?);
        blocks.extend(self.preferences());
        blocks.extend(self.recent().await?);
        if self.user.role == Role::Admin {
            blocks.extend(self.administration().await?);
        }
        Ok(blocks)
    }

    /// Today's picture. Without one if the day can't be read, drawn or uploaded.
    async fn day(&self) -> Vec<Value> {
        match self.picture().await {
            Ok(today) => vec![sections::header("Today"), today],
            Err(error) => {
                tracing::warn!(user.id = %self.envelope.user, error, "a Home tab goes without its picture");
                Vec::new()
            }
        }
    }

    /// Today's picture, or a sentence if nothing is planned. Uploads the picture if it has changed since the last upload.
    async fn picture(&self) -> Result<Value, String> {
        let ports = &self.classifier.ports;
        let picture = alfred_tools::day_picture(&self.context).await;
        let mut picture = picture.map_err(|error| error.to_string())?;
        let mut days = picture.days.iter();
        if days.all(|day| day.bars.is_empty() && day.note.is_none()) {
            let words = "Nothing is planned. Write me “plan my day”.";
            return Ok(sections::lines(words));
        }
        let half_hour = DateTimeRound::new().smallest(Unit::Minute);
        let half_hour = half_hour
            .increment(DRAWN_EVERY_MINUTES)
            .mode(RoundMode::Trunc);
        picture.now = picture.now.round(half_hour).unwrap_or(picture.now);
        let shown = serde_json::to_string(&picture).map_err(|error| error.to_string())?;
        let shown = alfred_core::digest::sha256_hex(shown.as_bytes());
        let key = keys::home_picture(&self.envelope.team, &self.envelope.user);
        let known = ports.store.get(&key).await.ok().flatten();
        if let Some(known) = known.filter(|known| known.body["shown"] == shown) {
            return Ok(pictures::block(&picture, &known.body["file"]));
        }
        let file = pictures::upload_soon(ports, &picture).await?;
        let row = json!({"shown": shown, "file": file});
        let stored = ports.commit(vec![Write::put(key, None, row)]).await;
        stored.map_err(|error| error.to_string())?;
        Ok(pictures::block(&picture, &file.into()))
    }
}
