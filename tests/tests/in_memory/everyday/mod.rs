//! Everyday dialogues, written down before the product was tried with them: what a person writes, what a model
//! that reads well would call, and beside it everything that they see. `dialogues/*.txt` has the words, a mark for
//! what came of them as read by a person (`✓` served, `–` said plainly that it can't, `✗` wrong), and the calls.

mod office;
mod script;

use alfred_testkit::Kept;
use alfred_tests::seen;
use std::fmt::Write;
use std::sync::Arc;

use crate::world::{World, dm};
use office::office;
use script::{Dialogue, Model, dialogues};

/// What came of them, by mark.
const SERVED: [(char, usize); 3] = [('✓', 122), ('–', 30), ('✗', 0)];

#[tokio::test]
async fn everyday_dialogues_end_as_their_table_says() {
    let mut marks = SERVED.map(|(mark, _)| (mark, 0));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/in_memory/everyday");
    for (name, text) in script::files(&folder) {
        let mut transcript = String::new();
        for dialogue in dialogues(&text) {
            let mark = marks.iter_mut().find(|(mark, _)| *mark == dialogue.mark);
            mark.unwrap().1 += 1;
            transcript += &played(&dialogue).await;
        }
        insta::assert_snapshot!(name, transcript);
    }
    assert_eq!(marks, SERVED);
}

/// A dialogue as the person sees it.
async fn played(dialogue: &Dialogue) -> String {
    let script = Arc::new(Model::default());
    let mut world = office(dialogue, script.clone().model()).await;
    let mut told = format!("## {} {}\n", dialogue.mark, dialogue.title);
    let mut before = lines(&world);
    for exchange in &dialogue.exchanges {
        script.will(exchange);
        writeln!(told, "> {}", exchange.said).unwrap();
        let ts = world
            .chat
            .say(&"DU1".into(), None, &"U1".into(), &exchange.said);
        world.ask(dm("U1", &ts, &exchange.said)).await;
        for call in script.left() {
            writeln!(told, "    ! nobody asked for {call}").unwrap();
        }
        for failure in script.failures() {
            writeln!(told, "    ({failure})").unwrap();
        }
        let now = lines(&world);
        for (_, line) in now.iter().filter(|line| !before.contains(line)) {
            for line in line.lines() {
                writeln!(told, "    {line}").unwrap();
            }
        }
        before = now;
    }
    told + "\n"
}

/// Alfred's messages as they are now, each with its timestamp.
fn lines(world: &World) -> Vec<(String, String)> {
    let shown = |kept: Kept| {
        let place = match kept.channel.as_str() {
            "DU1" => String::new(),
            other => format!("(in {other}) "),
        };
        (
            kept.ts,
            format!("{place}{}", seen(&kept.text, &kept.blocks)),
        )
    };
    world.chat.posted().into_iter().map(shown).collect()
}
