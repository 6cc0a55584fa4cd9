//! Makes names comparable.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// Lower case, without accents and apostrophes. All but letters, digits and `+` becomes one space; emoji alone stay.
pub fn fold(text: &str) -> String {
    let plain = DecomposingNormalizerBorrowed::new_nfd()
        .normalize_iter(text.chars())
        .filter(|c| !matches!(c, '\u{300}'..='\u{36f}' | '\'' | '’'))
        .flat_map(char::to_lowercase);
    let mut folded = String::with_capacity(text.len());
    for c in plain {
        if c.is_alphanumeric() || c == '+' {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    if folded.is_empty() {
        // From the arrows on, without ideographic punctuation and the selectors of a presentation.
        let shows = |c: &char| {
            *c >= '\u{2190}' && !matches!(c, '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{ff00}')
        };
        folded.extend(text.chars().filter(shows));
    }
    folded
}

pub fn every_word(words: &str, text: &str, fits: fn(part: &str, word: &str) -> bool) -> bool {
    let text = fold(text);
    let has = |word: &str| text.split(' ').any(|part| fits(part, word));
    !words.is_empty() && words.split(' ').all(has)
}

#[cfg(test)]
mod tests {
    use super::fold;
    use proptest::prelude::*;

    #[test]
    fn accents_case_and_signs_do_not_count() {
        assert_eq!(fold("São_Paulo"), "sao paulo");
        assert_eq!(fold(" Port-au-Prince. "), "port au prince");
        assert_eq!(fold("Zoë O'Hara"), "zoe ohara");
        assert_eq!(fold("Etc/GMT+5"), "etc gmt+5");
        assert_eq!(fold("東京"), "東京");
        assert_eq!(fold("❤️ 🎉"), "❤🎉");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,20}") {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
        }
    }
}
