//! Thumbs under answers. They are stored with the run.

use alfred_agent::Run;
use alfred_agent::model::Rating;
use alfred_agent::slack::respond::rated;
use alfred_core::{Result, text};

use crate::Classifier;
use crate::clicks::UNKNOWN_COMMAND;
use crate::people::Press;

const THANKS: &str = "Thanks, I've noted that the answer was good.";
const SORRY: &str =
    "I'm sorry, and I've noted it. Write to me what was wrong, and I'll do it again.";
const TOO_LATE: &str = "I don't have that answer any more, so I can't note it.";

impl Classifier {
    pub(crate) async fn rate(&self, press: Press<'_>) -> Result<()> {
        let Some((rating, run)) = rated(&press.click.value) else {
            return self.whisper(press, UNKNOWN_COMMAND).await;
        };
        let journal = self.ports.journal();
        let Some(mut loaded) = journal.load(&press.envelope.team, &run).await? else {
            return self.whisper(press, TOO_LATE).await;
        };
        if loaded.run.user != press.envelope.user {
            return self.whisper(press, text::NOT_YOUR_DECISION).await;
        }
        if loaded.run.progress.rating != Some(rating) {
            let note = |run: &mut Run| run.progress.rating = Some(rating);
            journal.commit(&mut loaded, vec![], vec![], note).await?;
            tracing::info!(run.id = %run, ?rating, "an answer was rated");
        }
        let words = match rating {
            Rating::Good => THANKS,
            Rating::Bad => SORRY,
        };
        self.whisper(press, words).await
    }
}
