/// Controls, bidi marks, tags, and other characters of no width. Joiners and emoji presentation selectors
/// are left out, because people's text uses them.
pub fn is_unseen(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            u32::from(c),
            0xAD
                | 0x34F
                | 0x61C
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B
                | 0x200E..=0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xFE00..=0xFE0D
                | 0xFEFF
                | 0xFFA0
                | 0xFFF9..=0xFFFB
                | 0x1D173..=0x1D17A
                | 0xE0000..=0xE0FFF
        )
}

/// The first invisible character of a text, as `U+202E`.
pub fn named(text: &str) -> Option<String> {
    let found = text.chars().find(|c| is_unseen(*c))?;
    Some(format!("U+{:04X}", u32::from(found)))
}

#[test]
fn what_nobody_sees_is_named_and_words_are_not() {
    for (text, name) in [
        ("a\u{202e}b", "U+202E"),
        ("\u{e0041}", "U+E0041"),
        ("\u{e0101}", "U+E0101"),
        ("x\u{200b}", "U+200B"),
        ("\r", "U+000D"),
    ] {
        assert_eq!(named(text).as_deref(), Some(name));
    }
    for text in ["Grüße\n\tשלום", "❤\u{fe0f} 👩\u{200d}💻", "می\u{200c}خواهم"] {
        assert_eq!(named(text), None, "{text}");
    }
}
