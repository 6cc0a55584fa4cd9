use alfred_classifier::Classifier;
use alfred_core::{Envelope, Payload};
use alfred_lambda_kit::metrics::SWEEPS;
use alfred_lambda_kit::{Delivery, Function, variable};
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_with_models_from_env().await?;
    let function = Function::wire("classifier", outside, variable)?;
    alfred_workers::check_policy(&function.ports().config.policy, &alfred_tools::catalogue())?;
    let vault = Arc::new(alfred_aws::vault_from_env().await?);
    let handler = &Classifier::new(function.ports(), vault)?;
    let serve = function.serve(|message: Envelope, delivery: Delivery| async move {
        handler.handle(&message, delivery.deadline).await?;
        if matches!(message.payload, Payload::Sweep {}) {
            delivery.metrics.add(SWEEPS, 1.0);
        }
        Ok(())
    });
    serve.await
}
