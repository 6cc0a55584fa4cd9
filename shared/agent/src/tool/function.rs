//! Turns an async function with an arguments struct into a tool.

use alfred_core::text;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use crate::model::preview::Preview;
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::ToolDef;
use crate::tool::{SharedTool, Tool, ToolContext, ToolError, ToolOutput};

struct FnTool<A, F> {
    def: ToolDef,
    light: Option<Light<A>>,
    preview: Option<Show<A>>,
    schema: OnceLock<Value>,
    work: F,
    arguments: PhantomData<fn() -> A>,
}

/// The definition for calls whose arguments make the tool less risky.
pub struct Light<A> {
    pub def: ToolDef,
    pub is_light: fn(&A) -> bool,
}

type Show<A> =
    Box<dyn Fn(ToolContext, A) -> BoxFuture<'static, Result<Preview, ToolError>> + Send + Sync>;

/// A tool from an async function that only reads. Its return value becomes the data.
pub fn read<A, R, Fut>(
    def: ToolDef,
    work: impl Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: Serialize + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    full(def, move |context, arguments: A| {
        let result = work(context, arguments);
        async move { ToolOutput::data(&result.await?) }
    })
}

/// A tool from an async function that returns the complete output, with writes and receipt.
pub fn full<A, F, Fut>(def: ToolDef, work: F) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    made(def, None, None, work)
}

/// Like [`full`], with its own preview instead of one made from the arguments.
pub fn shown<A, F, Fut, Card>(
    def: ToolDef,
    preview: impl Fn(ToolContext, A) -> Card + Send + Sync + 'static,
    work: F,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    Card: Future<Output = Result<Preview, ToolError>> + Send + 'static,
{
    made(def, None, Some(boxed(preview)), work)
}

/// Like [`shown`], with the definition `light` for some arguments and `def` for all others.
pub fn varying<A, F, Fut, Card>(
    def: ToolDef,
    light: Light<A>,
    preview: impl Fn(ToolContext, A) -> Card + Send + Sync + 'static,
    work: F,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    Card: Future<Output = Result<Preview, ToolError>> + Send + 'static,
{
    made(def, Some(light), Some(boxed(preview)), work)
}

/// Like [`shown`], for tools that replace text or change several things at once. Their undo is
/// blind unless `is_light` accepts the arguments.
pub fn heavy<A, F, Fut, Card>(
    def: ToolDef,
    is_light: fn(&A) -> bool,
    preview: impl Fn(ToolContext, A) -> Card + Send + Sync + 'static,
    work: F,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    Card: Future<Output = Result<Preview, ToolError>> + Send + 'static,
{
    let blind = def.clone().with(|def| def.blind_undo = true);
    varying(blind, Light { def, is_light }, preview, work)
}

fn boxed<A, Card>(preview: impl Fn(ToolContext, A) -> Card + Send + Sync + 'static) -> Show<A>
where
    Card: Future<Output = Result<Preview, ToolError>> + Send + 'static,
{
    Box::new(move |context, arguments| Box::pin(preview(context, arguments)))
}

fn made<A, F, Fut>(
    def: ToolDef,
    light: Option<Light<A>>,
    preview: Option<Show<A>>,
    work: F,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    Arc::new(FnTool {
        def,
        light,
        preview,
        schema: OnceLock::new(),
        work,
        arguments: PhantomData,
    })
}

#[async_trait]
impl<A, F, Fut> Tool for FnTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn def_of(&self, arguments: &Value) -> &ToolDef {
        let light = self.light.as_ref().filter(|light| {
            let arguments = parsed::<A>(arguments.clone());
            arguments.is_ok_and(|arguments| (light.is_light)(&arguments))
        });
        light.map_or(&self.def, |light| &light.def)
    }

    async fn preview(
        &self,
        context: &ToolContext,
        arguments: &Value,
    ) -> Result<Preview, ToolError> {
        match &self.preview {
            Some(preview) => preview(context.clone(), parsed(arguments.clone())?).await,
            None => Ok(Preview::of_arguments(&self.def.name, arguments)),
        }
    }

    fn schema(&self) -> Value {
        self.schema.get_or_init(arguments_schema::<A>).clone()
    }

    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError> {
        let arguments: A = parsed(arguments.into_value())?;
        (self.work)(context, arguments).await
    }
}

/// Parses arguments, for tools that implement the trait themselves. Fails with `Failed` if they don't fit.
pub fn parsed<A: DeserializeOwned>(arguments: Value) -> Result<A, ToolError> {
    serde_json::from_value(arguments).map_err(|error| {
        let error = ToolError::failed(format!("bad arguments: {error}"));
        error.say(text::NOT_ASKED_RIGHTLY)
    })
}

/// Removes null fields, which mean the same as missing ones.
pub fn without_nulls(arguments: Value) -> Value {
    match arguments {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            let given = given.map(|(name, value)| (name, without_nulls(value)));
            given.collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

/// The JSON schema of an arguments struct in the form that every model provider accepts: no
/// references, unions or bounds. Tools check bounds themselves. Unknown fields are refused.
pub fn arguments_schema<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.remove("description");
    let mut value = schema.to_value();
    make_plain(&mut value);
    if let Some(object) = value.as_object_mut() {
        object.entry("type").or_insert_with(|| "object".into());
        object
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        object
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
    value
}

/// Schema keywords left out, because tools check these themselves.
const UNNEEDED: [&str; 8] = [
    "default",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
];

/// Removes null from types, since a nullable field may also be left out.
fn make_plain(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    fields.retain(|name, _| !UNNEEDED.contains(&name.as_str()));
    if let Some(Value::Array(options)) = fields.get_mut("anyOf") {
        options.retain(|option| option["type"] != "null");
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            for (name, value) in only {
                fields.entry(name).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for (name, inner) in fields {
        match (name.as_str(), inner) {
            ("properties", Value::Object(named)) => named.values_mut().for_each(make_plain),
            ("anyOf", Value::Array(options)) => options.iter_mut().for_each(make_plain),
            ("items" | "additionalProperties", inner) => make_plain(inner),
            _ => {}
        }
    }
}
