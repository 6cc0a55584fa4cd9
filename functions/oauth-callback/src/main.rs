use alfred_core::Config;
use alfred_core::config::{SLACK_API_URL, SLACK_BOT_TOKEN};
use alfred_core::ports::{Clock, SystemClock};
use alfred_lambda_kit::consents;
use alfred_mail_servers::ServerAccounts;
use alfred_oauth_callback::{FunctionUrlVisit, OauthCallback};
use alfred_slack::{DEFAULT_API_URL, SlackClient};
use aws_lambda_events::lambda_function_urls::LambdaFunctionUrlRequest;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    alfred_lambda_kit::start();
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let outside = alfred_aws::outside_from_env().await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let api = variable(SLACK_API_URL).unwrap_or_else(|| DEFAULT_API_URL.into());
    let token = Config::required(variable, SLACK_BOT_TOKEN)?;
    let chat = Arc::new(SlackClient::new(&api, token.into(), clock.clone()));
    let callback = &OauthCallback {
        connections: consents(&outside, &clock, variable),
        servers: ServerAccounts::from_settings(
            variable,
            &outside.store,
            &outside.credentials,
            clock.clone(),
        )?,
        store: outside.store,
        chat,
    };
    let serve = |event: LambdaEvent<LambdaFunctionUrlRequest>| async move {
        let page = callback.handle(&event.payload.visit()).await;
        Ok::<_, Error>(page.into_function_url())
    };
    lambda_runtime::run(service_fn(serve)).await
}
