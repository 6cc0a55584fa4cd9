//! Everyday dialogues through Slack's page, with the calls that a capable model makes and the expected outcome of each
//! request. The `.txt` files contain all of it; `script.rs` describes their format.

mod office;
mod outcome;
mod page;
mod script;

use std::sync::Arc;

use office::office;
use outcome::Outcome;
use page::Page;
use script::{Dialogue, Model, dialogues};

#[tokio::test]
async fn cards_and_words_about_them() {
    play_all(include_str!("01_cards.txt")).await;
}

#[tokio::test]
async fn plans_are_changed_and_taken_back() {
    play_all(include_str!("02_changes.txt")).await;
}

#[tokio::test]
async fn a_day_of_ones_own() {
    play_all(include_str!("03_own.txt")).await;
}

#[tokio::test]
async fn meetings_and_other_people() {
    play_all(include_str!("04_meetings.txt")).await;
}

async fn play_all(text: &str) {
    drop(rustls::crypto::ring::default_provider().install_default());
    // Creating a client is slow, because it reads the system's certificates.
    let http = reqwest::Client::new();
    let mut problems = Vec::new();
    for dialogue in dialogues(text) {
        problems.extend(play(&dialogue, &http).await);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

async fn play(dialogue: &Dialogue, http: &reqwest::Client) -> Vec<String> {
    let model = Arc::new(Model::default());
    let mut world = office(dialogue, model.clone().model()).await;
    let page = Page::before(&mut world, http).await;
    let mut reports = Vec::new();
    let mut before = page.posts().await;
    for exchange in &dialogue.exchanges {
        model.will(exchange);
        page.says(&mut world, &exchange.request).await;
        let now = page.posts().await;
        let outcome = Outcome::new(&before, &now, &model);
        let problems = outcome.problems(exchange);
        if !problems.is_empty() {
            let (title, request) = (&dialogue.title, &exchange.request);
            let problems = problems.join("\n");
            reports.push(format!("## {title}\n> {request}\n{problems}\n{outcome}"));
        }
        before = now;
    }
    reports
}
