use alfred_core::text;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::Future;
use std::sync::{Arc, OnceLock};

use crate::model::{Preview, in_words};
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::ToolDef;
use crate::tool::{Result, SharedTool, Tool, ToolContext, ToolError, ToolOutput};

pub trait Arguments: DeserializeOwned + JsonSchema + Send + 'static {}
impl<A: DeserializeOwned + JsonSchema + Send + 'static> Arguments for A {}

pub trait Work<R>: Future<Output = Result<R>> + Send + 'static {}
impl<R, F: Future<Output = Result<R>> + Send + 'static> Work<R> for F {}

type Boxed<A, R> = Box<dyn Fn(ToolContext, A) -> BoxFuture<'static, Result<R>> + Send + Sync>;

fn boxed<A, R, W: Work<R>>(
    work: impl Fn(ToolContext, A) -> W + Send + Sync + 'static,
) -> Boxed<A, R> {
    Box::new(move |context, arguments| Box::pin(work(context, arguments)))
}

struct FnTool<A> {
    def: ToolDef,
    preview: Option<Boxed<A, Preview>>,
    schema: OnceLock<Value>,
    work: Boxed<A, ToolOutput>,
}

/// A tool from an async function that only reads. Its return value becomes the data.
pub fn read<A: Arguments, R: Serialize + 'static, W: Work<R>>(
    def: ToolDef,
    work: impl Fn(ToolContext, A) -> W + Send + Sync + 'static,
) -> SharedTool {
    full(def, move |context, arguments: A| {
        let result = work(context, arguments);
        async move { ToolOutput::data(&result.await?) }
    })
}

/// A tool from an async function that returns the complete output, with writes and receipt.
pub fn full<A: Arguments, W: Work<ToolOutput>>(
    def: ToolDef,
    work: impl Fn(ToolContext, A) -> W + Send + Sync + 'static,
) -> SharedTool {
    made(def, None, boxed(work))
}

/// Like [`full`], with its own preview instead of one made from the arguments.
pub fn shown<A: Arguments, P: Work<Preview>, W: Work<ToolOutput>>(
    def: ToolDef,
    preview: impl Fn(ToolContext, A) -> P + Send + Sync + 'static,
    work: impl Fn(ToolContext, A) -> W + Send + Sync + 'static,
) -> SharedTool {
    made(def, Some(boxed(preview)), boxed(work))
}

fn made<A: Arguments>(
    def: ToolDef,
    preview: Option<Boxed<A, Preview>>,
    work: Boxed<A, ToolOutput>,
) -> SharedTool {
    let schema = OnceLock::new();
    Arc::new(FnTool {
        def,
        preview,
        schema,
        work,
    })
}

#[async_trait]
impl<A: Arguments> Tool for FnTool<A> {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    async fn preview(&self, context: &ToolContext, arguments: &Value) -> Result<Preview> {
        match &self.preview {
            Some(preview) => preview(context.clone(), parsed(arguments.clone())?).await,
            None => Ok(Preview::of_arguments(&self.def.name, arguments)),
        }
    }

    fn schema(&self) -> Value {
        self.schema.get_or_init(arguments_schema::<A>).clone()
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result {
        let arguments: A = parsed(arguments.into_value())?;
        (self.work)(context, arguments).await
    }
}

/// Why an argument of the right JSON type can't be used. Types of arguments give it as their deserialization
/// error, which holds it as JSON.
#[derive(Serialize, Deserialize)]
pub struct BadArgument {
    /// `"0" is out of range: 1 to 5.`; the argument's name is put before it.
    pub message: String,
    pub say: String,
    /// Whether `say` needs the name before it too.
    pub say_needs_name: bool,
}

impl BadArgument {
    pub fn of(self, field: &str) -> ToolError {
        let is_name = |part: &&str| part.parse::<usize>().is_err();
        let name = field.rsplit('.').find(is_name).unwrap_or_default();
        let name = in_words(name.strip_prefix("every").unwrap_or(name));
        let error = ToolError::failed(format!("{field}: {}", self.message));
        error.say(if self.say_needs_name {
            format!("{name}: {}", self.say)
        } else {
            self.say
        })
    }
}

/// For tools that implement the trait themselves.
pub fn parsed<A: DeserializeOwned>(arguments: Value) -> Result<A> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        match serde_json::from_str::<BadArgument>(&error.inner().to_string()) {
            Ok(bad) => bad.of(&error.path().to_string().replace('[', ".").replace(']', "")),
            Err(_) => {
                ToolError::failed(format!("bad arguments: {error}")).say(text::NOT_ASKED_RIGHTLY)
            }
        }
    })
}

/// Null means the same as missing.
pub fn without_nulls(arguments: Value) -> Value {
    match arguments {
        Value::Object(mut fields) => {
            fields.retain(|_, value| !value.is_null());
            let plain = |(name, value)| (name, without_nulls(value));
            fields.into_iter().map(plain).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

/// A schema that every model provider accepts: no references, unions or bounds.
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
        object.entry("type").or_insert("object".into());
        object.entry("properties").or_insert(json!({}));
        object.entry("additionalProperties").or_insert(false.into());
    }
    value
}

/// Tools check these themselves.
const UNNEEDED: &str = "default format minimum maximum minItems maxItems minLength maxLength";

/// A nullable field may also be left out.
fn make_plain(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    fields.retain(|name, _| UNNEEDED.split(' ').all(|unneeded| unneeded != name));
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
