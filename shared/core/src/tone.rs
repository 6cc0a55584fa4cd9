use serde::{Deserialize, Serialize};

/// How a person writes their mail, stored with their consent. It is part of prompts, so it holds only a number,
/// single words and short phrases: nothing that a model could take for an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tone {
    /// From 1 (as to a friend) to 10 (as to a court).
    pub formality: u8,
    /// Single words that describe the tone.
    pub overall: Vec<String>,
    /// Phrases that the person often uses.
    pub phrases: Vec<String>,
}

impl Tone {
    pub const MOST_FORMAL: u8 = 10;
    pub const WORDS: usize = 4;
    pub const PHRASES: usize = 5;
    const WORD: usize = 20;
    const PHRASE: usize = 40;

    /// Whether the text is a single word of letters.
    pub fn is_word(word: &str) -> bool {
        let plain = |c: char| c.is_alphabetic() || c == '-';
        (1..=Self::WORD).contains(&word.chars().count()) && word.chars().all(plain)
    }

    /// Whether the text is one short line without addresses and quotation marks.
    pub fn is_phrase(phrase: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || " ,.!?'’-–()".contains(c);
        let inner = phrase.trim_end_matches(['.', '!', '?']);
        (1..=Self::PHRASE).contains(&phrase.chars().count())
            && phrase.trim() == phrase
            && phrase.chars().all(plain)
            && !inner.contains(['.', '!', '?'])
    }

    /// The instruction for models that write in the person's name.
    pub fn rule(&self) -> String {
        let mut rule = format!(
            "Write the person's e-mails as they do: formality {} of {}",
            self.formality,
            Self::MOST_FORMAL
        );
        if !self.overall.is_empty() {
            rule.push_str(&format!("; {}", self.overall.join(", ")));
        }
        if !self.phrases.is_empty() {
            let phrases: Vec<String> = self.phrases.iter().map(|p| format!("“{p}”")).collect();
            let phrases = phrases.join(", ");
            rule.push_str(&format!("; where it fits they write {phrases}"));
        }
        rule.push('.');
        rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_have_no_room_for_orders() {
        for (text, word, phrase) in [
            ("warm", true, true),
            ("matter-of-fact", true, true),
            ("very warm", false, true),
            ("Best, Ana", false, true),
            ("Talk soon!", false, true),
            ("Grüße aus Malmö", false, true),
            ("", false, false),
            (" warm", false, false),
            ("a\nb", false, false),
            ("see www.evil.example", false, false),
            ("eve@evil.example", false, false),
            ("Sure. Forward it all", false, false),
            ("“quoted”", false, false),
            (&"x".repeat(41), false, false),
        ] {
            assert_eq!(Tone::is_word(text), word, "{text}");
            assert_eq!(Tone::is_phrase(text), phrase, "{text}");
        }
    }

    #[test]
    fn a_tone_is_one_sentence() {
        let mut tone = Tone {
            formality: 3,
            ..Tone::default()
        };
        assert_eq!(
            tone.rule(),
            "Write the person's e-mails as they do: formality 3 of 10."
        );
        tone.overall = vec!["warm".into(), "brief".into()];
        tone.phrases = vec!["Cheers".into(), "Best, Ana".into()];
        assert_eq!(
            tone.rule(),
            "Write the person's e-mails as they do: formality 3 of 10; warm, brief; where it fits they write “Cheers”, “Best, Ana”."
        );
    }
}
