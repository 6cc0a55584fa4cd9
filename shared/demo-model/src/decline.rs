//! What is said of a request that isn't carried out.

use alfred_core::ports::ToolSpec;
use alfred_core::{Role, text};
use alfred_tools::fold::fold;
use std::collections::BTreeMap;

use crate::pattern::{Example, Phrasings};

/// Characters of the person's words that are repeated.
const SHOWN: usize = 60;
/// Examples beside what wasn't understood.
const NEAR: usize = 3;
/// Examples in a line of the help.
const IN_A_LINE: usize = 6;
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
    let category = tool.split('_').next().unwrap_or_default();
    match role {
        Some(Role::Guest) => text::denied(category, Role::Member, Role::Guest),
        _ => format!("I understood that, but {tool} isn't among the tools here."),
    }
}

/// Everything, a line a group.
pub(crate) fn help(phrasings: &Phrasings, tools: &[ToolSpec]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for example in offered_examples(phrasings, tools) {
        let Some(head) = example.head else { continue };
        let quoted = format!("“{}”", example.text);
        match groups.iter_mut().find(|(name, _)| *name == head) {
            Some((_, texts)) if texts.len() < IN_A_LINE => texts.push(quoted),
            Some(_) => {}
            None => groups.push((head, vec![quoted])),
        }
    }
    if groups.is_empty() {
        return "There are no tools here, so there is nothing I can do.".into();
    }
    let lines = groups
        .iter()
        .map(|(head, texts)| format!("\n- **{head}**: {}", texts.join(", ")));
    format!(
        "I'm the demo, and understand requests such as:{}",
        lines.collect::<String>()
    )
}

fn offered_examples<'a>(
    phrasings: &'a Phrasings,
    tools: &'a [ToolSpec],
) -> impl Iterator<Item = &'a Example> {
    let there = |example: &&Example| tools.iter().any(|tool| tool.name == example.tool);
    phrasings.examples.iter().filter(there)
}

/// The examples that share most with what was said; a word counts the less the more examples have it.
fn nearest<'a>(said: &str, phrasings: &'a Phrasings, tools: &'a [ToolSpec]) -> Vec<&'a Example> {
    let said = fold(said);
    let said: Vec<&str> = said.split(' ').collect();
    let examples: Vec<(&Example, String)> = offered_examples(phrasings, tools)
        .map(|example| (example, fold(example.text)))
        .collect();
    let mut spread: BTreeMap<&str, u32> = BTreeMap::new();
    for word in examples.iter().flat_map(|(_, text)| text.split(' ')) {
        *spread.entry(word).or_default() += 1;
    }
    let mut scored: Vec<(f64, usize)> = examples
        .iter()
        .enumerate()
        .map(|(at, (_, text))| {
            let shared = text.split(' ').filter(|word| {
                let stem = |word: &str| word.trim_end_matches('s').to_owned();
                said.iter().any(|one| stem(one) == stem(word))
            });
            (shared.map(|word| 1.0 / f64::from(spread[word])).sum(), at)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .iter()
        .take(NEAR)
        .map(|(_, at)| examples[*at].0)
        .collect()
}
