//! Plays `outlook.txt`. A command holds calls, separated by `; `. `a while METHOD waits: b` makes `b` while Graph holds
//! that method of `a` before it takes effect, `a while METHOD ends: b` after that.

mod at_graph;
mod connect;
mod mail;
mod once;

use alfred_core::ports::{AccountError, NamedCredentials};
use alfred_loopback::{Hold, Release};
use alfred_microsoft::Microsoft;
use alfred_testkit::MemorySecrets;
use alfred_testkit::conformance::calendar::CalendarCalls;
use alfred_testkit::conformance::{show_error, words};
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use std::sync::Arc;

use crate::microsoft::support::{Outlook, account};

#[tokio::test]
async fn outlook_does_what_the_text_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/microsoft/cases");
    assert_played(&format!("{folder}/outlook.txt"), Played::new).await;
}

struct Played {
    outlook: Outlook,
    credentials: NamedCredentials,
    calendar: CalendarCalls,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let Some((first, rest)) = command.split_once(" while ") else {
            return self.calls(command).await;
        };
        let (method, rest) = rest.split_once(' ').unwrap();
        let (hold, rest) = match rest.strip_prefix("waits: ") {
            Some(rest) => (Hold::BeforeEffect, rest),
            None => (Hold::AfterEffect, rest.strip_prefix("ends: ").unwrap()),
        };
        let mut gate = self.outlook.graph().hold(method, hold);
        let meanwhile = async {
            let held = gate.arrived().await;
            drop(gate);
            let shown = self.calls(rest).await;
            held.release(Release::Complete);
            shown
        };
        let (first, meanwhile) = tokio::join!(self.calls(first), meanwhile);
        format!("{meanwhile}\n{first}").trim_start().to_owned()
    }
}

impl Played {
    async fn new() -> Self {
        Self {
            outlook: Outlook::new().await,
            credentials: NamedCredentials(Arc::new(MemorySecrets::default())),
            calendar: CalendarCalls::new(account()),
        }
    }

    async fn calls(&self, calls: &str) -> String {
        let mut shown = Vec::new();
        for call in calls.split("; ") {
            shown.push(self.one(call).await.unwrap_or_else(show_error));
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }

    /// A call of this process, of `again` another, or of one `with` fewer permissions.
    async fn one(&self, call: &str) -> Result<String, AccountError> {
        let words = words(call);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match *words {
            ["consent", ref call @ ..] => Ok(self.connect(call).await),
            ["again", ref call @ ..] => self.call(&self.outlook.again(), call).await,
            ["with", permissions, "alone", ref call @ ..] => {
                let narrow = self.outlook.granted(permissions.to_owned().leak());
                self.call(&narrow, call).await
            }
            ref call => self.call(&self.outlook.mail, call).await,
        }
    }

    async fn call(&self, client: &Microsoft, call: &[&str]) -> Result<String, AccountError> {
        if let Some(shown) = self.calendar.call(client, call).await? {
            return Ok(shown);
        }
        self.mail(client, call).await
    }
}
