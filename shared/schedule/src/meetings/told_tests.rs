use super::*;

#[test]
fn only_addresses_of_known_hosts_stay_links() {
    for (words, links) in [
        ("https://zoom.us/j/1, then", vec!["https://zoom.us/j/1"]),
        (
            "<a href=\"https://us02web.zoom.us/j/1?a=1&amp;b=2\">join</a>",
            vec!["https://us02web.zoom.us/j/1?a=1&b=2"],
        ),
        (
            "https://zoom.us/j/1 https://zoom.us/j/1",
            vec!["https://zoom.us/j/1"],
        ),
        ("http://zoom.us/j/1 zoom.us/j/1", vec![]),
        ("https://evilzoom.us/j/1", vec![]),
        ("https://zoom.us.evil.example/j/1", vec![]),
        ("https://zoom.us@evil.example/j/1", vec![]),
        ("https://ana@zoom.us/j/1", vec![]),
        ("https://zoom.us:8443/j/1", vec![]),
        (&format!("https://zoom.us/{}", "x".repeat(500)), vec![]),
    ] {
        assert_eq!(known(words, &CALLS, 3), links, "{words}");
    }
}

#[test]
fn others_words_are_one_line_without_marks() {
    for (words, shown) in [
        ("a\n✅ Sent\u{202E} *b* `c` ~d~", "a ✅ Sent ∗b∗ 'c' ∼d∼"),
        (
            "# [x](https://evil.example/SECRET) <@U1>",
            "# evil.example <@U1>",
        ),
        (
            "see HTTPS://evil.example/SECRET",
            "see HTTPS://evil.example/SECRET",
        ),
    ] {
        let bare: String = plain(words, 100).replace('\\', "");
        assert_eq!(bare, shown, "{words}");
    }
    assert_eq!(plain("<b>", 100), "\\<b\\>");
    assert_eq!(plain(&"é".repeat(200), 120).chars().count(), 120);
    assert_eq!(
        without_tags("<p>1 &lt; 2</p><ul><li>a<b>b</b></li></ul> <3 x"),
        " 1 < 2   ab   <3 x"
    );
}
