use alfred_core::ApprovalId;
use alfred_core::ports::{ToolCall, Write};
use jiff::Timestamp;
use serde_json::Value;

use crate::approval::ask::Ask;
use crate::model::approval::Verdict;
use crate::model::effect::Effect;
use crate::model::step::{Asked, CallResult, Decided, Step, StepKind, Unclear};
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::ToolDef;
use crate::tool::SharedTool;

/// How far a call got, read from its journal steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    Fresh,
    Asked,
    /// Edited by its owner, who must approve the edited call.
    Edited(Edit),
    Granted(Grant),
    Ended {
        why: Unclear,
        note: Option<String>,
    },
    Began(Begun),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub approval: ApprovalId,
    pub revision: u32,
    pub before: Value,
    pub after: Value,
    /// Whether a tainted run made the edit, so it may contain other people's text.
    pub tainted: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grant {
    pub arguments: Value,
    /// Digest of the approved call. `None` if no approval was needed.
    pub digest: Option<String>,
    /// Digest of the preview. `None` if none was shown.
    pub shown: Option<String>,
    /// Number of the next attempt, from 1.
    pub attempt: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    /// The approval, for another attempt.
    pub grant: Grant,
    pub at: Timestamp,
    pub until: Timestamp,
}

/// A call that may run.
pub struct Ready {
    pub call: ToolCall,
    pub tool: SharedTool,
    /// The arguments that passed the gate.
    pub arguments: AuthorizedArgs,
    /// The owner's approval, if one was needed.
    pub grant: Option<Grant>,
}

impl Ready {
    /// The tool's definition for these arguments.
    pub fn def(&self) -> &ToolDef {
        self.tool.def_of(self.arguments.value())
    }

    pub fn effect(&self) -> Effect {
        self.def().effect
    }

    /// Whether it acts outside our store, where a failed commit can't undo it.
    pub fn is_outside(&self) -> bool {
        self.effect() == Effect::Outward || self.def().behind_intent
    }
}

pub fn stage(steps: &[Step], id: &str) -> Stage {
    let mut stage = Stage::Fresh;
    let mut begun: Option<Begun> = None;
    let mut granted: Option<Grant> = None;
    let mut last_asked = None;
    for step in steps {
        match &step.did {
            StepKind::Asked(asked) if asked.call_id == id => {
                last_asked = Some(asked);
                stage = Stage::Asked;
            }
            StepKind::Decided(decision) if decision.call_id == id => {
                stage = decided(decision, begun.as_ref(), last_asked);
                if let Stage::Granted(grant) = &stage {
                    granted = Some(grant.clone());
                }
            }
            StepKind::Intent {
                call_id,
                attempt,
                arguments,
                until,
            } if call_id == id => {
                let began = Begun {
                    grant: Grant {
                        arguments: arguments.clone(),
                        attempt: *attempt,
                        ..granted.clone().unwrap_or_default()
                    },
                    at: begun.as_ref().map_or(step.at, |first| first.at),
                    until: *until,
                };
                begun = Some(began.clone());
                stage = Stage::Began(began);
            }
            StepKind::NotReached { call_id, limited } if call_id == id => {
                if let Some(began) = begun.take() {
                    stage = Stage::Granted(match limited {
                        true => began.grant,
                        false => began.grant.next(),
                    });
                }
            }
            _ => {}
        }
    }
    stage
}

/// The stage after a decision about the last request.
fn decided(decision: &Decided, begun: Option<&Begun>, asked: Option<&Asked>) -> Stage {
    let arguments = decision.arguments.clone();
    match (decision.verdict, begun) {
        // After an attempt that certainly had no effect, this is the next attempt.
        (Verdict::Approve | Verdict::Remember, begun) => Stage::Granted(Grant {
            arguments,
            digest: Some(decision.digest.clone()),
            shown: asked.and_then(|asked| asked.shown.clone()),
            attempt: begun.map_or(0, |begun| begun.grant.attempt) + 1,
        }),
        (Verdict::Edit, _) => Stage::Edited(Edit {
            approval: decision.approval.clone(),
            revision: decision.revision,
            before: asked.map_or(Value::Null, |asked| asked.arguments.clone()),
            after: arguments,
            tainted: !decision.taint.untrusted.is_empty(),
        }),
        (Verdict::Look, Some(begun)) => Stage::Began(begun.clone()),
        (Verdict::Repeat, Some(begun)) => Stage::Granted(begun.grant.next()),
        (Verdict::Leave | Verdict::Expire, Some(_)) => Stage::ended(Unclear::Unknown, None),
        (Verdict::Expire, None) => Stage::ended(Unclear::Expired, None),
        (Verdict::CallOff, _) => Stage::ended(Unclear::CalledOff, None),
        _ => Stage::ended(Unclear::Rejected, decision.note.clone()),
    }
}

impl Stage {
    fn ended(why: Unclear, note: Option<String>) -> Self {
        Self::Ended { why, note }
    }
}

impl Grant {
    /// The same approval for the next attempt.
    pub fn next(&self) -> Self {
        Self {
            attempt: self.attempt + 1,
            ..self.clone()
        }
    }
}

pub enum Next {
    Run(Box<Ready>),
    Ask(Box<Ask>),
    /// The owner has been asked already.
    Wait,
    /// An intent without a result; check its outcome.
    Look(Begun),
    /// The result, without running the tool, and the writes to commit with it.
    Answer(Box<CallResult>, Vec<Write>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The stage after a verdict on a call that was asked about again, after a failed attempt.
    fn asked_again(verdict: &str) -> Stage {
        let steps = [
            json!({"step": "intent", "call_id": "c", "attempt": 1, "arguments": {}, "until": "2026-11-21T09:01:00Z"}),
            json!({"step": "asked", "call_id": "c", "approval": "apr_1", "revision": 1, "title": "Send",
                "arguments": {}, "digest": "d", "reasons": [], "shown": "s", "tainted": false, "private": false}),
            json!({"step": "decided", "call_id": "c", "approval": "apr_1", "revision": 1, "verdict": verdict,
                "digest": "d", "arguments": {}, "taint": alfred_core::Taint::default()}),
        ];
        let at = "2026-11-21T09:00:00Z";
        let step = |did| json!({"v": 1, "seq": 1, "at": at, "ms": 0, "frame": [], "did": did});
        let steps = steps.map(|did| serde_json::from_value(step(did)).unwrap());
        stage(&steps, "c")
    }

    #[test]
    fn a_yes_behind_an_attempt_that_did_not_happen_allows_another() {
        let grant = Grant {
            arguments: json!({}),
            digest: Some("d".into()),
            shown: Some("s".into()),
            attempt: 2,
        };
        assert_eq!(asked_again("approve"), Stage::Granted(grant));
        assert_eq!(asked_again("reject"), Stage::ended(Unclear::Rejected, None));
        assert_eq!(asked_again("leave"), Stage::ended(Unclear::Unknown, None));
    }
}
