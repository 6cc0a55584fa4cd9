use std::ops::RangeInclusive;

use super::TOOLSET;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Where the text is to appear.
    platform: Platform,
    /// The whole text as it would be published, hashtags included.
    text: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Platform {
    Linkedin,
    X,
    Facebook,
    Blog,
}

type Range = RangeInclusive<usize>;

pub fn tool() -> SharedTool {
    let description = "Counts a text for a platform, and says whether it fits or what is wrong.";
    let def = ToolDef::new(TOOLSET, "content_checkLength", description).flow(Flow::NEUTRAL);
    tool::read(def, check)
}

/// Words are separated by spaces and have a letter or digit. Hashtags don't count as words.
async fn check(_: ToolContext, args: Arguments) -> Result<Value> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(refused("text", &args.text, "must not be empty"));
    }
    let is_word = |token: &&str| token.chars().any(char::is_alphanumeric);
    let tokens = text.split_whitespace().filter(is_word);
    let (tags, words): (Vec<&str>, Vec<&str>) = tokens.partition(|token| token.starts_with('#'));
    let characters = text.chars().count();
    let (length, longest, hashtags): (Range, Option<usize>, Option<Range>) = match args.platform {
        Platform::Linkedin => (150..=200, Some(1_500), Some(3..=5)),
        Platform::X => (20..=50, Some(280), Some(1..=2)),
        Platform::Facebook => (15..=30, None, Some(0..=2)),
        Platform::Blog => (1_500..=2_500, None, None),
    };
    let mut problems = Vec::new();
    let (least, most) = (*length.start(), *length.end());
    // Word counts within 15 % of the target are accepted.
    if words.len() * 100 < least * 85 || words.len() * 100 > most * 115 {
        let count = words.len();
        problems.push(format!("words: {count}, should be {least} to {most}"));
    }
    if let Some(most) = longest.filter(|most| characters > *most) {
        problems.push(format!("characters: {characters}, at most {most}"));
    }
    if let Some(range) = hashtags.filter(|range| !range.contains(&tags.len())) {
        let (least, most, count) = (range.start(), range.end(), tags.len());
        problems.push(format!("hashtags: {count}, should be {least} to {most}"));
    }
    let mut checked = json!({
        "words": words.len(),
        "characters": characters,
        "hashtags": tags.len(),
        "fits": problems.is_empty(),
    });
    add(&mut checked, "problems", json!(problems));
    Ok(checked)
}
