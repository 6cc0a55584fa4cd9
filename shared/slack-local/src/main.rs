//! The stand-in as a process of its own, for tests that kill the others.
//! Prints one line of JSON when it listens: `{"url": …, "api_url": …, "bot_token": …, "signing_secret": …}`.

use alfred_slack_local::{Options, RequestUrls, Seed, SlackLocal};
use clap::Parser;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

use alfred_core::ports::{SystemClock, SystemIds};

/// A local stand-in of Slack.
#[derive(Parser)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: String,
    /// The SQLite file; without one nothing is kept.
    #[arg(long)]
    data: Option<PathBuf>,
    /// The app's request URL for events, clicks and commands.
    #[arg(long)]
    request_url: Option<String>,
    /// What the Web API takes; a random one unless given.
    #[arg(long)]
    bot_token: Option<String>,
    /// What requests to the app are signed with; a random one unless given.
    #[arg(long)]
    signing_secret: Option<String>,
    /// Guards the routes under /client/; without one they aren't served.
    #[arg(long)]
    page_token: Option<String>,
    /// Serve the fault switches under /control/.
    #[arg(long)]
    control: bool,
    /// One message a second in a channel.
    #[arg(long)]
    rate_limit: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Already installed is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let arguments = Arguments::parse();
    let mut seed = Seed::default();
    if let Some(given) = arguments.bot_token {
        seed.bot_token = given;
    }
    if let Some(given) = arguments.signing_secret {
        seed.signing_secret = given;
    }
    let options = Options {
        seed,
        path: arguments.data,
        request_urls: arguments.request_url.map(RequestUrls::all),
        page_token: arguments.page_token,
        control: arguments.control,
        rate_limit: arguments.rate_limit,
        ..Options::default()
    };
    let slack = SlackLocal::open(options, Arc::new(SystemClock), Arc::new(SystemIds))?;
    let listener = tokio::net::TcpListener::bind(&arguments.listen).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let seed = slack.seed();
    let said = json!({
        "url": url,
        "api_url": format!("{url}/api"),
        "bot_token": seed.bot_token,
        "signing_secret": seed.signing_secret,
    });
    println!("{said}");
    Ok(slack.serve(listener).await?)
}
