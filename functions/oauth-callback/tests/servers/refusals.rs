use alfred_http::Guard;
use alfred_mail_servers::Allowed;
use alfred_oauth_callback::Visit;
use alfred_testkit::smtp_server::{Act, Point};
use std::time::Duration;

use crate::world::{World, radicale, says};

#[tokio::test]
async fn each_field_that_is_wrong_is_named_and_nothing_is_kept() {
    let world = World::new().await;
    let nobody = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let closed = nobody.local_addr().unwrap().to_string();
    drop(nobody);
    let place = format!("/{}/calendar/", world.login);
    let empty = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
    radicale().put(world.login, &place, empty);
    let elsewhere = world.calendar_url().replace("/calendar/", "/other/");
    let stranger = world.calendar_url().replace(world.login, "nobody");
    for (but, words) in [
        (("email", "ana"), "no e-mail address"),
        (("password", ""), "write the password"),
        (
            ("password", "wrong <b>"),
            "incoming mail doesn't take this name and password",
        ),
        (("imap", &*closed), "incoming mail doesn't answer"),
        (("imap", ""), "I don't know the server for incoming mail"),
        (("imap", "imap.example.com:143"), "on port 993"),
        (("smtp", &*closed), "outgoing mail doesn't answer"),
        (("smtp", "other.example"), "isn't one that may be connected"),
        (("calendar", &*elsewhere), "no calendar at that address"),
        (("calendar", &*stranger), "no calendar at that address"),
        (("calendar", "https://cloud.example/"), "names a calendar"),
    ] {
        let page = world.connects(&[but]).await;
        says(&page, 422, words);
        assert!(!page.body.contains("wrong &lt;b") && !page.body.contains("open sesame"));
    }
    world.smtp.fail(Point::Auth, Act::Say("535 5.7.8 no"));
    let page = world.connects(&[]).await;
    says(&page, 422, "outgoing mail doesn't take");
    assert!(world.secret().await.is_none());
    assert_eq!(world.chat.posted().len(), 0);
}

#[tokio::test]
async fn servers_inside_are_not_reached() {
    let world = World::allowing(Allowed::new(Some(Guard::public()), Vec::new())).await;
    let hosts = "127.0.0.1 10.0.0.1 192.168.1.1 169.254.169.254 100.64.0.1 [::1] [::ffff:10.0.0.1] \
        [fd00::1] [fe80::1] 0.0.0.0 localhost 2130706433";
    for host in hosts.split(' ') {
        for (field, value) in [
            ("imap", host.to_owned()),
            ("smtp", host.to_owned()),
            ("calendar", format!("https://{host}/c/")),
        ] {
            // The other fields have public IP addresses, which are never connected to.
            let mut but = [
                ("imap", "198.41.0.4"),
                ("smtp", "198.41.0.4"),
                ("calendar", ""),
            ];
            for place in &mut but {
                if place.0 == field {
                    place.1 = &value;
                }
            }
            let page = world.connects(&but).await;
            let named = page.body.contains("isn't one that may be connected");
            assert!(named || page.status == 429, "{field} {host}: {page:?}");
        }
        world.clock.advance(Duration::from_secs(25 * 3_600));
    }
}

#[tokio::test]
async fn passwords_are_not_guessed() {
    let world = World::new().await;
    let link = world.link().await;
    let wrong = [("password", "guess")];
    // A malformed address doesn't count as an attempt.
    let malformed = world.sends(&link, &[("email", "ana")]).await;
    says(&malformed, 422, "no e-mail address");
    for _ in 0..5 {
        says(&world.sends(&link, &wrong).await, 422, "doesn't take");
    }
    let asked = world.smtp.connections();
    says(&world.sends(&link, &[]).await, 429, "tried too often");
    assert_eq!(world.smtp.connections(), asked);
    // The limit also holds across links.
    for _ in 0..3 {
        let link = world.link().await;
        for _ in 0..5 {
            says(&world.sends(&link, &wrong).await, 422, "doesn't take");
        }
    }
    says(&world.connects(&[]).await, 429, "tried too often");
    world.clock.advance(Duration::from_secs(25 * 3_600));
    says(&world.connects(&[]).await, 200, "is connected");
}

#[tokio::test]
async fn only_its_owners_link_is_good() {
    let world = World::new().await;
    let link = world.link().await;
    for forged in [
        link.replace("UANA", "UBEN"),
        format!("{link}0"),
        "mail.T1.UANA.sign-ins".into(),
        "mail.T1.UANA".into(),
        String::new(),
    ] {
        for page in [world.opens(&forged).await, world.sends(&forged, &[]).await] {
            says(&page, 400, "isn't one of Alfred's");
        }
    }
    // Ben used Ana's link, which would give Ana his mail.
    let bens = world.sends(&link, &[("email", "Ben@corp.example")]).await;
    says(&bens, 403, "somebody else's here");
    let much = format!("{}&x={}", world.form(&link, &[]), "x".repeat(20_000));
    let much = Visit::confirming(much.as_bytes());
    says(&world.callback.handle(&much).await, 413, "more than fits");
    world.clock.advance(Duration::from_secs(601));
    let late = world.sends(&link, &[]).await;
    says(&late, 410, "older than ten minutes");
    world.clock.advance(Duration::from_secs(24 * 3_600));
    says(&world.opens(&link).await, 400, "more than a day old");
    assert_eq!(world.smtp.connections(), 0);
}

#[tokio::test]
async fn what_was_typed_is_shown_as_text() {
    let world = World::new().await;
    let script = "\"><script>alert(1)</script>";
    let link = world.link().await;
    for field in ["email", "user", "imap", "smtp", "calendar"] {
        let but = [(field, script), ("password", "")];
        let page = world.sends(&link, &but).await;
        assert_eq!(page.status, 422, "{page:?}");
        assert!(!page.body.contains("<script"), "{page:?}");
        assert!(page.body.contains("&quot;&gt;&lt;script&gt;"), "{field}");
    }
}
