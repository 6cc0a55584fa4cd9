//! Shows what is in the accounts.

use super::json::short;
use super::world::World;
use crate::testing::*;
use alfred_core::ports::{CellRange, MailQuery, OutgoingMail};

impl World {
    pub(super) async fn show(&self, what: &str) -> String {
        let context = &self.harness.context;
        let account = context.account();
        let (what, about) = what.split_once(' ').unwrap_or((what, ""));
        match what {
            "states" => self.states().await,
            "sent" => {
                let sent = self.mail.as_ref().unwrap().sent(&account);
                let all: Vec<String> = sent.iter().map(|one| as_text(&one.mail)).collect();
                format!("{} sent\n{}", all.len(), all.join("\n---\n"))
            }
            "drafts" => {
                let drafts = self.mail.as_ref().unwrap().drafts(&account);
                let all: Vec<String> = drafts.iter().map(|one| as_text(&one.mail)).collect();
                format!("{} drafts\n{}", all.len(), all.join("\n---\n"))
            }
            "told" => {
                let calendar = self.calendar.as_ref().unwrap();
                let told = calendar.told(&account);
                let told: Vec<String> = told.iter().map(ToString::to_string).collect();
                format!(
                    "{}\n{}",
                    told.join(" "),
                    calendar.notes(&account).join("\n")
                )
            }
            "events" => self.events().await,
            "left" => self.web.as_ref().unwrap().left.lock().unwrap().join("\n"),
            "calls" => self.harness.faults.calls(about).to_string(),
            "day" => self.harness.day(about).await.join("\n"),
            "document" => {
                let read = context
                    .accounts
                    .documents
                    .read(&account, &about.into())
                    .await;
                read.unwrap().unwrap().text
            }
            "suggested" => {
                let documents = self.documents.as_ref().unwrap();
                format!("{:?}", documents.suggested(&account))
            }
            "cells" => {
                let range = CellRange::parse(about).unwrap();
                let sheets = &context.accounts.sheets;
                let read = sheets.read(&account, &"s1".into(), &range).await;
                json!(read.unwrap().unwrap()).to_string()
            }
            "posts" => {
                let line = |post: &alfred_testkit::Kept| {
                    let thread = post.thread_ts.as_deref().unwrap_or("no thread");
                    let key = post.idempotency_key.as_deref().unwrap_or_default();
                    format!("{} ({thread}, {key}): {}", post.channel, short(&post.text))
                };
                let posted = self.harness.chat.posted();
                posted.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            "blocks" => {
                let posted = self.harness.chat.posted();
                let blocks = &posted.last().unwrap().blocks;
                blocks
                    .iter()
                    .map(|block| short(&block.to_string()))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            other => panic!("nothing shows {other}"),
        }
    }

    async fn states(&self) -> String {
        use MailStatus::{Archived, Backlog, Processed, Read, Unread};
        let query = MailQuery {
            status: vec![Unread, Read, Archived, Backlog, Processed],
            limit: 50,
            ..MailQuery::default()
        };
        let mail = self.mail.as_ref().unwrap();
        let port: &dyn alfred_core::ports::Mail = mail.as_ref();
        let page = port
            .list(&self.harness.context.account(), &query)
            .await
            .unwrap();
        let line = |mail: &alfred_core::ports::MailSummary| {
            format!(
                "{}: {}",
                short(mail.id.as_str()),
                json!(mail.status).as_str().unwrap()
            )
        };
        page.mails.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    async fn events(&self) -> String {
        let port: &dyn alfred_core::ports::Calendar = self.calendar.as_ref().unwrap().as_ref();
        let year = span("2026-01-01T00:00", "2027-12-31T00:00");
        let page = port
            .events(&self.harness.context.account(), year)
            .await
            .unwrap();
        let zone = self.harness.context.zone();
        let line = |event: &alfred_core::ports::Event| {
            let span = event.time.span(&zone);
            let at =
                |at: jiff::Timestamp| at.to_zoned(zone.clone()).strftime("%F %H:%M").to_string();
            format!(
                "{} to {}: {} ({})",
                at(span.start),
                at(span.end),
                event.title,
                event.id
            )
        };
        page.events.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn as_text(mail: &OutgoingMail) -> String {
    let people = |boxes: &[Mailbox]| {
        let boxes = boxes
            .iter()
            .map(|one| format!("{} <{}>", one.name, one.address));
        boxes.collect::<Vec<_>>().join(", ")
    };
    let file = |file: &alfred_core::ports::OutgoingFile| {
        let content = file
            .content
            .first()
            .map(|byte| char::from(*byte))
            .unwrap_or_default();
        format!(
            "{} ({}, {} bytes of {content})",
            file.name,
            file.content_type,
            file.content.len()
        )
    };
    let files: Vec<String> = mail.files.iter().map(file).collect();
    let lines = [
        ("To", people(&mail.to)),
        ("Cc", people(&mail.cc)),
        ("Subject", mail.subject.clone()),
        ("In-Reply-To", mail.in_reply_to.clone().unwrap_or_default()),
        ("References", mail.references.join(" ")),
        ("Files", files.join(", ")),
    ];
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    let lines: Vec<String> = lines
        .map(|(label, value)| format!("{label}: {value}"))
        .collect();
    format!("{}\n\n{}", lines.join("\n"), short(&mail.text))
}
