//! Why an agent stopped.

use alfred_core::WorkerOutput;
use std::time::Duration;

use crate::approval::ask::Ask;
use crate::model::step::NewStep;

/// Why an agent stopped.
pub(crate) enum Left {
    /// It has an outcome; these steps must be committed with it.
    Ended(Vec<NewStep>, WorkerOutput),
    /// It failed, with a message for the person.
    Failed(Vec<NewStep>, String),
    /// Its owner must be asked, or was asked already.
    Asking(Vec<Ask>),
    /// The outcome of an effect can be checked after this delay.
    Later(Duration),
    /// The model's provider asked for a pause.
    Paused(Vec<NewStep>, Duration),
    /// This invocation has too little time left.
    OutOfTime(Vec<NewStep>),
}
