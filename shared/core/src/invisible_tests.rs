use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Text encoded in invisible tag characters, as used for smuggling.
fn tags(text: &str) -> String {
    text.bytes()
        .filter_map(|b| char::from_u32(0xE0000 + u32::from(b)))
        .collect()
}

#[test]
fn what_scripts_and_emoji_need_survives() {
    for text in [
        "👩‍👩‍👧‍👦 👨🏽‍💻 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 ❤︎ ☎️ 1️⃣ #️⃣ 🇩🇪 👍🏿",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
        "می‌خواهم نامه‌ای بنویسم",
        "سال ۱۴۰۰ ه‍.ق",
        "क्‍ष क्‌ष র‍্য ന്‍ ශ්‍රී",
        "שלום (Slack)\u{200F}, מחר\u{200E} 10:30",
        "مرحبا C++\u{200E} يا بن",
        "ᠮᠣᠩᠭᠣᠯ᠋",
        "Zoë, Ångström, Ελλάδα, Привет, 日本語、한국어, ไทย",
        "e\u{301} n\u{303}\u{331}",
        "line\n\tnext\n\nlast",
    ] {
        assert_eq!(removed(text), text);
        assert_eq!(shown(text), text);
    }
}

#[test]
fn what_hides_or_turns_goes_and_is_written_out_on_a_card() {
    for (text, clean, card) in [
        ("a\u{202E}b\u{202C}", "ab", "a‹U+202E›b‹U+202C›"),
        ("\u{2066}x\u{2069}", "x", "‹U+2066›x‹U+2069›"),
        (
            "a\u{200B}b\u{2060}\u{FEFF}",
            "ab",
            "a‹U+200B›b‹U+2060›‹U+FEFF›",
        ),
        ("soft\u{AD}ly", "softly", "soft‹U+00AD›ly"),
        ("esc\u{1B}[2K", "esc[2K", "esc‹U+001B›[2K"),
        ("\u{9B}31m", "31m", "‹U+009B›31m"),
        ("a\u{200E}b", "ab", "a‹U+200E›b"),
        ("a\u{200D}b\u{200C}", "ab", "a‹U+200D›b‹U+200C›"),
        ("1\u{FE0F}2", "12", "1‹U+FE0F›2"),
        ("a\u{FE00}\u{E0101}", "a", "a‹U+FE00›‹U+E0101›"),
        ("😀\u{FE0F}\u{FE0F}", "😀\u{FE0F}", "😀\u{FE0F}‹U+FE0F›"),
        ("ㅤx\u{115F}", "x", "‹U+3164›x‹U+115F›"),
        (
            "x\u{FFF9}y\u{FFFC}\u{FFFF}",
            "xy",
            "x‹U+FFF9›y‹U+FFFC›‹U+FFFF›",
        ),
        ("שלו\u{200F}ם", "שלום", "שלו‹U+200F›ם"),
        ("ם \u{200F}\u{200F}", "ם \u{200F}", "ם \u{200F}‹U+200F›"),
        ("خ\u{200D}خ", "خخ", "خ‹U+200D›خ"),
    ] {
        assert_eq!(removed(text), clean, "{text:?}");
        assert_eq!(shown(text), card, "{text:?}");
    }
}

#[test]
fn tags_that_spell_no_flag_go() {
    for text in [
        format!("Lunch at noon?{}", tags("SECRET")),
        format!("\u{1F3F4}{}{TAG_END}", tags("SECRET")),
        format!("\u{1F3F4}{}", tags("gbeng")),
        format!("\u{1F3F4}{}{TAG_END}{}", tags("gbeng"), tags("SECRET")),
    ] {
        let clean = removed(&text);
        assert!(!clean.chars().any(|c| c > '\u{E0000}'), "{clean:?}");
        assert!(shown(&text).contains("‹U+E0"), "{text:?}");
    }
}

#[test]
fn there_is_one_separator_of_lines_and_none_on_one_line() {
    let all = "a\r\nb\rc\u{B}d\u{C}e\u{85}f\u{2028}g\u{2029}h\n";
    assert_eq!(removed(all), "a\nb\nc\nd\ne\nf\ng\nh\n");
    assert_eq!(shown(all), removed(all));
    assert_eq!(shown_on_one_line(all), "a b c d e f g h");
    assert_eq!(shown_on_one_line(" a\u{202E} \t b\n"), "a‹U+202E› b");
}

#[test]
fn every_text_of_arguments_is_cleaned() {
    let mut arguments = json!({"to": ["a\u{200B}"], "n": 1, "deep": {"text": "\u{202E}x"}});
    remove_from(&mut arguments);
    let expected = json!({"to": ["a"], "n": 1, "deep": {"text": "x"}});
    assert_eq!(arguments, expected);
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC",
        any::<char>().prop_map(String::from),
        "[\u{200B}-\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FE00}-\u{FE0F}\u{180B}-\u{180F}]",
        "[\u{E0020}-\u{E007F}]{1,7}",
        "[a1 .שخد🏴👩❤क्র\n\r]",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn cleaned_text_is_clean_and_shows_as_it_is(text in text()) {
        let clean = removed(&text);
        prop_assert_eq!(&removed(&clean), &clean);
        prop_assert_eq!(&shown(&clean), &clean);
        let turns = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        let bad = clean.chars().find(|c| turns(*c) || (c.is_control() && !"\n\t".contains(*c)));
        prop_assert_eq!(bad, None);
    }

    #[test]
    fn nothing_that_is_seen_is_lost(text in "[\\PC&&[^\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Cn}\\p{Zl}\\p{Zp}\u{FFFC}]]{0,40}") {
        prop_assert_eq!(removed(&text), text);
    }
}
