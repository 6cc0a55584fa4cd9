#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod conformance;
mod refusals;
mod world;

use alfred_core::ports::{AccountError, AccountService, Connect, Credentials, MailQuery, Provider};
use alfred_testkit::conformance::calendar;
use alfred_testkit::pymap::PASSWORD;
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use world::{World, account, pymap, says};

const MAIL: &str = "From: Petra <petra@example.net>\r\nTo: ana@example.com\r\nSubject: Offer\r\nDate: Fri, 20 Nov 2026 09:30:00 +0000\r\nMessage-ID: <offer@example.net>\r\n\r\nFive tables?\r\n";

impl World {
    async fn subjects(&self) -> Result<Vec<String>, AccountError> {
        let list = self.servers.mail();
        let page = list.list(&account("UANA"), &MailQuery::default()).await?;
        Ok(page.mails.into_iter().map(|mail| mail.subject).collect())
    }
}

#[tokio::test]
async fn a_page_leads_from_a_link_to_an_account_and_back() {
    let world = World::new().await;
    pymap().deliver(world.login, MAIL.as_bytes());
    let link = world.link().await;
    for _ in 0..2 {
        // Viewing the page uses nothing up, since link previews do it too.
        let page = world.opens(&link).await;
        says(&page, 200, "will be connected to Alfred for Ana");
    }
    let page = world.sends(&link, &[]).await;
    let services = "is connected, for reading and sorting mail, sending mail.";
    says(&page, 200, services);
    assert_eq!(world.subjects().await.unwrap(), ["Offer"]);
    assert_eq!(world.smtp.connections(), 1);
    let told = world.chat.posted();
    let told_so = told.iter().any(|post| post.text.contains("is connected"));
    assert!(told_so, "{told:?}");
    assert!(!format!("{page:?} {told:?}").contains(PASSWORD));
    let video = world.servers.calendar().video_calls(&account("UANA")).await;
    assert!(matches!(
        video,
        Err(AccountError::NotGranted(AccountService::Calendar))
    ));
    world.clock.advance(Duration::from_secs(660));
    says(&world.sends(&link, &[]).await, 410, "used before");
    let other = world.connects(&[("email", "ana@home.example")]).await;
    says(&other, 409, "is connected already");
    let ana = account("UANA");
    let gone = world.servers.disconnect(&ana, Provider::Servers);
    let gone = gone.await.unwrap().unwrap();
    assert!(gone.erased);
    assert_eq!(gone.connection.email, calendar::owner().address);
    assert!(world.secret().await.is_none());
    let after = world.subjects().await;
    assert!(matches!(after, Err(AccountError::NotConnected(_))));
}

#[tokio::test]
async fn a_password_that_is_taken_no_more_ends_the_account_until_it_is_connected_again() {
    let world = World::new().await;
    says(&world.connects(&[]).await, 200, "is connected");
    let kept = world.secret().await.unwrap();
    let changed = kept.expose_secret().replace(PASSWORD, "another");
    let changed = SecretString::from(changed);
    let ana = account("UANA");
    let put = world.credentials.put(&ana, Provider::Servers, &changed);
    put.await.unwrap();
    for _ in 0..2 {
        let end = world.subjects().await;
        let is_expired = matches!(end, Err(AccountError::Expired(AccountService::Mail)));
        assert!(is_expired, "{end:?}");
        assert!(world.servers.connections(&ana).await.unwrap()[0].ended);
    }
    world.clock.advance(Duration::from_secs(1));
    says(&world.connects(&[]).await, 200, "is connected");
    assert_eq!(world.subjects().await.unwrap(), [""; 0]);
}

#[cfg(feature = "lambda")]
#[tokio::test]
async fn a_function_url_serves_the_page_and_takes_the_form() {
    use alfred_oauth_callback::Visit;
    use aws_lambda_events::lambda_function_urls::LambdaFunctionUrlRequest;
    use base64::Engine;
    let world = World::new().await;
    let link = world.link().await;
    let event = |method: &str, query: String, body: Option<String>| {
        let event = serde_json::json!({"version": "2.0", "rawPath": "/oauth/callback",
            "rawQueryString": query, "headers": {}, "body": body, "isBase64Encoded": true,
            "requestContext": {"accountId": "anonymous", "requestId": "r", "timeEpoch": 0,
                "http": {"method": method, "path": "/oauth/callback"}}});
        let event: LambdaFunctionUrlRequest = serde_json::from_value(event).unwrap();
        Visit::from(&event)
    };
    let asked = event("GET", format!("state={link}"), None);
    let page = world.callback.handle(&asked).await.into_function_url();
    assert_eq!(page.status_code, 200);
    assert!(page.body.unwrap().contains("name=\"password\""));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"));
    let form = base64::prelude::BASE64_STANDARD.encode(world.form(&link, &[]));
    let posted = event("POST", String::new(), Some(form));
    let page = world.callback.handle(&posted).await.into_function_url();
    assert!(page.status_code == 200 && page.body.unwrap().contains("is connected"));
}
