//! What waits for a person when they ask for something else.

use alfred_core::Failure;

use crate::approval::pending;
use crate::ports::Ports;
use crate::run::{Run, RunInput, Work, elapsed_ms};
use crate::step::StepKind;

/// The owner's open proposals, so that words about one can be told from a new request. Where others read along
/// nothing is told of them.
///
/// # Errors
/// When the store doesn't answer.
pub async fn before(ports: &Ports, run: &Run) -> Result<Option<(u64, StepKind)>, Failure> {
    let thinks = run.work == Work::Agent && matches!(run.input, RunInput::Worker(_));
    if !thinks || run.is_public() {
        return Ok(None);
    }
    let began = ports.clock.now();
    let waiting = pending::of(&*ports.store, &run.team, &run.user).await?;
    let open = waiting
        .into_iter()
        .filter(|one| one.is_proposal() && one.expires_at > began);
    let waiting: Vec<_> = open.map(|one| (one.id, one.action_type)).collect();
    let ms = elapsed_ms(began, ports.clock.now());
    Ok((!waiting.is_empty()).then_some((ms, StepKind::Proposals { waiting })))
}
