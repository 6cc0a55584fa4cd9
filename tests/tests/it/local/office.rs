use alfred_testkit::chromium::{Chromium, Tab};
use std::sync::Arc;

use crate::local::cli::Cli;
use crate::local::process::Serving;

/// Ana is signed in on the page.
pub struct Office {
    pub cli: Cli,
    pub serving: Serving,
    pub browser: Arc<Chromium>,
    pub page: Tab,
}

impl Office {
    pub async fn open() -> Self {
        let cli = Cli::new();
        let serving = cli.serve().await;
        Self::on(cli, serving)
    }

    pub fn on(cli: Cli, serving: Serving) -> Self {
        let browser = Chromium::start();
        let page = browser.open(&serving.link);
        page.until("!document.getElementById('prompts').hidden");
        Self {
            cli,
            serving,
            browser,
            page,
        }
    }
}
