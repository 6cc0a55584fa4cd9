//! Passes files from a worker to the worker it calls: files that the caller can read, or was shown. They are read once.

use alfred_core::ports::{Files, FilesError, VirtualPath};
use alfred_core::{Failure, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::calls::context::AgentLoop;
use crate::calls::{Ready, result};
use crate::history::{attached_files, frame};
use crate::model::{Attached, Effect, Flow, MOST_BYTES, NewStep, StepKind};
use crate::store::attachments;
use crate::tool::agent::Agent;
use crate::tool::delegate::Delegation;
use crate::tool::{self, ToolError, parsed};
use crate::turn::attached::{self, FILE_OF_DENIED_KIND, FILE_OF_UNKNOWN_KIND};
use crate::turn::files::{media_type, size};

struct Named {
    file: Attached,
    /// Its path in the caller's file system. `None` for a file that the caller was shown.
    path: Option<VirtualPath>,
}

/// Passes on the files of a delegation. Returns whether it may start; otherwise its refusal was committed.
pub(crate) async fn is_handed_on(
    work: &mut AgentLoop<'_>,
    ready: &Ready,
    to: &Agent,
) -> Result<bool> {
    let loaded = &*work.cx.loaded;
    let frame = loaded.frame.called(&ready.call.id);
    if frame::own(&loaded.steps, &frame).next().is_some() {
        return Ok(true);
    }
    let (step, goes_on) = match handed_on(work, ready, to).await {
        Ok(files) if files.is_empty() => return Ok(true),
        Ok(files) => (NewStep::from(StepKind::Attached { files }).of(&frame), true),
        Err(ToolError::Stop(failure)) => return Err(failure),
        Err(ToolError::Unknown(detail)) => return Err(Failure::retry(detail)),
        Err(ToolError::Failed(mut why)) => {
            // The message reveals which files the caller has.
            why.flow = Some(Flow::PRIVATE);
            let refused = result::step(&ready.call, Effect::Read, result::failed(why));
            (refused.into(), false)
        }
    };
    work.cx.append(step).await?;
    Ok(goes_on)
}

async fn handed_on(work: &AgentLoop<'_>, ready: &Ready, to: &Agent) -> tool::Result<Vec<Attached>> {
    let args: Delegation = parsed(ready.arguments.value().clone())?;
    let (policy, worker) = (&to.attachments, &to.name);
    let most = policy.max_total_bytes.min(MOST_BYTES);
    let (mut passed, mut left) = (Vec::new(), most);
    for name in args.attachments.iter().flatten() {
        let refused = |why: &str| not_handed_on(name, why);
        let too_large = || refused(&format!("{worker} takes files of {} together", size(most)));
        for Named { mut file, path } in named(work, ready, name)? {
            if passed.len() >= policy.max_attachments {
                return Err(refused(&match policy.max_attachments {
                    0 => format!("{worker} takes no files"),
                    1 => format!("{worker} takes one file at a time"),
                    most => format!("{worker} takes {most} files at most"),
                }));
            }
            if !policy.takes(&file.name) {
                return Err(refused(FILE_OF_DENIED_KIND));
            }
            let bytes = match &path {
                None => shown(work, &file).ok_or_else(|| refused("it isn't kept any more"))?,
                Some(path) => {
                    let read = seen(work, ready, path, left).await?;
                    read.ok_or_else(too_large)?
                }
            };
            if path.is_some() {
                let is = media_type(&bytes).ok_or_else(|| refused(FILE_OF_UNKNOWN_KIND))?;
                file.media_type = is.to_owned();
            }
            left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
            passed.push((file, bytes));
        }
    }
    // Nothing is stored if a later file is refused.
    for (file, bytes) in passed.iter_mut().filter(|(file, _)| file.digest.is_none()) {
        file.digest = Some(attachments::keep(work.cx.ports, work.cx.run(), bytes).await?);
    }
    Ok(passed.into_iter().map(|(file, _)| file).collect())
}

/// Resolves a name: all files of that name that the caller was shown, else a path in its file system.
fn named(work: &AgentLoop<'_>, ready: &Ready, name: &str) -> Result<Vec<Named>, ToolError> {
    let shown = attached::kinds(work.cx.loaded, &[]).flat_map(attached_files);
    let shown = shown.filter(|file| file.name == name && file.opened().is_some());
    let shown = shown.cloned().map(|file| Named { file, path: None });
    let shown: Vec<Named> = shown.collect();
    let has_files = ready.tool.callers_files().is_some();
    // A shared file's name must not stand for a path of the caller's own files.
    if has_files && (shown.is_empty() || name.starts_with('/')) {
        let path = VirtualPath::parse(name).map_err(|error| not_read(&error))?;
        let file = Attached {
            name: path.name().unwrap_or("/").to_owned(),
            handed_on: true,
            ..Attached::default()
        };
        let path = Some(path);
        return Ok(vec![Named { file, path }]);
    }
    if shown.is_empty() {
        return Err(not_handed_on(name, "you weren't shown a file of this name"));
    }
    Ok(shown)
}

fn shown(work: &AgentLoop<'_>, file: &Attached) -> Option<Vec<u8>> {
    let content = work.cx.opened.get(file.digest.as_ref()?)?;
    STANDARD.decode(&**content).ok()
}

async fn seen(
    work: &AgentLoop<'_>,
    ready: &Ready,
    path: &VirtualPath,
    most: u64,
) -> Result<Option<Vec<u8>>, ToolError> {
    let Some(files) = ready.tool.callers_files() else {
        return Err(Failure::bug("a path of nobody's files").into());
    };
    let context = work.cx.tool_context(&ready.call.id);
    let view = files.view(&context).map_err(|error| not_read(&error))?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    match view.read_up_to(path, most).await {
        Ok(body) => Ok(Some(body.bytes)),
        Err(FilesError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(not_read(&error)),
    }
}

fn not_handed_on(file: &str, why: &str) -> ToolError {
    ToolError::failed(format!("{file} can't be passed on: {why}"))
}

fn not_read(error: &FilesError) -> ToolError {
    if let FilesError::Unavailable { .. } = error {
        return ToolError::Stop(Failure::retry(error));
    }
    let refusal = ToolError::failed(error.to_string()).kind(error.code());
    refusal.with("code", error.code().into())
}
