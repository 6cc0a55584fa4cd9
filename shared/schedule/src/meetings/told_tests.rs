use super::*;

#[test]
fn only_addresses_of_known_hosts_stay_links() {
    for (words, link) in [
        ("https://zoom.us/j/1, then", "https://zoom.us/j/1"),
        (
            "<a href=\"https://us02web.zoom.us/j/1?a=1&amp;b=2\">join</a>",
            "https://us02web.zoom.us/j/1?a=1&b=2",
        ),
        ("https://zoom.us/1 https://zoom.us/1", "https://zoom.us/1"),
        ("http://zoom.us/j/1 zoom.us/j/1", ""),
        ("https://evilzoom.us/j/1", ""),
        ("https://zoom.us.evil.example/j/1", ""),
        ("https://zoom.us@evil.example/j/1", ""),
        ("https://ana@zoom.us/j/1", ""),
        ("https://zoom.us:8443/j/1", ""),
        (&format!("https://zoom.us/{}", "x".repeat(500)), ""),
    ] {
        assert_eq!(known(words, CALLS, 3).join(" "), link, "{words}");
    }
}

#[test]
fn others_words_are_one_line_without_marks() {
    for (words, shown) in [
        ("a\n✅ Sent\u{202E} *b* `c` ~d~", "a ✅ Sent ∗b∗ 'c' ∼d∼"),
        (
            "# [x](https://evil.example/A) <@U1>",
            "# evil.example <@U1>",
        ),
        ("HTTPS://evil.example/A", "HTTPS://evil.example/A"),
    ] {
        let bare: String = plain(words, 100).replace('\\', "");
        assert_eq!(bare, shown, "{words}");
    }
    assert_eq!(plain("<b>", 100), "\\<b\\>");
    assert_eq!(plain(&"é".repeat(200), 120).chars().count(), 120);
    let text = without_tags("<p>1 &lt; 2</p><ul><li>a<b>b</b></li></ul> <3 x");
    assert_eq!(text, " 1 < 2   ab   <3 x");
}
