use alfred_aws::QueueUrls;
use alfred_core::config::{SLACK_API_URL, SLACK_BOT_TOKEN, variable};
use alfred_core::ports::{Chat, SystemClock};
use alfred_slack::{DEFAULT_API_URL, SlackClient};
use alfred_slack_receiver::{
    FunctionUrlReply, FunctionUrlRequest, RawRequest, Receiver, SigningSecrets,
};
use lambda_runtime::{Error, LambdaEvent, service_fn};
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    alfred_lambda_kit::start();
    let sdk = alfred_aws::from_env().await?;
    let queue = alfred_aws::queue(&sdk, QueueUrls::from_env());
    let secrets = SigningSecrets::read(variable)?;
    let receiver = Receiver::new(Arc::new(queue), secrets, Arc::new(SystemClock));
    let receiver = &match variable(SLACK_BOT_TOKEN) {
        Some(token) => receiver.with_chat(move || chat(&token)),
        // No modal can be opened; everything else works.
        None => receiver,
    };
    lambda_runtime::run(service_fn(
        move |event: LambdaEvent<FunctionUrlRequest>| async move {
            let reply = receiver.handle(RawRequest::from(event.payload)).await;
            Ok::<_, Error>(FunctionUrlReply::from(reply))
        },
    ))
    .await
}

fn chat(token: &str) -> Arc<dyn Chat> {
    let url = variable(SLACK_API_URL).unwrap_or_else(|| DEFAULT_API_URL.into());
    Arc::new(SlackClient::new(&url, token.into(), Arc::new(SystemClock)))
}
