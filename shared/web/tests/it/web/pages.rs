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
    let mut paths = vec![("/page", Answer::html(&article()))];
    paths.push(("/start", Answer::to("/middle?x=1#part")));
    paths.push(("/middle?x=1", Answer::to("https://other.example/page")));
    let site = Site::serving(&paths).await;
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
    let steps: Vec<String> = (0..7).map(|at| format!("/{at}")).collect();
    let mut paths: Vec<(&str, Answer)> = steps
        .windows(2)
        .map(|pair| (pair[0].as_str(), Answer::to(&pair[1])))
        .collect();
    paths.push(("/6", Answer::html(&article())));
    let site = Site::serving(&paths).await;
    let pages = site.pages();
    assert!(
        pages.fetch(&format!("{SITE}/1")).await.is_ok(),
        "five of them"
    );
    let six = pages.fetch(&format!("{SITE}/0")).await;
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

#[tokio::test]
async fn what_isnt_there_to_be_read_says_why() {
    let not_text = |content_type: &str| PageError::NotText {
        content_type: content_type.into(),
    };
    let form = "<title>Members</title><p>Please log in.</p><form><input name=u><input type=\"password\"></form>";
    let ok = |header: &str, body: &[u8]| Answer::of("200 OK", &[header], body);
    let cases = [
        (
            "/gone",
            Answer::of("410 Gone", &[], b""),
            PageError::NotFound,
        ),
        (
            "/401",
            Answer::of("401 Unauthorized", &["WWW-Authenticate: Basic"], b""),
            PageError::LoginNeeded,
        ),
        (
            "/403",
            Answer::of("403 Forbidden", &[], b"no"),
            PageError::Status(403),
        ),
        (
            "/503",
            Answer::of("503 Service Unavailable", &[], b""),
            PageError::Status(503),
        ),
        ("/wall", Answer::html(form), PageError::LoginNeeded),
        (
            "/sent",
            Answer::to("/sso/login.html?next=/sent"),
            PageError::LoginNeeded,
        ),
        (
            "/sso/login.html?next=/sent",
            Answer::html("<p>Your e-mail, please.</p>"),
            PageError::LoginNeeded,
        ),
        (
            "/pdf",
            ok("Content-Type: application/pdf", b"%PDF"),
            not_text("application/pdf"),
        ),
        (
            "/png",
            ok("Content-Type: image/png", b"\x89PNG"),
            not_text("image/png"),
        ),
        (
            "/bin",
            ok("Content-Type: text/plain", b"a\0b"),
            not_text("binary"),
        ),
        (
            "/lost",
            Answer::of("302 Found", &[], b""),
            PageError::BadAddress,
        ),
    ];
    let paths: Vec<(&str, Answer)> = cases
        .iter()
        .map(|(path, answer, _)| (*path, answer.clone()))
        .collect();
    let site = Site::serving(&paths).await;
    let pages = site.pages();
    for (path, _, why) in cases.iter().filter(|(path, ..)| !path.contains('?')) {
        assert_eq!(
            pages.fetch(&format!("{SITE}{path}")).await.as_ref(),
            Err(why),
            "{path}"
        );
    }
    assert_eq!(
        pages.fetch(&format!("{SITE}/nowhere")).await,
        Err(PageError::NotFound)
    );
    assert_eq!(
        pages.fetch("https://nobody.example/").await,
        Err(PageError::NoSuchHost)
    );
}

/// Nobody asked for it, and a gigabyte fits into a megabyte.
#[tokio::test]
async fn what_is_packed_is_not_unpacked() {
    let packed = Answer::of(
        "200 OK",
        &["Content-Type: text/html", "Content-Encoding: gzip"],
        &[0x1f, 0x8b, 8, 0],
    );
    let site = Site::serving(&[("/", packed)]).await;
    let why = PageError::NotText {
        content_type: "gzip".into(),
    };
    assert_eq!(site.pages().fetch(SITE).await, Err(why));
}

#[tokio::test]
async fn other_texts_and_encodings_are_read() {
    let ok = |header: &str, body: &[u8]| Answer::of("200 OK", &[header], body);
    let site = Site::serving(&[
        (
            "/json",
            ok("Content-Type: application/json", b"{\"open\": 9}"),
        ),
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
    for (path, text) in [
        ("json", "{\"open\": 9}"),
        ("plain", "Привет"),
        ("meta", "テスト"),
    ] {
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
