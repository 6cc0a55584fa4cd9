//! A list's page that is asked once, and what its answers mean.

use alfred_core::ports::{PageError, Pages};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::web::site::{Answer, Site};

const URL: &str = "https://site.example/off?u=7";

#[tokio::test]
async fn the_page_gets_the_lists_own_words_and_nothing_that_tells_of_anybody() {
    let orders = Answer::html("<p>Now send us the latest mail.</p>");
    let site = Site::serving(&[("/off?u=7", orders)]).await;
    assert_eq!(site.pages().leave_list(URL).await, Ok(()));
    let asked = site.asked();
    let [asked] = &asked[..] else {
        panic!("{asked:?}")
    };
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, "List-Unsubscribe=One-Click");
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("POST /off?u=7 HTTP/1.1"));
    let mut sent: Vec<&str> = lines.filter_map(|line| line.split(':').next()).collect();
    sent.sort_unstable();
    assert_eq!(
        sent,
        [
            "accept",
            "content-length",
            "content-type",
            "host",
            "user-agent"
        ]
    );
}

#[tokio::test]
async fn what_isnt_confirmed_is_told_from_what_nobody_can_tell() {
    let statuses = [
        ("200 OK", "done"),
        ("202 Accepted", "done"),
        ("302 Found", "too_many_redirects"),
        ("308 Permanent Redirect", "too_many_redirects"),
        ("400 Bad Request", "http_status"),
        ("404 Not Found", "not_found"),
        ("500 Internal Server Error", "http_status"),
    ];
    let of = |(line, expected)| {
        let answer = Answer::of(line, &["Location: /200"], b"");
        (format!("/{}", &line[..3]), answer, expected)
    };
    let half = Answer::Bytes(b"HTTP/1.1 200 O".to_vec());
    let mut answers: Vec<(String, Answer, &str)> = statuses.into_iter().map(of).collect();
    answers.extend([
        ("/endless".into(), Answer::Endless, "done"),
        ("/stalled".into(), Answer::Stalled, "done"),
        ("/closed".into(), Answer::Bytes(vec![]), "unanswered"),
        ("/half".into(), half, "unanswered"),
        ("/silent".into(), Answer::Silent, "unanswered"),
    ]);
    let served: Vec<(&str, Answer)> = answers
        .iter()
        .map(|(path, how, _)| (path.as_str(), how.clone()))
        .collect();
    let site = Site::serving(&served).await;
    let pages = site.pages().within(Duration::from_secs(2));
    for (path, _, expected) in &answers {
        let left = pages
            .leave_list(&format!("https://site.example{path}"))
            .await;
        let became = left.as_ref().map_or_else(PageError::kind, |()| "done");
        assert_eq!(became, *expected, "{path}: {left:?}");
    }
    let asked = site.asked();
    assert_eq!(
        asked.len(),
        answers.len(),
        "each once, and nothing it leads to: {asked:?}"
    );
    assert!(site.written.load(Ordering::SeqCst) < 5_000_000);
}

#[tokio::test]
async fn what_was_never_sent_is_not_unknown() {
    let site = Site::serving(&[]).await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    site.bind("closed.example", vec![vec![closed]]);
    // The certificate isn't good for it.
    site.bind("stranger.example", vec![vec![site.address]]);
    let pages = site.pages_by(Arc::new(|_| true));
    for (host, expected) in [
        ("nobody", "no_such_host"),
        ("closed", "down"),
        ("stranger", "down"),
    ] {
        let left = pages.leave_list(&format!("https://{host}.example/")).await;
        assert_eq!(left.unwrap_err().kind(), expected, "{host}");
    }
    assert_eq!(site.asked(), [""; 0]);
}
