//! Documents pass the suite of every port. `docs.txt` has what only Google does, and what goes wrong.

use alfred_core::ports::{AccountError, Document, DocumentChange, Documents, Edit, Mailbox, Share};
use alfred_google::Google;
use alfred_google_local::docs::Document as GoogleDocument;
use alfred_google_local::drive::{Content, File};
use alfred_testkit::conformance::documents::given;
use alfred_testkit::conformance::{self, AccountSide};
use async_trait::async_trait;
use std::sync::Mutex;

use crate::google::once::once;
use crate::google::player::{Calls, Shown, content, plays};
use crate::google::support::{World, account};

/// The stand-in's first revision.
const FIRST: &str = "ALm37BV000001";

fn put(world: &World, id: &str, title: &str, lines: &str, modified: &str) {
    let content = Content::Document(GoogleDocument::of_lines(lines));
    world.put_file(id, title, content, modified);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_pass_the_suite() {
    let given = async || {
        let world = World::new().await;
        for (number, Document { summary, text, .. }) in given().into_iter().enumerate() {
            let (id, modified) = (format!("doc-{number}"), summary.modified.to_string());
            put(&world, &id, &summary.title, &text, &modified);
        }
        AccountSide::new(world.google.clone(), account(), world)
    };
    conformance::documents(given).await;
}

#[tokio::test]
async fn docs_do_what_the_text_says() {
    plays("docs/docs.txt", plan).await;
}

#[tokio::test]
async fn each_change_of_a_document_is_made_once() {
    once("docs", plan).await;
}

fn plan() -> Box<dyn Calls> {
    Box::new(Plan(Mutex::new(FIRST.into())))
}

/// Changes of the document `Plan`, for the revision that was looked at last.
struct Plan(Mutex<String>);

#[async_trait]
impl Calls for Plan {
    fn prepare(&self, world: &World) {
        self.inside(world, &["plan", "one"]);
    }

    async fn port(&self, _: &World, google: &Google, words: &[&str]) -> Shown {
        let (of, id) = (&account(), &"plan".into());
        Ok(Some(match *words {
            ["find"] => {
                let found = google.find(of, &[], 10).await?.into_iter();
                found.map(|found| found.title + "\n").collect()
            }
            ["search", ref words @ ..] => {
                let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
                let (found, complete) = google.search(of, &words, 10).await?;
                assert!(complete);
                found.into_iter().map(|one| one.title + "\n").collect()
            }
            ["share", who, access] => {
                let access = serde_json::from_value(access.into()).unwrap();
                let with = Mailbox::new("", who);
                google.set_access(of, id, &Share { with, access }).await?;
                "shared".into()
            }
            ["shares"] => match google.read(of, id).await?.unwrap().shares {
                Ok(shares) if shares.is_empty() => "none".into(),
                Ok(shares) => serde_json::to_string(&shares).unwrap(),
                Err(why) => why,
            },
            ["delete"] => {
                let deleted = google.set_deleted(of, id, true).await?;
                deleted.map_or("none".into(), |deleted| deleted.title)
            }
            ["export", revision] => {
                let file = google.export(of, id, revision).await?;
                let file = file.unwrap();
                let text = String::from_utf8_lossy(&file.content);
                format!("{}, {}: {text:?}", file.name, file.content_type)
            }
            ["look"] => {
                let read = google.read(of, id).await?.unwrap();
                *self.0.lock().unwrap() = read.revision;
                String::new()
            }
            ["read"] => shown(google.read(of, id).await?),
            ["create", text, key] => shown(Some(google.create(of, "Agenda", text, key).await?)),
            ["created?", key] => shown(google.find_created(of, key).await?),
            ["append", more, key] => {
                let edit = Edit::Append(more.into());
                shown(Some(self.change(google, edit, key).await?))
            }
            ["replace", old, new, key] => {
                let (old, new) = (old.into(), new.into());
                let edit = Edit::Replace { old, new };
                shown(Some(self.change(google, edit, key).await?))
            }
            ["changed?", key] => shown(google.find_changed(of, id, key).await?),
            _ => return Ok(None),
        }))
    }

    fn inside(&self, world: &World, words: &[&str]) -> String {
        if let ["plan", lines] = *words {
            put(world, "plan", "Plan", lines, "2026-11-20T08:00:00Z");
            *self.0.lock().unwrap() = FIRST.into();
            return String::new();
        }
        if words == ["shared"] {
            let all = |file: &mut File| format!("{:?}", file.shared);
            return world.file("plan", all);
        }
        let title = match *words {
            ["inside", title] => title,
            _ => "Plan",
        };
        let shown = content(world, title, |content| match content {
            Content::Document(document) => within(document, words),
            Content::Spreadsheet(_) => panic!("a sheet"),
        });
        shown.unwrap_or_default()
    }
}

impl Plan {
    async fn change(
        &self,
        google: &Google,
        edit: Edit,
        key: &str,
    ) -> Result<Document, AccountError> {
        let revision = self.0.lock().unwrap().clone();
        let change = DocumentChange { edit, revision };
        let (of, id) = (account(), "plan".into());
        let done = google.change(&of, &id, &change, key).await?;
        assert_ne!(done.revision, change.revision);
        Ok(done)
    }
}

fn within(document: &mut GoogleDocument, words: &[&str]) -> String {
    match *words {
        ["rewrite", lines] => document.rewrite(lines),
        ["unstamp"] => document.named_ranges().clear(),
        ["stamps"] => return document.named_ranges().len().to_string(),
        ["inside", _] => return brief(&document.markdown()),
        _ => panic!("no call {words:?}"),
    }
    String::new()
}

fn shown(document: Option<Document>) -> String {
    let Some(document) = document else {
        return "none".into();
    };
    assert!(!document.revision.is_empty());
    let read_only = if document.may_edit { "" } else { ", read-only" };
    let cut = if document.truncated { ", cut" } else { "" };
    format!("{}{read_only}{cut}", brief(&document.text))
}

/// The beginning and the end of a long text.
fn brief(text: &str) -> String {
    if text.len() < 300 {
        return format!("{text:?}");
    }
    let (start, rest) = text.split_at(text.floor_char_boundary(30));
    let end = &rest[rest.ceil_char_boundary(rest.len() - 30)..];
    format!("{start:?} to {end:?}, {} bytes", text.len())
}
