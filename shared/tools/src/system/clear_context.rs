use alfred_agent::model::Session;

use super::{TOOLSET, proposal};
use crate::approval;
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
    let description = "Forgets what was said in this conversation, or cancels waiting proposals. Tasks, blocks and mail stay.";
    let def = ToolDef::new(TOOLSET, "system_clearContext", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::Destructive);
    tool::shown(def, async |_, args| Ok(preview(&args)), clear)
}

fn preview(args: &Arguments) -> Preview {
    Preview::new(match args.scope {
        Scope::Conversation => "Forget what was said in this conversation",
        Scope::Proposals | Scope::WorkflowState => "Call off the proposals that wait",
        Scope::All => "Forget what was said here, and call off the proposals that wait",
    })
}

async fn clear(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let mut writes = Vec::new();
    let mut forgotten = 0;
    if matches!(args.scope, Scope::Conversation | Scope::All) {
        let (store, team, user) = (&*context.store, &context.team, context.user_id());
        let mut session = Session::load(store, team, user, &context.session).await?;
        forgotten = session.memory.len();
        session.forget();
        writes.extend(session.write(team, user, &context.session)?);
    }
    let mut waiting = Vec::new();
    if args.scope != Scope::Conversation {
        waiting = approval::waiting(&context).await?;
        waiting.retain(|one| !one.preview.items.is_empty());
    }
    let data = json!({"exchangesForgotten": forgotten, "proposalsCalledOff": waiting.len()});
    let said = format!(
        "Earlier exchanges forgotten: {forgotten}; waiting proposals called off: {}",
        waiting.len()
    );
    let mut output = ToolOutput::data(&data)?.with_effect(said, writes);
    for one in &waiting {
        output = output.deciding(proposal::choice(one, proposal::refusal(&context), None));
    }
    Ok(output)
}
