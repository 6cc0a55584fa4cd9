use alfred_agent::approval::pending;
use alfred_agent::model::{Session, Verdict};
use alfred_agent::tool::Choice;

use super::TOOLSET;
use crate::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Scope {
    Conversation,
    Proposals,
    WorkflowState,
    All,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What is forgotten or called off.
    scope: Scope,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_clearContext",
        "Forgets what was said in this conversation, or cancels waiting proposals. Tasks, blocks and mail stay.",
    ).flow(Flow::PRIVATE)
    .effect(Effect::Destructive);
    tool::shown(
        def,
        async |_, args: Arguments| Ok(Preview::new(args.scope.title())),
        clear,
    )
}

impl Scope {
    fn title(self) -> &'static str {
        match self {
            Self::Conversation => "Forget what was said in this conversation",
            Self::Proposals | Self::WorkflowState => "Call off the proposals that wait",
            Self::All => "Forget what was said here, and call off the proposals that wait",
        }
    }
}

async fn clear(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (conversation, proposals) = match args.scope {
        Scope::Conversation => (true, false),
        Scope::Proposals | Scope::WorkflowState => (false, true),
        Scope::All => (true, true),
    };
    let mut writes = Vec::new();
    let mut forgotten = 0;
    if conversation {
        let (store, team, user) = (&*context.store, &context.team, context.user_id());
        let mut session = Session::load(store, team, user, &context.session).await?;
        forgotten = session.memory.len();
        session.forget();
        writes.extend(session.write(team, user, &context.session)?);
    }
    let mut waiting = Vec::new();
    if proposals {
        waiting = pending::pending(&*context.store, &context.team, context.user_id()).await?;
        waiting.retain(|one| !one.preview.items.is_empty());
    }
    let data = json!({"exchangesForgotten": forgotten, "proposalsCalledOff": waiting.len()});
    let said = format!(
        "Earlier exchanges forgotten: {forgotten}; waiting proposals called off: {}",
        waiting.len()
    );
    let mut output = ToolOutput::data(&data)?.with_effect(said, writes);
    for one in waiting {
        output = output.deciding(Choice {
            approval: one.id,
            revision: one.revision,
            verdict: if context.call.by_hand {
                Verdict::Reject
            } else {
                Verdict::CallOff
            },
            arguments: None,
            note: None,
        });
    }
    Ok(output)
}
