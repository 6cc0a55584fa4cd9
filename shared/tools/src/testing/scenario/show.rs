//! Shows what is in the accounts.

use super::json::short;
use super::world::World;
use crate::email::ANY_STATUS;
use crate::testing::*;
use alfred_core::ports::{
    Calendar, CellRange, Event, Mail, MailQuery, MailSummary, OutgoingFile, OutgoingMail, Query,
    Range,
};

fn lines<T>(items: &[T], line: impl Fn(&T) -> String) -> String {
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl World {
    pub(super) async fn show(&self, what: &str) -> String {
        let (harness, accounts) = (&self.harness, &self.harness.context.accounts);
        let account = harness.context.account();
        let (what, about) = what.split_once(' ').unwrap_or((what, ""));
        match what {
            "states" => self.states().await,
            "sent" => {
                let sent = self.mail.as_ref().unwrap().sent(&account);
                let all = lines(&sent, |one| as_text(&one.mail));
                format!("{} sent\n{all}", sent.len())
            }
            "drafts" => {
                let drafts = self.mail.as_ref().unwrap().drafts(&account);
                let all = lines(&drafts, |one| as_text(&one.mail));
                format!("{} drafts\n{all}", drafts.len())
            }
            "told" => {
                let calendar = self.calendar.as_ref().unwrap();
                let told = lines(&calendar.told(&account), ToString::to_string);
                format!("{told}\n{}", calendar.notes(&account).join("\n"))
            }
            "events" => self.events().await,
            "timers" => self.timers().await,
            "left" => self.web.as_ref().unwrap().left.lock().unwrap().join("\n"),
            "calls" => harness.faults.calls(about).to_string(),
            "day" => harness.day(about).await.join("\n"),
            "document" => {
                let read = accounts.documents.read(&account, &about.into()).await;
                read.unwrap().unwrap().text
            }
            "cells" => {
                let range = CellRange::parse(about).unwrap();
                let read = accounts.sheets.read(&account, &"s1".into(), &range).await;
                json!(read.unwrap().unwrap()).to_string()
            }
            "posts" => lines(&harness.chat.posted(), |post| {
                let thread = post.thread_ts.as_deref().unwrap_or("no thread");
                let key = post.idempotency_key.as_deref().unwrap_or_default();
                format!("{} ({thread}, {key}): {}", post.channel, short(&post.text))
            }),
            "blocks" => {
                let posted = harness.chat.posted();
                let last = posted.last().unwrap();
                lines(&last.blocks, |block| short(&block.to_string()))
            }
            other => panic!("nothing shows {other}"),
        }
    }

    async fn states(&self) -> String {
        let query = MailQuery {
            status: ANY_STATUS.to_vec(),
            limit: 50,
            ..MailQuery::default()
        };
        let (mail, account) = (self.mail.clone().unwrap(), self.harness.context.account());
        let page = Mail::list(&*mail, &account, &query).await.unwrap();
        lines(&page.mails, |mail: &MailSummary| {
            let status = json!(mail.status);
            format!("{}: {}", short(mail.id.as_str()), status.as_str().unwrap())
        })
    }

    /// The timers of the next two hours.
    async fn timers(&self) -> String {
        let mut found = Vec::new();
        for hour in 0..2 {
            let hour = self.harness.context.now + jiff::SignedDuration::from_hours(hour);
            for shard in 0..keys::DUE_SHARDS {
                let query = Query::state(keys::due_partition(hour, shard), Range::All);
                found.extend(query.all(&*self.harness.context.store).await.unwrap());
            }
        }
        lines(&found, |timer| timer.key.range.clone())
    }

    async fn events(&self) -> String {
        let year = span("2026-01-01T00:00", "2027-12-31T00:00");
        let calendar = self.calendar.clone().unwrap();
        let (zone, account) = (self.harness.context.zone(), self.harness.context.account());
        let page = Calendar::events(&*calendar, &account, year).await.unwrap();
        lines(&page.events, |event: &Event| {
            let span = event.time.span(&zone);
            let [from, to] = [span.start, span.end]
                .map(|at| at.to_zoned(zone.clone()).strftime("%F %H:%M").to_string());
            format!("{from} to {to}: {} ({})", event.title, event.id)
        })
    }
}

fn as_text(mail: &OutgoingMail) -> String {
    let person = |one: &Mailbox| format!("{} <{}>", one.name, one.address);
    let file = |file: &OutgoingFile| {
        let (name, kind, size) = (&file.name, &file.content_type, file.content.len());
        let byte = file.content.first().copied().unwrap_or_default();
        format!("{name} ({kind}, {size} bytes of {})", char::from(byte))
    };
    let fields = [
        ("To", lines(&mail.to, person)),
        ("Cc", lines(&mail.cc, person)),
        ("Subject", mail.subject.clone()),
        ("In-Reply-To", mail.in_reply_to.clone().unwrap_or_default()),
        ("References", mail.references.join(" ")),
        ("Files", lines(&mail.files, file)),
    ];
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let header =
        |(name, value): &(&str, String)| format!("{name}: {}\n", value.replace('\n', ", "));
    let headers: String = fields.map(header).collect();
    format!("{headers}\n{}\n---", short(&mail.text))
}
