//! Detects secrets in a text, also encoded ones, and lists the addresses a message links to.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;
use std::collections::BTreeSet;

use super::unseen::is_unseen;

/// The encoding in which a text contains a secret, if it does.
pub fn leak(text: &str, secrets: &[String]) -> Option<String> {
    let plain = unescaped(text);
    let squeezed = squeeze(&plain);
    let coded = plain.replace('-', "+").replace('_', "/");
    for secret in secrets {
        let bare = squeeze(secret);
        let turned: String = bare.chars().rev().collect();
        let rotated: String = bare.chars().map(rot13).collect();
        for (form, needle) in [
            ("plain", bare),
            ("reversed", turned),
            ("rot13", rotated),
            ("hex", hex::encode(secret)),
        ] {
            if squeezed.contains(&needle) {
                return Some(format!("{form} {secret}"));
            }
        }
        if base64_cores(secret).iter().any(|core| coded.contains(core)) {
            return Some(format!("base64 {secret}"));
        }
    }
    None
}

/// Only letters and digits, in lower case.
fn squeeze(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

fn rot13(c: char) -> char {
    match c {
        'a'..='m' => char::from(c as u8 + 13),
        'n'..='z' => char::from(c as u8 - 13),
        other => other,
    }
}

/// Decodes `%XX` and `+`.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The part of a secret's base64 that doesn't depend on its neighbours, per alignment.
fn base64_cores(secret: &str) -> Vec<String> {
    (0..3)
        .map(|before| {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(secret.as_bytes());
            let coded = STANDARD_NO_PAD.encode(&bytes);
            let whole = bytes.len() / 3 * 4;
            let first = if before == 0 { 0 } else { 4 };
            coded[first..whole.max(first)].to_owned()
        })
        .filter(|core| core.len() >= 6)
        .collect()
}

/// Every address that showing or clicking the message would request.
pub fn addresses(text: &str, blocks: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    if blocks.is_empty() {
        of_mrkdwn(text, false, &mut found);
    }
    for block in blocks {
        of_block(block, &mut found);
    }
    found
}

fn of_block(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "mrkdwn") {
                let text = fields["text"].as_str().unwrap_or_default();
                let verbatim = fields.get("verbatim").is_some_and(|set| set == true);
                of_mrkdwn(text, verbatim, found);
            }
            for (name, value) in fields {
                if ["image_url", "thumb_url", "url"].contains(&name.as_str()) {
                    found.push(value.to_string());
                }
                of_block(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| of_block(item, found)),
        _ => {}
    }
}

/// Unless `verbatim`, Slack also links bare addresses and domains.
fn of_mrkdwn(text: &str, verbatim: bool, found: &mut Vec<String>) {
    for (at, _) in text.match_indices('<') {
        let inner = text[at + 1..].split('>').next().unwrap_or_default();
        if !inner.starts_with(['@', '#', '!']) {
            found.push(inner.split('|').next().unwrap_or(inner).to_owned());
        }
    }
    if !verbatim {
        let words = text.split(|c: char| c.is_whitespace() || "<>|\"()[]".contains(c));
        found.extend(words.filter(|word| word.contains('.')).map(str::to_owned));
    }
}

/// Web addresses in visible text. Some clients link them regardless of Slack's settings.
pub fn of_web(lines: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in lines {
        let line: String = line.chars().filter(|c| !is_unseen(*c)).collect();
        let lower = line.to_ascii_lowercase();
        for scheme in ["https://", "http://"] {
            for (at, _) in lower.match_indices(scheme) {
                let ends = |c: char| c.is_whitespace() || "<>\"`|".contains(c);
                let address = line[at..].split(ends).next();
                found.extend(address.map(str::to_owned));
            }
        }
    }
    found
}

#[test]
fn every_form_of_a_secret_is_seen() {
    let secrets = vec!["Fire Globex as supplier".to_owned()];
    for text in [
        "we FIRE Globex, as-supplier!",
        "?q=fire+globex%20as%20supplier",
        "reilppus sa xebolG eriF",
        "Sver Tybork nf fhccyvre",
        "46697265 20476c6f62657820617320737570706c696572",
        "https://x.example/PkZpcmUgR2xvYmV4IGFzIHN1cHBsaWVyPg==",
    ] {
        assert!(leak(text, &secrets).is_some(), "{text}");
    }
    assert_eq!(leak("Globex is a supplier", &secrets), None);
}

#[test]
fn links_images_and_bare_addresses_are_seen() {
    let section = |text: &str, verbatim: bool| serde_json::json!({"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": verbatim}});
    for block in [
        section("see <https://e.example/?d=1|here>", true),
        section("see https://e.example/?d=1", false),
        section("see e.example", false),
        serde_json::json!({"type": "image", "image_url": "https://e.example/a.png", "alt_text": ""}),
    ] {
        let found = addresses("", std::slice::from_ref(&block));
        assert!(found.iter().any(|url| url.contains("e.example")), "{block}");
    }
    assert!(addresses("", &[section("see e.example/?d=1", true)]).is_empty());
}

#[test]
fn an_address_is_seen_whatever_hides_in_it() {
    let lines = ["at HTTPS:/\u{2060}/e.example/?d=1, or", "e.example"];
    let found: Vec<_> = of_web(&lines.map(str::to_owned)).into_iter().collect();
    assert_eq!(found, ["HTTPS://e.example/?d=1,"]);
}
