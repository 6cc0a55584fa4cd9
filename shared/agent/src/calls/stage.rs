use alfred_core::ports::{ToolCall, Write};
use jiff::Timestamp;
use serde_json::Value;

use crate::approval::pending::Ask;
use crate::history::ledger::{CALLED_OFF, REJECTED_BY_YOU};
use crate::model::{Asked, CallResult, Decided, Effect, Step, StepKind, Unclear, Verdict};
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::ToolDef;
use crate::tool::{Refusal, SharedTool};

const CALLED_OFF_UNSEEN: &str =
    "This was called off before the person decided. Nothing was done. Don't call it again.";
const EXPIRED_UNSEEN: &str = "The approval expired before anybody decided. Nothing was done. The button on its card renews it.";
const LEFT_UNKNOWN: &str = "Nobody can tell whether this happened, and it was left at that.";

#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    Fresh,
    Asked,
    /// Edited by its owner, who must approve the edited call.
    Edited {
        edit: Decided,
        before: Value,
    },
    Granted(Grant),
    Ended(Refusal),
    Began(Begun),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grant {
    pub arguments: Value,
    pub digest: Option<String>,
    /// Digest of the preview. `None` if none was shown.
    pub shown: Option<String>,
    /// Number of the next attempt, from 1.
    pub attempt: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub grant: Grant,
    pub at: Timestamp,
    pub until: Timestamp,
}

pub struct Ready {
    pub call: ToolCall,
    pub tool: SharedTool,
    pub arguments: AuthorizedArgs,
    pub grant: Option<Grant>,
    /// For an undo that is a part of another call: the state that the effect left.
    pub left: Option<Value>,
}

impl Ready {
    pub fn def(&self) -> &ToolDef {
        self.tool.def_of(self.arguments.value())
    }

    pub fn effect(&self) -> Effect {
        self.def().effect
    }
}

pub fn stage(steps: &[Step], id: &str) -> Stage {
    let (mut stage, mut begun, mut last_asked) = (Stage::Fresh, None::<Begun>, None);
    let mut granted = Grant::default();
    for step in steps {
        match &step.did {
            StepKind::Asked(asked) if asked.call_id == id => {
                last_asked = Some(asked);
                stage = Stage::Asked;
            }
            StepKind::Decided(decision) if decision.call_id == id => {
                stage = decided(decision, begun.as_ref(), last_asked);
                if let Stage::Granted(grant) = &stage {
                    granted.clone_from(grant);
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
                        ..granted.clone()
                    },
                    at: begun.as_ref().map_or(step.at, |first| first.at),
                    until: *until,
                };
                begun = Some(began.clone());
                stage = Stage::Began(began);
            }
            StepKind::NotReached { call_id, limited } if call_id == id => {
                if let Some(Begun { mut grant, .. }) = begun.take() {
                    grant.attempt += u32::from(!limited);
                    stage = Stage::Granted(grant);
                }
            }
            _ => {}
        }
    }
    stage
}

fn decided(decision: &Decided, begun: Option<&Begun>, asked: Option<&Asked>) -> Stage {
    match (decision.verdict, begun) {
        // After an attempt that certainly had no effect, this is the next attempt.
        (Verdict::Approve | Verdict::Remember, begun) => Stage::Granted(Grant {
            arguments: decision.arguments.clone(),
            digest: Some(decision.digest.clone()),
            shown: asked.and_then(|asked| asked.shown.clone()),
            attempt: begun.map_or(0, |begun| begun.grant.attempt) + 1,
        }),
        (Verdict::Edit, _) => Stage::Edited {
            edit: decision.clone(),
            before: asked.map_or(Value::Null, |asked| asked.arguments.clone()),
        },
        (Verdict::Look, Some(begun)) => Stage::Began(begun.clone()),
        (Verdict::Repeat, Some(begun)) => Stage::Granted(begun.grant.next()),
        (Verdict::Leave | Verdict::Expire, Some(_)) => ended(Unclear::Unknown, LEFT_UNKNOWN),
        (Verdict::Expire, None) => ended(Unclear::Expired, EXPIRED_UNSEEN),
        (Verdict::CallOff, _) => {
            let why = Refusal::from(CALLED_OFF_UNSEEN).say(CALLED_OFF);
            ended(Unclear::CalledOff, why)
        }
        _ => {
            let note = decision.note.as_ref();
            let said = note.map_or(String::new(), |note| format!(", and said: \"{note}\""));
            let why = format!(
                "The person rejected this{said}. Nothing was done. Don't call it again unchanged."
            );
            ended(Unclear::Rejected, Refusal::from(why).say(REJECTED_BY_YOU))
        }
    }
}

fn ended(reason: Unclear, why: impl Into<Refusal>) -> Stage {
    Stage::Ended(why.into().unclear(reason))
}

impl Grant {
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
    /// The result, without running the tool, and the writes to commit with it.
    Answer(Box<CallResult>, Vec<Write>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
    fn approval_after_an_attempt_not_done_allows_a_retry() {
        let grant = Grant {
            arguments: json!({}),
            digest: Some("d".into()),
            shown: Some("s".into()),
            attempt: 2,
        };
        assert_eq!(asked_again("approve"), Stage::Granted(grant));
        let reason = |verdict| match asked_again(verdict) {
            Stage::Ended(why) => why.unclear,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason("reject"), Some(Unclear::Rejected));
        assert_eq!(reason("leave"), Some(Unclear::Unknown));
    }
}
