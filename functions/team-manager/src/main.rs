use alfred_lambda_kit::{Function, variable};
use alfred_team_manager::TeamManager;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_with_models_from_env().await?;
    let function = Function::wire("team-manager", outside, variable)?;
    alfred_workers::check_policy(&function.ports().config.policy, &alfred_tools::catalogue())?;
    let worker = TeamManager::new(function.ports());
    let serve = function.serve_worker(&worker, TeamManager::handle, TeamManager::handle_inline);
    serve.await
}
