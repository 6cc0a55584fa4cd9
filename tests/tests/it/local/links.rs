//! Signing in a browser: once by a link, then by its cookie and key.

use alfred_slack_local::seed::ANA;
use insta::assert_snapshot;

use crate::local::cli::Cli;
use crate::local::process::binary;
use crate::local::raw::{Answer, ask};

struct LetIn {
    cookie: String,
    key: String,
}

fn path(link: &str, address: &str) -> String {
    let path = link.trim().strip_prefix(address);
    path.expect("a link to it").to_owned()
}

async fn link(cli: &Cli, address: &str) -> String {
    path(&cli.said("page").await, address)
}

fn let_in(answer: &Answer) -> LetIn {
    assert_eq!(answer.status, 303, "{answer:?}");
    let set = answer.header("set-cookie").unwrap();
    for part in ["; httponly", "; samesite=strict", "; path=/"] {
        assert!(set.contains(part), "{set}");
    }
    let key = answer.header("location").unwrap().strip_prefix("/#");
    LetIn {
        cookie: set.split(';').next().unwrap().to_owned(),
        key: key.expect("a key that stays in the browser").to_owned(),
    }
}

fn team(address: &str, cookie: &str, key: &str) -> u16 {
    let key = format!("Bearer {key}");
    let headers = [("cookie", cookie), ("authorization", key.as_str())];
    ask(address, "GET", "/client/team", &headers, "").status
}

#[tokio::test]
async fn a_link_lets_one_browser_in_once() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let address = serving.address.clone();
    let first = link(&cli, &address).await;
    let LetIn { cookie, key } = let_in(&ask(&address, "GET", &first, &[], ""));
    let used = ask(&address, "GET", &first, &[], "");
    assert_eq!(used.status, 401);
    assert!(used.body.contains("alfred page") && used.header("set-cookie").is_none());
    let again = ask(&address, "GET", &first, &[("cookie", &cookie)], "");
    assert_eq!((again.status, again.header("location")), (303, Some("/")));

    assert_eq!(ask(&address, "GET", "/", &[], "").status, 401);
    let page = ask(&address, "GET", "/", &[("cookie", &cookie)], "");
    assert_eq!(page.status, 200);
    for secret in [&key, &serving.token, &cookie] {
        let carried = page.body.contains(secret.as_str());
        assert!(!carried, "the page carries a secret");
    }
    assert_eq!(team(&address, &cookie, &key), 200);
    assert_eq!(team(&address, &format!("a=b; {cookie}; c"), &key), 200);
    let opened = ask(&address, "GET", &link(&cli, &address).await, &[], "");
    let other = let_in(&opened);
    assert_ne!((&other.cookie, &other.key), (&cookie, &key));
    for (cookie, key) in [
        (cookie.as_str(), ""),
        ("", key.as_str()),
        (&cookie, &other.key),
        (&other.cookie, &key),
        (&cookie.replace('=', "x="), &key),
        (&cookie[..cookie.len() - 1], &key),
        (&cookie, &key[1..]),
    ] {
        assert_eq!(team(&address, cookie, key), 401, "{cookie} {key}");
    }
    serving.kill().await;
}

#[tokio::test]
async fn head_request_uses_up_no_link() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let address = &serving.address;
    let opened = link(&cli, address).await;
    let connect = format!("/connect/{ANA}");
    for path in [opened.as_str(), "/oauth/callback?state=s&code=c", &connect] {
        assert_eq!(ask(address, "HEAD", path, &[], "").status, 200, "{path}");
    }
    let_in(&ask(address, "GET", &opened, &[], ""));
    serving.kill().await;
}

#[tokio::test]
async fn who_is_in_stays_in_when_alfred_is_started_anew() {
    let cli = Cli::new();
    let first = cli.serve().await;
    let opened = link(&cli, &first.address).await;
    let opened = ask(&first.address, "GET", &opened, &[], "");
    let LetIn { cookie, key } = let_in(&opened);
    let unopened = link(&cli, &first.address).await;
    first.kill().await;
    let second = cli.serve().await;
    assert_eq!(team(&second.address, &cookie, &key), 200);
    assert_eq!(ask(&second.address, "GET", &unopened, &[], "").status, 401);
    second.kill().await;
    let elsewhere = Cli::new();
    let other = elsewhere.serve().await;
    assert_eq!(team(&other.address, &cookie, &key), 401);
    other.kill().await;
}

#[tokio::test]
async fn a_link_is_printed_at_the_start_and_on_demand() {
    let cli = Cli::new();
    let nobody = cli.ends(1, "page").await;
    let nobody = nobody.replace(cli.data().to_str().unwrap(), "DATA");
    let nobody = nobody.replace(binary().to_str().unwrap(), "./alfred");
    assert_snapshot!(nobody, @"alfred: nothing serves DATA; `./alfred serve` does, and prints a link");
    let serving = cli.serve().await;
    let json = cli.said_json("page --json").await;
    let printed = path(json["url"].as_str().unwrap(), &serving.address);
    let_in(&ask(&serving.address, "GET", &printed, &[], ""));
    let banner = path(&serving.link, &serving.address);
    let_in(&ask(&serving.address, "GET", &banner, &[], ""));
    serving.kill().await;
}
