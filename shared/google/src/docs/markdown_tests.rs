use super::*;

#[test]
fn lines_are_read_and_written_alike() {
    let same = [
        "",
        "plain, 5 * 3 * 2, a_b_c & <b>",
        "**bold** and *italic* and ***both***",
        "**bold *both*** *it **both***",
        "~~gone~~ `code * x` [a *b*](https://x.example/a_b)",
        "<https://x.example/>",
        "[a](<https://x.example/a b>) [c](<https://x.example/\\<d\\>>)",
        "\\*not\\* a mark",
        "trailing \\",
        "  two  spaces  ",
        "👩‍👩‍👧 **Grüße**",
        "# no heading here",
        "![alt](https://x.example/p.png)",
        "w**o**rd",
    ];
    for line in same {
        assert_eq!(written(&mut read(line)), line);
    }
    let otherwise = [
        ("__bold__ _italic_", "**bold** *italic*"),
        ("&amp; \\. \\- \\\\", "& . - \\"),
        ("[a ](https://x.example)b", "[a](https://x.example) b"),
        ("a\u{7}b\u{e000}c", "abc"),
    ];
    for (line, expected) in otherwise {
        assert_eq!(written(&mut read(line)), expected);
    }
}

#[test]
fn looks_that_markdown_cant_write_are_left_out() {
    let bold = Arc::new(Style {
        bold: true,
        ..Style::default()
    });
    let mut glyphs = read("xa\"y");
    for glyph in &mut glyphs[1..3] {
        glyph.style = bold.clone();
    }
    assert_eq!(written(&mut glyphs), "xa\"y");
    let mut literal = "*a* `b` [c](d) \\*".chars();
    let mut glyphs: Vec<Glyph> = literal
        .by_ref()
        .map(|c| Glyph::letter(c, &Arc::default()))
        .collect();
    let text = written(&mut glyphs);
    let letters: String = read(&text).iter().map(|glyph| glyph.letter).collect();
    assert_eq!(letters, "*a* `b` [c](d) \\*");
    assert!(
        read(&text)
            .iter()
            .all(|glyph| *glyph.style == Style::default())
    );
}
