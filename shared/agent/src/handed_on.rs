//! Files that a worker passes on to the one it calls (seed 004 §2.3): read as the caller sees them, or those that it was
//! shown itself. Read once, before the called worker's first turn, and kept beside the run as those of a request are.

use alfred_core::Failure;
use alfred_core::files::Sandbox;
use alfred_core::policy::Setting;
use alfred_core::ports::{Files, FilesError, VirtualPath};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::agent::Agent;
use crate::attached::{self, Attached, MOST_BYTES};
use crate::attached::{FILE_OF_DENIED_KIND, FILE_OF_UNKNOWN_KIND};
use crate::calls::{CallError, Ready, result};
use crate::context::AgentLoop;
use crate::delegate::{Delegate, Delegation};
use crate::frame;
use crate::media_type::media_type;
use crate::step::{NewStep, StepKind};
use crate::tool::{Effect, Flow, Refusal, ToolContext, ToolError, parsed};

/// The files of a program, as a worker of it sees them.
pub trait SeenFiles: Send + Sync {
    /// What whoever calls sees of them.
    ///
    /// # Errors
    /// `PermissionEscalation` and `InvalidPath` where a worker's file says what can't be; `NoFolder`, `NotFound`.
    fn view(&self, context: &ToolContext) -> Result<Sandbox, FilesError>;
    /// What the worker's file says about approving that this one is read.
    fn setting(&self, path: &str) -> Option<Setting>;
    /// The tool that reads one: an administrator's policy of it holds for passing one on too.
    fn tool(&self) -> &str;
}

/// A file that a call names.
enum Named {
    /// One that the caller sees.
    Seen(VirtualPath),
    /// One that the caller was shown.
    Shown(Attached),
}

impl Named {
    fn name(&self) -> &str {
        match self {
            Self::Seen(path) => path.name().unwrap_or("/"),
            Self::Shown(file) => &file.name,
        }
    }
}

