//! The answers to requests that aren't carried out.

use alfred_core::ports::ToolSpec;
use alfred_core::{Role, text};
use alfred_tools::fold;

use crate::pattern::{Example, Phrasings};

/// Maximum characters of the person's words that are repeated.
const SHOWN: usize = 60;
/// Examples in a refusal.
const NEAR: usize = 3;

/// Nothing matched, or patterns with different calls.
pub(crate) fn unclear(
    said: &str,
    ambiguous: bool,
    phrasings: &Phrasings,
    tools: &[ToolSpec],
) -> String {
    let said = short(said);
    let problem = if ambiguous {
        format!("“{said}” could mean two things, so I did nothing.")
    } else {
        format!("I didn't understand “{said}”, so I did nothing.")
    };
    let near = nearest(&said, phrasings, tools);
    if near.is_empty() {
        return format!("{problem} This worker can do nothing that I understand.");
    }
    let near: String = near.iter().map(|it| format!("\n- {}", it.text)).collect();
    format!("{problem} I understand, for example:{near}")
}

/// Two requests in one message.
pub(crate) fn two(first: &str, second: &str) -> String {
    let (first, second) = (short(first), short(second));
    format!(
        "Those are two wishes, and I take one at a time, so I did nothing yet. Write “{first}” first and “{second}” after that, each in its own message."
    )
}

pub(crate) const FOREIGN: &str = "I only understand English so far: try “show my tasks”, “plan my day” or “what's on tomorrow?”.";
pub(crate) const DAY_ALONE: &str = "I know the day, but not what to do. Try “plan Monday”.";
pub(crate) const OVER: &str =
    "That time is over, so I did nothing. Name a later one or another day, such as “tomorrow”.";

fn short(words: &str) -> String {
    let words = words.trim();
    let short: String = words.chars().take(SHOWN).collect();
    let dots = if short.len() < words.len() { "…" } else { "" };
    short + dots
}

/// The tool isn't offered to this person, for example because a guest may only read.
pub(crate) fn not_offered(tool: &str, role: Option<Role>) -> String {
    match (role, alfred_tools::tool(tool)) {
        (Some(Role::Guest), Some(known)) => {
            let words = &known.def().toolset;
            text::denied(&words.changing, &words.instead, Role::Member, Role::Guest)
        }
        _ => "This worker can't do that.".to_owned(),
    }
}

/// The examples that resemble the message most.
fn nearest<'a>(said: &str, phrasings: &'a Phrasings, tools: &'a [ToolSpec]) -> Vec<&'a Example> {
    let said = fold(said);
    let like = |one: &Example| strsim::sorensen_dice(&said, &fold(one.text));
    let offered = |example: &&Example| tools.iter().any(|tool| tool.name == example.tool);
    let mut near: Vec<&Example> = phrasings.examples.iter().filter(offered).collect();
    near.sort_by(|one, other| like(other).total_cmp(&like(one)));
    near.truncate(NEAR);
    near
}
