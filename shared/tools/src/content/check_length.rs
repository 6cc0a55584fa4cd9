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

struct Measure {
    words: RangeInclusive<usize>,
    characters: Option<usize>,
    hashtags: Option<RangeInclusive<usize>>,
}

impl Platform {
    fn measure(self) -> Measure {
        let (words, characters, hashtags) = match self {
            Self::Linkedin => (150..=200, Some(1_500), Some(3..=5)),
            Self::X => (20..=50, Some(280), Some(1..=2)),
            Self::Facebook => (15..=30, None, Some(0..=2)),
            Self::Blog => (1_500..=2_500, None, None),
        };
        Measure {
            words,
            characters,
            hashtags,
        }
    }
}

/// Words are separated by spaces and have a letter or digit. Hashtags don't count as words.
#[derive(Serialize)]
struct Checked {
    words: usize,
    characters: usize,
    hashtags: usize,
    fits: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "content_checkLength",
        "Counts a text for a platform, and says whether it fits or what is wrong.",
    )
    .flow(Flow::NEUTRAL);
    tool::read(def, check)
}

async fn check(_: ToolContext, args: Arguments) -> Result<Checked, ToolError> {
    if args.text.trim().is_empty() {
        return Err(refused("text", &args.text, "must not be empty"));
    }
    Ok(checked(args.platform, &args.text))
}

fn checked(platform: Platform, text: &str) -> Checked {
    let is_word = |token: &&str| token.chars().any(char::is_alphanumeric);
    let (tags, words): (Vec<&str>, Vec<&str>) = text
        .split_whitespace()
        .filter(is_word)
        .partition(|token| token.starts_with('#'));
    let characters = text.trim().chars().count();
    let measure = platform.measure();
    let mut problems = Vec::new();
    let (least, most) = (*measure.words.start(), *measure.words.end());
    // Word counts within 15 % of the target are accepted.
    if words.len() * 100 < least * 85 || words.len() * 100 > most * 115 {
        let count = words.len();
        problems.push(format!("words: {count}, should be {least} to {most}"));
    }
    if let Some(most) = measure.characters.filter(|most| characters > *most) {
        problems.push(format!("characters: {characters}, at most {most}"));
    }
    if let Some(range) = measure
        .hashtags
        .filter(|range| !range.contains(&tags.len()))
    {
        let (least, most, count) = (range.start(), range.end(), tags.len());
        problems.push(format!("hashtags: {count}, should be {least} to {most}"));
    }
    Checked {
        words: words.len(),
        characters,
        hashtags: tags.len(),
        fits: problems.is_empty(),
        problems,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[tokio::test]
    async fn the_figures_hold_to_fifteen_percent() {
        let harness = ToolHarness::at("2026-11-21T23:30:15Z");
        for (platform, words, tags, expected) in [
            ("linkedin", 127, 3, "words: 127, should be 150 to 200"),
            ("linkedin", 128, 3, ""),
            ("linkedin", 230, 5, ""),
            ("linkedin", 231, 5, "words: 231, should be 150 to 200"),
            ("linkedin", 170, 2, "hashtags: 2, should be 3 to 5"),
            ("x", 17, 1, ""),
            ("x", 16, 1, "words: 16, should be 20 to 50"),
            ("x", 56, 2, "characters: 287, at most 280"),
            ("facebook", 34, 0, ""),
            (
                "facebook",
                35,
                3,
                "words: 35, should be 15 to 30; hashtags: 3, should be 0 to 2",
            ),
            ("blog", 1_275, 9, ""),
            ("blog", 2_876, 0, "words: 2876, should be 1500 to 2500"),
        ] {
            let text = format!("{}{}", "word ".repeat(words), "#ta ".repeat(tags));
            let args = json!({"platform": platform, "text": text});
            let found = harness.ok("content_checkLength", args).await;
            let problems = found["problems"].as_array().into_iter().flatten();
            let problems: Vec<&str> = problems.filter_map(Value::as_str).collect();
            assert_eq!(problems.join("; "), expected, "{platform} {words}");
            assert_eq!(found["fits"], expected.is_empty());
            assert_eq!(
                (&found["words"], &found["hashtags"]),
                (&json!(words), &json!(tags))
            );
        }
    }

    #[tokio::test]
    async fn dashes_are_no_words_and_letters_are_counted_by_what_is_read() {
        let harness = ToolHarness::at("2026-11-21T23:30:15Z");
        let args = json!({"platform": "facebook", "text": " Größe – ja! #é \n"});
        let found = harness.ok("content_checkLength", args).await;
        assert_eq!(
            (&found["words"], &found["characters"], &found["hashtags"]),
            (&json!(2), &json!(14), &json!(1))
        );
        let empty = json!({"platform": "x", "text": " "});
        let error = harness.run("content_checkLength", empty).await.unwrap_err();
        assert!(format!("{error:?}").contains("text: "), "{error:?}");
    }
}