impl AgentLoop<'_> {
    /// Passes on what a call that is about to begin names; whether it goes on. Where a file can't be, that is its result.
    pub(crate) async fn is_handed_on(
        &mut self,
        ready: &Ready,
        to: &Agent,
    ) -> Result<bool, Failure> {
        let loaded = &*self.cx.loaded;
        let frame = loaded.frame.called(&ready.call.id);
        if frame::own(&loaded.steps, &frame).next().is_some() {
            return Ok(true);
        }
        let (step, goes_on) = match self.handed_on(ready, to).await.map_err(CallError::from) {
            Ok(files) if files.is_empty() => return Ok(true),
            Ok(files) => {
                let step = NewStep::from(StepKind::Attached { files });
                (step.of(&frame), true)
            }
            Err(CallError::Stop(failure)) => return Err(failure),
            Err(CallError::Refused { mut why, unclear }) => {
                // It tells what there is among the caller's files.
                why.flow = Some(Flow::PRIVATE);
                let refused = result::refused(&ready.call, Effect::Read, why, unclear);
                (refused.into(), false)
            }
        };
        self.cx.append(step).await?;
        Ok(goes_on)
    }

    /// All files that a call names, each kept beside the run.
    async fn handed_on(&self, ready: &Ready, to: &Agent) -> Result<Vec<Attached>, ToolError> {
        let args: Delegation = parsed(ready.arguments.value().clone())?;
        let policy = &to.attachments;
        let most = policy.max_total_bytes.min(MOST_BYTES);
        let (mut passed, mut left) = (Vec::new(), most);
        for name in args.attachments.iter().flatten() {
            let refused = |why: &str| ToolError::failed(not_handed_on(name, why));
            for one in self.named(ready, name)? {
                if passed.len() >= policy.max_attachments {
                    let why = handed_on_beyond(&to.name, policy.max_attachments);
                    return Err(refused(&why));
                }
                if !policy.takes(one.name()) {
                    return Err(refused(FILE_OF_DENIED_KIND));
                }
                let too_large = || refused(&handed_on_too_large(&to.name, most));
                let (file, bytes) = match one {
                    Named::Shown(file) => {
                        let bytes = self.shown(&file);
                        (
                            file,
                            bytes.ok_or_else(|| refused("it isn't kept any more"))?,
                        )
                    }
                    Named::Seen(path) => {
                        let bytes = self.seen(ready, &path, left).await?;
                        let bytes = bytes.ok_or_else(too_large)?;
                        let is = media_type(&bytes);
                        let file = Attached {
                            name: path.name().unwrap_or_default().to_owned(),
                            media_type: is.ok_or_else(|| refused(FILE_OF_UNKNOWN_KIND))?.to_owned(),
                            handed_on: true,
                            ..Attached::default()
                        };
                        (file, bytes)
                    }
                };
                left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
                passed.push((file, bytes));
            }
        }
        let mut kept = Vec::with_capacity(passed.len());
        for (mut file, bytes) in passed {
            if file.digest.is_none() {
                let digest = attached::keep(self.cx.ports, self.cx.run(), &bytes).await?;
                file.digest = Some(digest);
            }
            kept.push(file);
        }
        Ok(kept)
    }

    /// The files of a name: those that the caller was shown, however many are called so, else one that it sees.
    fn named(&self, ready: &Ready, name: &str) -> Result<Vec<Named>, ToolError> {
        let shown = attached::kinds(self.cx.loaded, &[]).flat_map(attached::attached);
        let shown = shown.filter(|file| file.name == name && file.opened().is_some());
        let shown: Vec<Named> = shown.cloned().map(Named::Shown).collect();
        // What somebody calls a file they share takes no place among the caller's own.
        match ready.tool.delegates().and_then(Delegate::files) {
            Some(_) if shown.is_empty() || name.starts_with('/') => {
                let path = VirtualPath::parse(name).map_err(|error| not_read(&error))?;
                Ok(vec![Named::Seen(path)])
            }
            None if shown.is_empty() => {
                let why = not_handed_on(name, "you weren't shown a file of this name");
                Err(ToolError::failed(why))
            }
            _ => Ok(shown),
        }
    }

    /// What the caller was shown, while it is kept.
    fn shown(&self, file: &Attached) -> Option<Vec<u8>> {
        let content = self.cx.opened.get(file.digest.as_ref()?)?;
        STANDARD.decode(&**content).ok()
    }

    /// A file that the caller sees; `None` where it is longer than so much.
    async fn seen(
        &self,
        ready: &Ready,
        path: &VirtualPath,
        most: u64,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let Some(files) = ready.tool.delegates().and_then(Delegate::files) else {
            return Err(Failure::bug("a path of nobody's files").into());
        };
        let context = self.cx.tool_context(&ready.call.id);
        let view = files.view(&context).map_err(|error| not_read(&error))?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        match view.read_up_to(path, most).await {
            Ok(body) => Ok(Some(body.bytes)),
            Err(FilesError::TooLarge { .. }) => Ok(None),
            Err(error) => Err(not_read(&error)),
        }
    }
}

fn not_handed_on(file: &str, why: &str) -> String {
    format!("{file} can't be passed on: {why}")
}

fn handed_on_beyond(worker: &str, most: usize) -> String {
    match most {
        0 => format!("{worker} takes no files"),
        1 => format!("{worker} takes one file at a time"),
        most => format!("{worker} takes {most} files at most"),
    }
}

fn handed_on_too_large(worker: &str, most: u64) -> String {
    let most = match most {
        0..1_000 => format!("{most} bytes"),
        1_000..1_000_000 => format!("{} kB", most / 1_000),
        _ => format!("{} MB", most / 1_000_000),
    };
    format!("{worker} takes files of {most} together")
}

/// Why a file can't be read, with its code.
fn not_read(error: &FilesError) -> ToolError {
    if let FilesError::Unavailable { .. } = error {
        return ToolError::Stop(Failure::retry(error));
    }
    let mut refusal = Refusal::from(error.to_string());
    refusal.data.insert("code".into(), error.code().into());
    refusal.kind = Some(error.code());
    ToolError::Failed(refusal)
}
