use alfred_core::ports::{Clock, SystemClock};
use alfred_lambda_kit::{consents, slack, variable};
use alfred_mail_servers::ServerAccounts;
use alfred_oauth_callback::{OauthCallback, Visit};
use aws_lambda_events::lambda_function_urls::LambdaFunctionUrlRequest;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_from_env().await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (store, credentials) = (&outside.store, &outside.credentials);
    let servers = ServerAccounts::from_settings(variable, store, credentials, clock.clone())?;
    let callback = &OauthCallback {
        connections: consents(&outside, &clock, variable),
        servers,
        chat: slack(&outside, &clock, variable),
        store: outside.store,
    };
    let serve = |event: LambdaEvent<LambdaFunctionUrlRequest>| async move {
        let page = callback.handle(&Visit::from(&event.payload)).await;
        Ok::<_, Error>(page.into_function_url())
    };
    lambda_runtime::run(service_fn(serve)).await
}
