//! Everyday dialogues, written down before the product was tried with them: what a person writes on the page, what a
//! model that reads well would call, and beside it everything that they see. The `.txt` files have the words, a mark for
//! what came of them as read by a person (`✓` served, `–` said plainly that it can't, `✗` wrong), and the calls.

mod office;
mod page;
mod script;

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use office::office;
use page::Page;
use script::{Dialogue, Model, dialogues};

#[tokio::test]
async fn cards_and_words_about_them() {
    plays("01_cards", [('✓', 17), ('–', 2), ('✗', 0)]).await;
}

#[tokio::test]
async fn plans_are_changed_and_taken_back() {
    plays("02_changes", [('✓', 24), ('–', 1), ('✗', 0)]).await;
}

#[tokio::test]
async fn a_day_of_ones_own() {
    plays("03_own", [('✓', 58), ('–', 23), ('✗', 0)]).await;
}

#[tokio::test]
async fn meetings_and_other_people() {
    plays("04_meetings", [('✓', 23), ('–', 4), ('✗', 0)]).await;
}

/// Plays the dialogues of a file; `came` is what came of them, by mark.
async fn plays(name: &str, came: [(char, usize); 3]) {
    drop(rustls::crypto::ring::default_provider().install_default());
    // Each client reads the certificates that the system trusts.
    let http = reqwest::Client::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/in_memory/everyday");
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    let mut marks = came.map(|(mark, _)| (mark, 0));
    let mut transcript = String::new();
    for dialogue in dialogues(&text) {
        let mark = marks.iter_mut().find(|(mark, _)| *mark == dialogue.mark);
        mark.unwrap().1 += 1;
        transcript += &played(&dialogue, &http).await;
    }
    insta::assert_snapshot!(name, transcript);
    assert_eq!(marks, came);
}

/// A dialogue as the person sees it on the page.
async fn played(dialogue: &Dialogue, http: &reqwest::Client) -> String {
    let script = Arc::new(Model::default());
    let mut world = office(dialogue, script.clone().model()).await;
    let page = Page::before(&mut world, http).await;
    let mut told = format!("## {} {}\n", dialogue.mark, dialogue.title);
    let mut before = page.lines().await;
    for exchange in &dialogue.exchanges {
        script.will(exchange);
        writeln!(told, "> {}", exchange.said).unwrap();
        page.says(&mut world, &exchange.said).await;
        for call in script.left() {
            writeln!(told, "    ! nobody asked for {call}").unwrap();
        }
        for failure in script.failures() {
            writeln!(told, "    ({failure})").unwrap();
        }
        let now = page.lines().await;
        for (_, line) in now.iter().filter(|line| !before.contains(line)) {
            for line in line.lines() {
                writeln!(told, "    {line}").unwrap();
            }
        }
        before = now;
    }
    told + "\n"
}
