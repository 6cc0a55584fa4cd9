//! Tools whose risk depends on their arguments.

use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::Tool;
use serde::de::DeserializeOwned;

use crate::prelude::*;

struct Varying<A> {
    tool: SharedTool,
    light: ToolDef,
    fits: fn(&A) -> bool,
}

/// Has the definition `light` for the arguments that it fits, and the tool's own for all others.
pub fn varying<A: DeserializeOwned + 'static>(
    tool: SharedTool,
    light: ToolDef,
    fits: fn(&A) -> bool,
) -> SharedTool {
    Arc::new(Varying { tool, light, fits })
}

/// For tools that replace text or change several things at once. Their undo is blind unless `is_light` accepts the
/// arguments.
pub fn heavy<A: DeserializeOwned + 'static>(
    def: ToolDef,
    is_light: fn(&A) -> bool,
    made: impl FnOnce(ToolDef) -> SharedTool,
) -> SharedTool {
    let blind = def.clone().with(|def| def.blind_undo = true);
    varying(made(blind), def, is_light)
}

#[async_trait]
impl<A: DeserializeOwned + 'static> Tool for Varying<A> {
    fn def(&self) -> &ToolDef {
        self.tool.def()
    }

    fn def_of(&self, arguments: &Value) -> &ToolDef {
        match tool::parsed(arguments.clone()) {
            Ok(arguments) if (self.fits)(&arguments) => &self.light,
            _ => self.tool.def(),
        }
    }

    fn schema(&self) -> Value {
        self.tool.schema()
    }

    async fn preview(&self, context: &ToolContext, args: &Value) -> Result<Preview> {
        self.tool.preview(context, args).await
    }

    async fn run(&self, context: ToolContext, args: AuthorizedArgs) -> Result<ToolOutput> {
        self.tool.run(context, args).await
    }
}
