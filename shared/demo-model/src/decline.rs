//! What is said of a request that isn't carried out.

use alfred_core::ports::ToolSpec;
use alfred_core::{Role, text};
use alfred_tools::fold;

use crate::pattern::{Example, Phrasings};

/// Characters of the person's words that are repeated.
const SHOWN: usize = 60;
/// Examples beside what wasn't understood.
const NEAR: usize = 3;
const OFFER: &str = "Did you mean “";

/// The words that nothing was understood of, and what is near them.
pub(crate) fn unclear(
    words: &str,
    said: &str,
    phrasings: &Phrasings,
    tools: &[ToolSpec],
) -> String {
    let short: String = words.chars().take(SHOWN).collect();
    let dots = if short.len() < words.len() { "…" } else { "" };
    let near = nearest(said, phrasings, tools);
    let near = near.iter().map(|example| format!("\n- {}", example.text));
    format!(
        "I didn't understand “{short}{dots}”, so I did nothing. I understand, for example:{}",
        near.collect::<String>()
    )
}

/// A spelling that may be meant.
pub(crate) fn misspelt(meant: &str) -> String {
    format!("{OFFER}{meant}”? I did nothing yet: say “yes”.")
}

/// The request that such an answer offered.
pub(crate) fn offered(answer: &str) -> Option<&str> {
    let (_, offered) = answer.split_once(OFFER)?;
    Some(offered.rsplit_once("”? ")?.0)
}

/// Understood, but the tool isn't there for this person: a guest may only read.
pub(crate) fn not_offered(tool: &str, role: Option<Role>) -> String {
    match (role, alfred_tools::tool(tool)) {
        (Some(Role::Guest), Some(known)) => {
            let words = &known.def().toolset;
            text::denied(&words.changing, &words.instead, Role::Member, Role::Guest)
        }
        _ => format!("I understood that, but {tool} isn't among the tools here."),
    }
}

/// Everything, a line a group.
pub(crate) fn help(phrasings: &Phrasings, tools: &[ToolSpec]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for example in offered_examples(phrasings, tools).filter(|one| !one.head.is_empty()) {
        let quoted = format!("“{}”", example.text);
        match groups.iter_mut().find(|(head, _)| *head == example.head) {
            Some((_, texts)) => texts.push(quoted),
            None => groups.push((example.head, vec![quoted])),
        }
    }
    let line =
        |(head, texts): &(&str, Vec<String>)| format!("\n- **{head}**: {}", texts.join(", "));
    match groups.as_slice() {
        [] => "There are no tools here, so there is nothing I can do.".into(),
        all => format!(
            "I'm the demo, and understand requests such as:{}",
            all.iter().map(line).collect::<String>()
        ),
    }
}

fn offered_examples<'a>(
    phrasings: &'a Phrasings,
    tools: &'a [ToolSpec],
) -> impl Iterator<Item = &'a Example> {
    let there = |example: &&Example| tools.iter().any(|tool| tool.name == example.tool);
    phrasings.examples.iter().filter(there)
}

/// The examples that are most like what was said.
fn nearest<'a>(said: &str, phrasings: &'a Phrasings, tools: &'a [ToolSpec]) -> Vec<&'a Example> {
    let said = fold(said);
    let like = |one: &Example| strsim::sorensen_dice(&said, &fold(one.text));
    let mut near: Vec<&Example> = offered_examples(phrasings, tools).collect();
    near.sort_by(|one, other| like(other).total_cmp(&like(one)));
    near.truncate(NEAR);
    near
}
