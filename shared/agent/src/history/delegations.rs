//! What the workers of a run gave back, for counting rounds.

use crate::model::step::Step;
use crate::tool::delegate::DONE;

pub(crate) struct Given<'a> {
    pub(crate) worker: &'a str,
    pub(crate) ok: bool,
    pub(crate) said: &'a str,
}

/// The results of delegations by the run's own agent, without refused calls.
pub(crate) fn given(steps: &[Step]) -> impl DoubleEndedIterator<Item = Given<'_>> {
    let own = steps.iter().filter(|step| step.frame.is_own());
    let results = own.filter_map(Step::result);
    let given = results.filter(|result| result.ok || result.output[DONE].is_array());
    given.map(|result| {
        let said = result.output["result"].as_str();
        let said = said.or(result.output["partial"].as_str());
        Given {
            worker: &result.name,
            ok: result.ok,
            said: said.unwrap_or_default(),
        }
    })
}

pub(crate) fn made(steps: &[Step], worker: &str) -> u32 {
    let made = given(steps).filter(|one| one.ok && one.worker == worker);
    u32::try_from(made.count()).unwrap_or(u32::MAX)
}
