use alfred_lambda_kit::{Function, variable};
use alfred_utility_worker::UtilityWorker;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_with_models_from_env().await?;
    let function = Function::wire("utility-worker", outside, variable)?;
    alfred_workers::check_policy(&function.ports().config.policy, &alfred_tools::catalogue())?;
    let worker = UtilityWorker::new(function.ports())?;
    let serve = function.serve_worker(&worker, UtilityWorker::handle, UtilityWorker::handle_inline);
    serve.await
}
