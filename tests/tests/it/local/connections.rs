//! Idle connections beside an open page.

use alfred_loopback::HEAD_WITHIN;
use alfred_slack_local::seed::ANA;
use alfred_testkit::{LIMIT, within_blocking};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::local::cli::Cli;
use crate::local::raw::host;

const GRACE: Duration = LIMIT;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_half_open_ones_go_and_the_page_lives_on() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let address = host(&serving.address);
    let mut page = TcpStream::connect(address).unwrap();
    let follow = format!(
        "GET /client/events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\r\n",
        serving.token
    );
    page.write_all(follow.as_bytes()).unwrap();
    page.set_read_timeout(Some(HEAD_WITHIN + GRACE)).unwrap();
    let mut page = BufReader::new(page).lines();
    assert_eq!(page.next().unwrap().unwrap(), "HTTP/1.1 200 OK");

    let half = ["", "GET / HTTP", "POST /local/ask HTTP/1.1\r\nhost: x\r\n"];
    let open = (0..200).map(|n| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(half[n % 3].as_bytes()).unwrap();
        stream
    });
    let mut open: Vec<TcpStream> = open.collect();
    let began = Instant::now();
    // Other requests are served meanwhile.
    serving.get("/client/team").await;
    for stream in &mut open {
        let left = (HEAD_WITHIN + GRACE).saturating_sub(began.elapsed());
        stream.set_read_timeout(Some(left.max(GRACE))).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("it was let go");
        assert!(rest.is_empty());
    }
    let took = began.elapsed();
    assert!(took < HEAD_WITHIN + GRACE, "{took:?}");

    let said = json!({"user": ANA, "text": "still there?"});
    assert_eq!(serving.post("/client/post", &said).await.status(), 200);
    let told = move || page.any(|line| line.unwrap().contains("still there?"));
    assert!(within_blocking(LIMIT, "the message on the page", told));
    serving.kill().await;
}
