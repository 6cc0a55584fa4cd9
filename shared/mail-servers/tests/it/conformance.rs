//! Runs the mail conformance suite on an IMAP server, with sending over SMTP.

use crate::world;

use alfred_testkit::conformance::{self, AccountSide, mail::mails};
use world::{World, account};

#[tokio::test(flavor = "multi_thread")]
async fn imap_passes_the_suite() {
    let given = async || {
        let world = World::holding(&mails()).await;
        AccountSide::new(world.mail.clone(), account("UANA"), world)
    };
    conformance::mail(given).await;
}
