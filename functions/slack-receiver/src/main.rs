//! Wires the function; see `lib.rs` for what it does.

use alfred_aws::QueueUrls;
use alfred_core::ports::SystemClock;
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
    let secrets = SigningSecrets::read(|name| std::env::var(name).ok())?;
    let receiver = &Receiver::new(Arc::new(queue), secrets, Arc::new(SystemClock));
    lambda_runtime::run(service_fn(
        move |event: LambdaEvent<FunctionUrlRequest>| async move {
            let reply = receiver.handle(RawRequest::from(event.payload)).await;
            Ok::<_, Error>(FunctionUrlReply::from(reply))
        },
    ))
    .await
}
