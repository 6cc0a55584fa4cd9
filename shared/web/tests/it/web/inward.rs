//! No address inside is ever reached: by its number however it is written, by a name, by a redirect, by a name that
//! is bound anew.

use alfred_core::ports::{PageError, Pages};
use std::net::SocketAddr;

use crate::web::site::Site;

/// Inward by what stands in the address.
const NUMBERS: &str = "
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 0 0.0.0.0
    127.255.255.254 127。0。0。1 ①②⑦.⓪.⓪.① １２７.0.0.1 %31%32%37.0.0.1 10.0.0.1 10.255.255.255
    0xa.0.0.1 167772161 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1.254 3232235521
    169.254.169.254 0xa9fea9fe 2852039166 169.254.170.2 100.100.100.200 100.64.0.1 168.63.129.16
    192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255 [::] [::1] [0:0:0:0:0:0:0:1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::127.0.0.1] [64:ff9b::7f00:1]
    [64:ff9b::169.254.169.254] [2002:7f00:1::] [2001:0:7f00:1::] [fd00:ec2::254] [fe80::1]
    [fec0::1] [ff02::1]";

/// Inward by what a name is bound to.
const NAMES: [(&str, &str); 12] = [
    ("localhost", "127.0.0.1"),
    ("localhost.", "127.0.0.1"),
    ("127.0.0.1.nip.example", "127.0.0.1"),
    ("metadata.google.internal", "169.254.169.254"),
    ("instance-data.ec2.internal", "169.254.169.254"),
    ("router.example", "192.168.1.1"),
    ("intranet.example", "10.1.2.3"),
    ("six.example", "::1"),
    ("mapped.example", "::ffff:127.0.0.1"),
    ("nat64.example", "64:ff9b::a00:1"),
    ("6to4.example", "2002:a00:1::1"),
    ("local.example", "fd12:3456::1"),
];

#[tokio::test]
async fn no_address_inside_is_reached_directly_or_by_redirect() {
    let urls: Vec<String> = NUMBERS
        .split_whitespace()
        .chain(NAMES.map(|(name, _)| name))
        .map(|host| format!("https://{host}/latest/meta-data/"))
        .collect();
    assert_eq!(urls.len(), 62);
    let site = Site::serving(&[]).await;
    for (name, ip) in NAMES {
        // To a port that would answer, were it asked.
        let to = SocketAddr::new(ip.parse().unwrap(), site.inward.port());
        site.bind(name, vec![vec![to]]);
    }
    let pages = site.pages();
    for url in &urls {
        assert_eq!(pages.fetch(url).await, Err(PageError::Inward), "{url}");
        let redirect = format!("https://site.example/to/{url}");
        assert_eq!(
            pages.fetch(&redirect).await,
            Err(PageError::Inward),
            "by redirect: {url}"
        );
        assert_eq!(pages.leave_list(url).await, Err(PageError::Inward), "{url}");
        assert_eq!(
            pages.leave_list(&redirect).await,
            Err(PageError::TooManyRedirects),
            "none is followed: {url}"
        );
    }
    assert_eq!(site.reached(), 0);
    assert_eq!(
        site.asked().len(),
        2 * urls.len(),
        "the site itself, twice for each redirect"
    );
}

#[tokio::test]
async fn a_name_that_is_bound_anew_or_to_two_places_is_not_followed() {
    let site = Site::serving(&[]).await;
    site.bind("turns.example", vec![vec![site.address], vec![site.inward]]);
    site.bind("mixed.example", vec![vec![site.address, site.inward]]);
    let pages = site.pages();
    assert_eq!(
        pages.fetch("https://turns.example/to//2").await,
        Err(PageError::Inward)
    );
    assert_eq!(
        pages.fetch("https://mixed.example/").await,
        Err(PageError::Inward)
    );
    // Bound to the inside since its second look-up.
    for name in ["turns", "mixed"] {
        let url = format!("https://{name}.example/");
        assert_eq!(pages.leave_list(&url).await, Err(PageError::Inward));
    }
    assert_eq!((site.reached(), site.asked().len()), (0, 1));
}

/// The list above can fail: by a rule that admits everything the same name leads inside.
#[tokio::test]
async fn without_the_rule_the_inside_is_reached() {
    let site = Site::serving(&[]).await;
    site.bind("router.example", vec![vec![site.inward]]);
    let pages = site.pages_by(std::sync::Arc::new(|_| true));
    let url = "https://router.example/";
    assert_ne!(pages.fetch(url).await, Err(PageError::Inward));
    assert_ne!(pages.leave_list(url).await, Err(PageError::Inward));
    assert_eq!(site.reached(), 2);
}

#[tokio::test]
async fn only_https_on_its_port_without_credentials_is_opened() {
    let bad = [
        ("http://site.example/", PageError::NotHttps),
        ("http://127.0.0.1/", PageError::NotHttps),
        ("https://site.example:8443/", PageError::BadAddress),
        ("https://ana@site.example/", PageError::BadAddress),
        ("https://ana:secret@site.example/", PageError::BadAddress),
        ("https://site.example%2F@127.0.0.1/", PageError::BadAddress),
        ("ftp://site.example/", PageError::BadAddress),
        ("file:///etc/passwd", PageError::BadAddress),
        ("gopher://127.0.0.1:6379/_INFO", PageError::BadAddress),
        ("data:text/html,hello", PageError::BadAddress),
        ("javascript:alert(1)", PageError::BadAddress),
        ("//site.example/", PageError::BadAddress),
        ("site.example", PageError::BadAddress),
        ("", PageError::BadAddress),
    ];
    let site = Site::serving(&[]).await;
    let pages = site.pages();
    for (url, why) in &bad {
        assert_eq!(pages.fetch(url).await.as_ref(), Err(why), "{url}");
        assert_eq!(pages.leave_list(url).await.as_ref(), Err(why), "{url}");
        // A relative address leads back to the site.
        if url.contains(':') {
            let redirect = format!("https://site.example/to/{url}");
            assert_eq!(
                pages.fetch(&redirect).await.as_ref(),
                Err(why),
                "by redirect: {url}"
            );
        }
    }
    let long = format!("https://site.example/{}", "x".repeat(2_000));
    assert_eq!(pages.fetch(&long).await, Err(PageError::BadAddress));
    assert_eq!(site.reached(), 0);
}
