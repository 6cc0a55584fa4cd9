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
    let raw = Raw::whole(mail.as_bytes(), jiff::Timestamp::UNIX_EPOCH);
    let page = raw.message_checked_by(verifier).unwrap().one_click?;
    assert_eq!(page.host, "l.example");
    Some((page.url, page.signed))
}

#[test]
fn one_page_is_taken_where_both_headers_stand_once() {
    let page = |url: &str| format!("List-Unsubscribe: {url}\r\n");
    for case in include_str!("one_click_page_cases.txt").lines() {
        let (listed, expected) = case.split_once(" ==> ").unwrap();
        let listed = page(&listed.replace("\\r\\n", "\r\n"));
        let found = match read(&[&listed, CLICK], Verifier::Delivery) {
            Some((url, signed)) => format!("{url}, {}", if signed { "signed" } else { "unsigned" }),
            None => "none".to_owned(),
        };
        assert_eq!(found, expected, "{case}");
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

fn header(name: &str) -> String {
    match name {
        "HOP" => HOP.to_owned(),
        "PASSED" => PASSED.to_owned(),
        "SIGNED" => SIGNED.to_owned(),
        "NARROW" => SIGNED.replace(":\r\n List-Unsubscribe-Post", ""),
        "UNNAMED" => "Authentication-Results: spf=pass\r\n".to_owned(),
        "EXCHANGE" => "Authentication-Results: spf=pass (sender IP is 192.0.2.1)\r\n smtp.mailfrom=l.example; dkim=pass (signature was verified)\r\n header.d=l.example;dmarc=pass\r\n".to_owned(),
        result => format!("Authentication-Results: mx.o.example; {result}\r\n"),
    }
}

#[test]
fn it_is_signed_where_the_owners_server_found_a_signature_over_both_headers_valid() {
    let cases = include_str!("one_click_cases.txt").lines();
    let cases: Vec<_> = cases.filter(|line| line.contains('|')).collect();
    assert_eq!(cases.len(), 22);
    for case in cases {
        let cells: Vec<_> = case.split('|').map(str::trim).collect();
        let mut headers: Vec<_> = cells[0].split(" + ").map(header).collect();
        headers.extend([PAGE.to_owned(), CLICK.to_owned()]);
        let headers: Vec<_> = headers.iter().map(String::as_str).collect();
        let verifier = match cells[1] {
            "delivery" => Verifier::Delivery,
            "topmost" => Verifier::Topmost,
            name => Verifier::Named(name),
        };
        let (_, signed) = read(&headers, verifier).unwrap();
        assert_eq!(signed, cells[2] == "signed", "{case}");
    }
}
