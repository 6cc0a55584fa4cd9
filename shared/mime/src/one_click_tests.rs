use super::*;
use crate::Raw;

const PAGE: &str = "List-Unsubscribe: <mailto:off@l.example>,\r\n <https://l.example/off?u=7>\r\n";
const CLICK: &str = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
const SIGNED: &str = "DKIM-Signature: v=1; a=rsa-sha256; d=l.example; s=k1;\r\n h=From:Subject:List-Unsubscribe:\r\n List-Unsubscribe-Post; bh=x; b=Ab3\r\n d4\r\n";
const PASSED: &str = "Authentication-Results: mx.o.example;\r\n dkim=pass header.i=@l.example header.s=k1 header.b=Ab3d;\r\n spf=pass smtp.mailfrom=l.example\r\n";
const HOP: &str = "Received: from l.example by mx.o.example; Thu, 19 Nov 2026 06:00:00 +0000\r\n";

/// The page and whether it is signed.
fn read(headers: &[&str], verifier: Verifier) -> Option<(String, bool)> {
    let mail = format!("{}From: n@l.example\r\n\r\nHi\r\n", headers.concat());
    let raw = Raw {
        bytes: mail.as_bytes(),
        whole: true,
        size: mail.len() as u64,
        modified: jiff::Timestamp::UNIX_EPOCH,
    };
    let page = raw.message_checked_by(verifier).unwrap().one_click?;
    assert_eq!(page.host, "l.example");
    Some((page.url, page.signed))
}

#[test]
fn one_page_is_taken_where_both_headers_stand_once() {
    let page = |url: &str| format!("List-Unsubscribe: {url}\r\n");
    for (listed, taken) in [
        ("<https://l.example/off>", Some("https://l.example/off")),
        (
            "<HTTPS://L.example/o\r\n ff>",
            Some("https://l.example/off"),
        ),
        ("<mailto:off@l.example>", None),
        ("https://l.example/off", None),
        ("<http://l.example/off>", None),
        ("<https://l.example/a>, <https://l.example/b>", None),
        ("<https://l.example/a>, <http://l.example/b>", None),
        ("<https://ana:x@l.example/off>", None),
        ("<https://l.example:8443/off>", None),
        ("<https:///off", None),
    ] {
        let found = read(&[&page(listed), CLICK], Verifier::Delivery);
        assert_eq!(found, taken.map(|url| (url.to_owned(), false)), "{listed}");
    }
    let long = page(&format!("<https://l.example/{}>", "x".repeat(ADDRESS)));
    let other = "List-Unsubscribe-Post: List-Unsubscribe=Two\r\n";
    for none in [
        &[&*long, CLICK][..],
        &[PAGE],
        &[CLICK],
        &[PAGE, other],
        &[PAGE, CLICK, CLICK],
        &[PAGE, PAGE, CLICK],
    ] {
        assert_eq!(read(none, Verifier::Delivery), None, "{none:?}");
    }
}

#[test]
fn it_is_signed_where_the_owners_server_found_a_signature_over_both_headers_valid() {
    let signed = |headers: &[&str], verifier| {
        let mut all = headers.to_vec();
        all.extend([PAGE, CLICK]);
        read(&all, verifier).unwrap().1
    };
    let named = Verifier::Named("mx.o.example");
    let results = |said: &str| format!("Authentication-Results: mx.o.example; {said}\r\n");
    let exchange = "Authentication-Results: spf=pass (sender IP is 192.0.2.1)\r\n smtp.mailfrom=l.example; dkim=pass (signature was verified)\r\n header.d=l.example;dmarc=pass\r\n";
    let narrow = SIGNED.replace(":\r\n List-Unsubscribe-Post", "");
    for (headers, verifier, expected) in [
        (&[HOP, PASSED, SIGNED][..], named, true),
        (&[PASSED, HOP, SIGNED], Verifier::Delivery, true),
        (&[HOP, exchange, SIGNED], Verifier::Topmost, true),
        (
            &[&results("dkim=pass header.d=L.example"), SIGNED],
            named,
            true,
        ),
        (
            &[
                &results("dkim=pass header.i=\"a;b\"@mail.l.example"),
                SIGNED,
            ],
            named,
            true,
        ),
        (
            &[
                &results("dkim=fail header.d=o.example; dkim=pass header.d=l.example"),
                SIGNED,
            ],
            named,
            true,
        ),
        // Forged by the sender.
        (&[HOP, PASSED, SIGNED], Verifier::Delivery, false),
        (
            &[HOP, PASSED, SIGNED],
            Verifier::Named("mx.google.com"),
            false,
        ),
        (
            &[&results("dkim=fail header.d=l.example"), PASSED, SIGNED],
            named,
            false,
        ),
        (
            &["Authentication-Results: spf=pass\r\n", PASSED, SIGNED],
            Verifier::Topmost,
            false,
        ),
        // Not valid, of another domain, over fewer headers, or missing.
        (
            &[&results("dkim=neutral header.d=l.example"), SIGNED],
            named,
            false,
        ),
        (
            &[&results("dkim=pass header.d=other.example"), SIGNED],
            named,
            false,
        ),
        (
            &[&results("dkim=pass header.i=@evil-l.example"), SIGNED],
            named,
            false,
        ),
        (
            &[&results("dkim=pass header.d=l.example header.s=k2"), SIGNED],
            named,
            false,
        ),
        (
            &[
                &results("dkim=pass header.d=l.example header.b=zzzz"),
                SIGNED,
            ],
            named,
            false,
        ),
        (&[&results("dkim=pass"), SIGNED], named, false),
        (
            &[
                &results("spf=pass (x; dkim=pass header.d=l.example)"),
                SIGNED,
            ],
            named,
            false,
        ),
        (
            &[
                &results("spf=pass smtp.mailfrom=\"x; dkim=pass header.d=l.example\""),
                SIGNED,
            ],
            named,
            false,
        ),
        (&[PASSED, &narrow], named, false),
        (&[PASSED, SIGNED, &narrow], named, false),
        (&[PASSED], named, false),
        (&[SIGNED], named, false),
    ] {
        assert_eq!(signed(headers, verifier), expected, "{headers:?}");
    }
}
