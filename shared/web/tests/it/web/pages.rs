//! Pages that are read, and those that can't be.

use alfred_core::ports::{PageError, Pages};
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::web::site::{Answer, Site};

const SITE: &str = "https://site.example";

fn article() -> String {
    let words = "The museum opens at nine on working days, and at ten on Sundays. ".repeat(10);
    format!(
        "<html><head><title>Hours</title></head><body><nav>Shop Jobs</nav><article><h1>Hours</h1><p>{words}</p></article></body></html>"
    )
}

#[tokio::test]
async fn a_page_is_read_behind_its_redirects_without_cookies_or_credentials() {
    let answers = [
        ("/page", Answer::html(&article())),
        ("/start", Answer::to("/to/https://other.example/page#part")),
    ];
    let site = Site::serving(&answers).await;
    let page = site
        .pages()
        .fetch("https://site.example/start#top")
        .await
        .unwrap();
    assert_eq!(
        (&*page.url, &*page.title),
        ("https://other.example/page", "Hours")
    );
    assert!(
        page.text.contains("opens at nine") && !page.text.contains("Jobs"),
        "{}",
        page.text
    );
    assert!(!page.truncated);
    let asked = site.asked();
    assert_eq!(asked.len(), 3);
    for head in asked {
        let head = head.to_lowercase();
        for name in ["cookie:", "authorization:", "referer:", "accept-encoding:"] {
            assert!(!head.contains(name), "{head}");
        }
    }
}

#[tokio::test]
async fn redirects_end() {
    let site = Site::serving(&[("/page", Answer::html(&article()))]).await;
    let pages = site.pages();
    let behind = |redirects: usize| format!("{SITE}{}/page", "/to/".repeat(redirects));
    assert!(pages.fetch(&behind(5)).await.is_ok());
    let six = pages.fetch(&behind(6)).await;
    assert_eq!(six, Err(PageError::TooManyRedirects));
}

#[tokio::test]
async fn a_page_without_end_is_cut_off() {
    let site = Site::serving(&[("/", Answer::Endless)]).await;
    let page = site.pages().fetch(SITE).await.unwrap();
    assert!(page.truncated && page.text.contains("words and words"));
    assert_eq!(page.text.chars().count(), 20_000);
    // What was on its way when the connection was closed, at most.
    assert!(site.written.load(Ordering::SeqCst) < 30_000_000);
}

#[tokio::test]
async fn a_page_that_stalls_is_given_up() {
    let site = Site::serving(&[("/", Answer::Stalled)]).await;
    let pages = site.pages().within(Duration::from_millis(300));
    assert_eq!(pages.fetch(SITE).await, Err(PageError::TooSlow));
}

/// Path, status, header, body, and the text that is read, or why none is.
const ANSWERS: &str = "
/gone | 410 Gone | | | not found
/401 | 401 Unauthorized | WWW-Authenticate: Basic | | a login is needed
/403 | 403 Forbidden | | no | HTTP 403
/503 | 503 Service Unavailable | | | HTTP 503
/wall | 200 OK | | <p>Please log in.</p><input name=u><input type='password'> | a login is needed
/sent | 302 Found | Location: /sso/login.html?next=/sent | | a login is needed
/sso/login.html?next=/sent | 200 OK | | <p>Your e-mail, please.</p> | Your e-mail, please.
/moved | 302 Found | Location: /new?from=1 | | New.
/new?from=1 | 200 OK | | <p>New.</p> | New.
/pdf | 200 OK | Content-Type: application/pdf | %PDF | no text: application/pdf
/png | 200 OK | Content-Type: image/png | PNG | no text: image/png
/bin | 200 OK | Content-Type: text/plain | a\0b | no text: binary
/zip | 200 OK | Content-Encoding: gzip | \u{1f} | no text: gzip
/lost | 302 Found | | | not an address that is opened
/json | 200 OK | Content-Type: application/json | {\"open\": 9} | {\"open\": 9}
/nowhere | 404 Not Found | | | not found";

#[tokio::test]
async fn a_page_is_read_or_it_says_why_not() {
    let rows: Vec<Vec<&str>> = ANSWERS
        .lines()
        .skip(1)
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let answers: Vec<(&str, Answer)> = rows
        .iter()
        .map(|row| {
            let header = Some(row[2]).filter(|header| !header.is_empty());
            let headers: Vec<&str> = header.into_iter().collect();
            (row[0], Answer::of(row[1], &headers, row[3].as_bytes()))
        })
        .collect();
    let site = Site::serving(&answers).await;
    let pages = site.pages();
    for row in &rows {
        let read = pages.fetch(&format!("{SITE}{}", row[0])).await;
        let read = read.map_or_else(|error| error.to_string(), |page| page.text);
        assert_eq!(read.trim(), row[4], "{row:?}");
    }
    let nobody = pages.fetch("https://nobody.example/").await;
    assert_eq!(nobody, Err(PageError::NoSuchHost));
}

#[tokio::test]
async fn other_texts_and_encodings_are_read() {
    let ok = |header: &str, body: &[u8]| Answer::of("200 OK", &[header], body);
    let site = Site::serving(&[
        (
            "/plain",
            ok(
                "Content-Type: text/plain; charset=windows-1251",
                b"\xcf\xf0\xe8\xe2\xe5\xf2",
            ),
        ),
        (
            "/meta",
            ok(
                "Content-Type: text/html",
                b"<meta charset='shift_jis'><p>\x83\x65\x83\x58\x83\x67</p>",
            ),
        ),
    ])
    .await;
    for (path, text) in [("plain", "Привет"), ("meta", "テスト")] {
        let page = site.pages().fetch(&format!("{SITE}/{path}")).await.unwrap();
        assert_eq!(page.text.trim(), text, "{path}");
    }
}

#[tokio::test]
async fn a_certificate_of_somebody_else_is_refused() {
    let site = Site::serving(&[("/", Answer::html(&article()))]).await;
    site.bind("bank.example", vec![vec![site.address]]);
    let refused = site.pages().fetch("https://bank.example/").await;
    assert!(
        matches!(refused, Err(PageError::Down { .. })),
        "{refused:?}"
    );
    assert!(site.asked().is_empty());
}
