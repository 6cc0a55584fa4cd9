//! One of several things is chosen by its button. The press says which number it has, and nothing else: what stands
//! on the button may be other people's words.

use alfred_agent::claim::{Served, served};
use alfred_agent::options::{self, CHOOSE};
use alfred_agent::respond::without_buttons;
use alfred_agent::run::Work;
use alfred_agent::session::{OpenQuestion, Session};
use alfred_agent::tool::MOST_OPTIONS;
use alfred_core::ports::Posted;
use alfred_core::{Failure, RunId, TraceId, text};
use serde_json::Value;

use crate::Classifier;
use crate::again::Made;
use crate::people::Press;

const CHOICE_TOO_LATE: &str = "That question isn't open any more. Tell me which one you mean.";

impl Classifier {
    /// Goes on with a request that ended by asking, as if its owner had said which one they mean.
    pub(crate) async fn choose(&self, press: Press<'_>) -> Result<(), Failure> {
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
        let (session, _) = Session::load(store, team, &asked.run.user, &asked.run.session).await?;
        let question = session.question.filter(|open| open.run == run);
        // The same click again finds the run it made, and another one hears of it.
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
        Box::pin(self.make(
            press,
            made,
            "You've chosen already; I'm going on with that one.",
        ))
        .await
    }

    /// Takes the buttons of a question off its message.
    pub(crate) async fn without_choice(&self, question: &OpenQuestion, instead: Option<&Value>) {
        let posted = Posted {
            channel: question.channel.clone(),
            ts: question.ts.clone(),
        };
        let place = (&posted, question.thread_ts.as_deref());
        without_buttons(&self.ports, place, CHOOSE, |_| instead.cloned()).await;
    }
}

fn the_nth_of_these(number: usize) -> String {
    let nth = match number {
        1 => "first",
        2 => "second",
        3 => "third",
        4 => "fourth",
        _ => "fifth",
    };
    format!("The {nth} of these.")
}

/// The run and the number, from 1, that a button's value names.
fn chosen(value: &str) -> Option<(RunId, usize)> {
    let (run, number) = value.rsplit_once(':')?;
    let number = number.parse().ok()?;
    (1..=MOST_OPTIONS)
        .contains(&number)
        .then(|| (RunId::from(run), number))
}
