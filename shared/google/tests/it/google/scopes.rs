//! Which files each scope opens.

use alfred_core::ports::{Cell, DocumentChange, Documents, Edit, SheetChange, Sheets};
use alfred_google::Google;
use alfred_google_local::docs::Document;
use alfred_google_local::drive::Content;
use alfred_google_local::scope::{DOCUMENTS, DRIVE_FILE, DRIVE_READONLY, SPREADSHEETS};
use alfred_google_local::sheets::Spreadsheet;

use crate::google::support::{World, account};

/// Her documents and her sheets: `ours` were made with Alfred, `hers` elsewhere.
const FILES: [[&str; 2]; 2] = [["ours", "hers"], ["our-sheet", "her-sheet"]];

async fn world() -> World {
    let world = World::new().await;
    for [made_with, made_elsewhere] in FILES {
        for id in [made_with, made_elsewhere] {
            let content = if id.ends_with("sheet") {
                Content::Spreadsheet(Spreadsheet::default())
            } else {
                Content::Document(Document::of_lines("one"))
            };
            world.put_file(id, id, content, "2026-11-20T08:00:00Z");
        }
        world.file(made_elsewhere, |file| file.by_app = false);
    }
    world
}

/// The files that are read, and those that can be changed too.
async fn opened(google: &Google) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut read, mut changed) = (Vec::new(), Vec::new());
    let of = &account();
    let [documents, sheets] = FILES;
    for id in documents {
        if let Some(document) = Documents::read(google, of, &id.into()).await.unwrap() {
            read.push(id);
            let change = DocumentChange {
                edit: Edit::Append("two".into()),
                revision: document.revision,
            };
            let done = Documents::change(google, of, &id.into(), &change, "k").await;
            changed.extend(done.ok().map(|_| id));
        }
    }
    for id in sheets {
        if google.sheet(of, &id.into()).await.unwrap().is_some() {
            read.push(id);
            let change = SheetChange::Append {
                tab: "Sheet1".into(),
                rows: vec![vec![Cell::Text("two".into())]],
            };
            let done = google.apply(of, &id.into(), &change, "k").await;
            changed.extend(done.ok().map(|_| id));
        }
    }
    (read, changed)
}

#[tokio::test]
async fn other_files_are_read_and_changed_with_the_scopes_for_all_files() {
    let [[ours, hers], [our_sheet, her_sheet]] = FILES;
    let all = vec![ours, hers, our_sheet, her_sheet];
    for (scopes, read, changed) in [
        (
            &[DRIVE_FILE][..],
            vec![ours, our_sheet],
            vec![ours, our_sheet],
        ),
        (
            &[DRIVE_FILE, DRIVE_READONLY],
            all.clone(),
            vec![ours, our_sheet],
        ),
        (
            &[DRIVE_FILE, DRIVE_READONLY, DOCUMENTS],
            all.clone(),
            vec![ours, hers, our_sheet],
        ),
        (
            &[DRIVE_FILE, DRIVE_READONLY, DOCUMENTS, SPREADSHEETS],
            all.clone(),
            all.clone(),
        ),
    ] {
        let world = world().await;
        let google = world.consented_to(scopes);
        assert_eq!(opened(&google).await, (read, changed), "{scopes:?}");
    }
}
