use alfred_core::TeamInput;
use alfred_lambda_kit::{Delivery, Function, Inbound, variable};
use alfred_team_manager::TeamManager;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    alfred_lambda_kit::start();
    let outside = alfred_aws::outside_with_models_from_env().await?;
    let function = Function::wire("team-manager", outside, variable)?;
    let catalogue = alfred_tools::catalogue();
    alfred_workers::check_policy(&function.ports().config.policy, &catalogue)?;
    let handler = &TeamManager::new(function.ports());
    let serve = function.serve(
        |message: Inbound<TeamInput>, delivery: Delivery| async move {
            let (id, deadline) = (&delivery.message_id, delivery.deadline);
            match message {
                Inbound::Envelope(envelope) => Box::pin(handler.handle(&envelope, deadline)).await,
                Inbound::Inline(input) => {
                    Box::pin(handler.handle_inline(*input, id, deadline)).await
                }
            }
        },
    );
    serve.await
}
