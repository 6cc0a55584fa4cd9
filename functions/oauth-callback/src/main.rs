use alfred_core::ports::{Clock, SystemClock};
use alfred_lambda_kit::{consents, slack, variable};
use alfred_mail_servers::ServerAccounts;
use alfred_oauth_callback::{FunctionUrlVisit, OauthCallback};
use aws_lambda_events::lambda_function_urls::LambdaFunctionUrlRequest;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_from_env().await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let callback = &OauthCallback {
        connections: consents(&outside, &clock, variable),
        servers: ServerAccounts::from_settings(
            variable,
            &outside.store,
            &outside.credentials,
            clock.clone(),
        )?,
        chat: slack(&outside, &clock, variable),
        store: outside.store,
    };
    let serve = |event: LambdaEvent<LambdaFunctionUrlRequest>| async move {
        let page = callback.handle(&event.payload.visit()).await;
        Ok::<_, Error>(page.into_function_url())
    };
    lambda_runtime::run(service_fn(serve)).await
}
