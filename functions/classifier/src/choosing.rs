//! The button's value holds only the option's number, since the label may contain other people's words.

use alfred_agent::Work;
use alfred_agent::model::{OpenQuestion, Session};
use alfred_agent::slack::options::{self, CHOOSE};
use alfred_agent::slack::undo::without_buttons;
use alfred_agent::store::claim::{Served, served};
use alfred_agent::tool::MOST_OPTIONS;
use alfred_core::ports::Posted;
use alfred_core::{Result, RunId, TraceId, text};
use serde_json::Value;

use crate::Classifier;
use crate::again::Made;
use crate::people::Press;

const CHOICE_TOO_LATE: &str = "That question isn't open any more. Tell me which one you mean.";

impl Classifier {
    /// Continues a request that ended with a question, as if its owner had named the option.
    pub(crate) async fn choose(&self, press: Press<'_>) -> Result<()> {
        let team = &press.envelope.team;
        let Some((run, number)) = chosen(&press.click.value) else {
            return self.whisper(press, CHOICE_TOO_LATE).await;
        };
        let Some(asked) = self.ports.journal().load(team, &run).await? else {
            return self.whisper(press, CHOICE_TOO_LATE).await;
        };
        if asked.run.user != press.envelope.user {
            return self.whisper(press, text::NOT_YOUR_DECISION).await;
        }
        let option = options::left(&self.ports, &asked).await?;
        let option =
            option.and_then(|(offered, all)| Some((offered, all.get(number - 1)?.clone())));
        let Some((offered, label)) = option else {
            return self.whisper(press, CHOICE_TOO_LATE).await;
        };
        let once = format!("choose:{run}");
        let store = &*self.ports.store;
        let session = Session::load(store, team, &asked.run.user, &asked.run.session).await?;
        let question = session.question.filter(|open| open.run == run);
        // A redelivery of the same click finds the run it made. A later click gets a notice.
        let made = served(store, team, &TraceId::derive(team, &once)).await?;
        if question.is_none() && made == Served::No {
            return self.whisper(press, CHOICE_TOO_LATE).await;
        }
        if let Some(question) = question {
            let line = options::chosen(&label);
            self.without_choice(&question, Some(&line)).await;
        }
        let made = Made {
            work: Work::Agent,
            answers: Some(offered),
            taint: asked.run.taint.clone(),
            once,
            words: the_nth_of_these(number),
            place: asked.run.input.slack().clone(),
            session: asked.run.session.clone(),
        };
        let made_before = "You've chosen already; I'm going on with that one.";
        Box::pin(self.make(press, made, made_before)).await
    }

    /// Removes the buttons of a question from its message; `instead` replaces them.
    pub(crate) async fn without_choice(&self, question: &OpenQuestion, instead: Option<&Value>) {
        let (channel, ts) = (question.channel.clone(), question.ts.clone());
        let posted = Posted { channel, ts };
        let thread = question.thread_ts.as_deref();
        without_buttons(&self.ports, &posted, thread, CHOOSE, |_| instead.cloned()).await;
    }
}

fn the_nth_of_these(number: usize) -> String {
    const NTH: [&str; MOST_OPTIONS] = ["first", "second", "third", "fourth", "fifth"];
    let nth = NTH.get(number - 1).unwrap_or(&"fifth");
    format!("The {nth} of these.")
}

fn chosen(value: &str) -> Option<(RunId, usize)> {
    let (run, number) = value.rsplit_once(':')?;
    let number = number.parse().ok()?;
    let is_one = (1..=MOST_OPTIONS).contains(&number);
    is_one.then(|| (RunId::from(run), number))
}
