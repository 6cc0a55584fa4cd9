//! Wires the function; see `lib.rs` for what it does.

use alfred_aws::QueueUrls;
use alfred_core::config::{AUDIT_TABLE, BLOBS_BUCKET, STATE_TABLE};
use alfred_core::ports::{Spilling, SystemClock};
use alfred_core::{Config, WorkerInput};
use alfred_lambda_kit::{BatchRunner, Delivery, Inbound, Outside, wire};
use alfred_utility_worker::UtilityWorker;
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    alfred_lambda_kit::telemetry::init();
    // Fails only if another provider was installed before, and there is no other.
    drop(rustls::crypto::ring::default_provider().install_default());
    let required = |name| Config::required(|name| std::env::var(name).ok(), name);
    let clock = Arc::new(SystemClock);
    let sdk = alfred_aws::from_env().await?;
    let tables = (required(STATE_TABLE)?, required(AUDIT_TABLE)?);
    let store = alfred_aws::store(&sdk, tables.0, tables.1, clock.clone());
    let blobs = alfred_aws::blobs(&sdk, required(BLOBS_BUCKET)?);
    let wired = &wire(Outside {
        store: Arc::new(Spilling::new(store, blobs)),
        queue: Arc::new(alfred_aws::queue(&sdk, QueueUrls::from_env())),
        secrets: Arc::new(alfred_aws::secrets(&sdk, clock.clone())),
    })
    .await?;
    let handler = &UtilityWorker::new(wired.ports.clone())?;
    let runner = BatchRunner::new("utility-worker", clock);
    let serve = runner.serve(
        |message: Inbound<WorkerInput>, delivery: Delivery| async move {
            let deadline = wired.begin(&delivery);
            match message {
                Inbound::Envelope(envelope) => handler.handle(&envelope, deadline).await,
                Inbound::Inline(input) => {
                    let id = &delivery.message_id;
                    handler.handle_inline(*input, id, deadline).await
                }
            }
        },
    );
    serve.await
}
