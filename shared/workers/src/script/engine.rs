//! Runs a script in its own engine.

use rquickjs::context::intrinsic::{
    Eval, Json, MapSet, Promise as Promises, Proxy, RegExp, RegExpCompiler, TypedArrays,
};
use rquickjs::function::This;
use rquickjs::{
    CaughtError, Coerced, Context, Ctx, Error, Exception, Function, Module, Object, Promise,
    Runtime, Value,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use super::{Export, Script, ScriptError};

/// The parts of the language that scripts have. Dates, clocks and weak references are left out.
type Language = (
    Eval,
    RegExpCompiler,
    RegExp,
    Json,
    Proxy,
    MapSet,
    TypedArrays,
    Promises,
);

const PRELUDE: &str = include_str!("prelude.js");
/// JSON has no infinite numbers, and would write null.
const REPLACER: &str = r"(key, value) => {
  if (typeof value === 'number' && !isFinite(value)) throw new TypeError(`${key || 'it'} is ${value}`);
  return value;
}";
/// Start of the engine's error for an import.
const NOT_LOADED: &str = "could not load module '";
/// Longest message of an exception, in characters.
const MOST_MESSAGE: usize = 300;

/// The exports of the module, by name.
pub fn exports(script: &Script) -> Result<BTreeMap<String, Export>, ScriptError> {
    run(script, |engine, exports| {
        let mut all = BTreeMap::new();
        for name in exports.keys::<String>() {
            let name = name.map_err(|error| engine.failed(error))?;
            let value = engine.get(&exports, &name)?;
            all.insert(name, engine.export(value)?);
        }
        Ok(all)
    })
}

/// The result of a function for a JSON argument.
pub fn call(
    script: &Script,
    path: &[String],
    argument: String,
) -> Result<serde_json::Value, ScriptError> {
    run(script, |engine, exports| {
        let missing = || {
            let valid: Vec<String> = exports.keys().flatten().collect();
            ScriptError::NoFunction(path.join("."), valid.join(", "))
        };
        let (mut this, mut found) = (exports.clone(), exports.clone().into_value());
        for name in path {
            this = found.into_object().ok_or_else(missing)?;
            found = engine.get(&this, name)?;
        }
        let function = found.into_function().ok_or_else(missing)?;
        let failed = |error| engine.failed(error);
        let argument = engine.ctx.json_parse(argument).map_err(failed)?;
        let given: Value<'_> = function.call((This(this), argument)).map_err(failed)?;
        match given.as_promise() {
            Some(promise) => engine.json(engine.kept(promise)?),
            None => engine.json(given),
        }
    })
}

/// The time limit of a script.
struct Watch {
    end: Instant,
    over: Cell<bool>,
}

impl Watch {
    /// Stays true once it is, even if the script catches the interruption.
    fn is_over(&self) -> bool {
        if Instant::now() >= self.end {
            self.over.set(true);
        }
        self.over.get()
    }
}

struct Engine<'a, 'js> {
    ctx: Ctx<'js>,
    script: &'a Script,
    watch: Rc<Watch>,
}

/// Runs the module in its own engine, and then `work` with its exports.
fn run<T>(
    script: &Script,
    work: impl for<'js> FnOnce(&Engine<'_, 'js>, Object<'js>) -> Result<T, ScriptError>,
) -> Result<T, ScriptError> {
    let broken = |error: Error| ScriptError::Engine(error.to_string());
    let limits = script.limits;
    let watch = Rc::new(Watch {
        end: Instant::now() + limits.time,
        over: Cell::new(false),
    });
    let runtime = Runtime::new().map_err(broken)?;
    runtime.set_max_stack_size(limits.stack);
    let context = Context::custom::<Language>(&runtime).map_err(broken)?;
    let prepared = context.with(|ctx| ctx.eval::<(), _>(PRELUDE));
    prepared.map_err(broken)?;
    // The engine doesn't check whether its own objects fit, so the limit is set after it made them.
    runtime.set_memory_limit(limits.memory);
    let looked = watch.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || looked.is_over())));
    context.with(|ctx| {
        let engine = Engine { ctx, script, watch };
        let exports = engine.evaluated()?;
        work(&engine, exports)
    })
}

impl<'js> Engine<'_, 'js> {
    fn evaluated(&self) -> Result<Object<'js>, ScriptError> {
        let name = &*self.script.name;
        let declared = Module::declare(self.ctx.clone(), name, &*self.script.text);
        let evaluated = declared.and_then(Module::eval);
        let (module, done) = evaluated.map_err(|error| self.failed(error))?;
        self.kept(&done)?;
        module.namespace().map_err(|error| self.failed(error))
    }

    /// The value of a promise. The engine itself would let a script catch that its time is over.
    fn kept(&self, promise: &Promise<'js>) -> Result<Value<'js>, ScriptError> {
        loop {
            match promise.result() {
                Some(result) => return result.map_err(|error| self.failed(error)),
                None if self.watch.is_over() => return Err(self.late()),
                None if self.ctx.execute_pending_job() => {}
                None => return Err(ScriptError::Waits),
            }
        }
    }

    fn get(&self, object: &Object<'js>, name: &str) -> Result<Value<'js>, ScriptError> {
        object.get(name).map_err(|error| self.failed(error))
    }

    fn export(&self, value: Value<'js>) -> Result<Export, ScriptError> {
        let mut methods = Vec::new();
        if let Some(object) = value.as_object().filter(|one| !one.is_function()) {
            for name in object.keys::<String>() {
                let name = name.map_err(|error| self.failed(error))?;
                if self.get(object, &name)?.is_function() {
                    methods.push(name);
                }
            }
        }
        let is_function = value.is_function();
        let data = match self.json(value) {
            Ok(data) => Some(data),
            Err(ScriptError::NotJson(_) | ScriptError::TooLong { .. }) => None,
            Err(other) => return Err(other),
        };
        Ok(Export {
            is_function,
            methods,
            data,
        })
    }

    fn json(&self, value: Value<'js>) -> Result<serde_json::Value, ScriptError> {
        let replacer = self.ctx.eval::<Function<'js>, _>(REPLACER);
        let text = replacer.and_then(|finite| self.ctx.json_stringify_replacer(value, finite));
        let text = text.and_then(|text| text.map(|text| text.to_string()).transpose());
        let text = text.map_err(|error| match self.failed(error) {
            ScriptError::Threw(_, message) => ScriptError::NotJson(message),
            other => other,
        })?;
        let text = text.ok_or_else(|| ScriptError::NotJson("it is undefined".into()))?;
        let (bytes, most) = (text.len(), self.script.limits.result);
        if bytes > most {
            return Err(ScriptError::TooLong { bytes, most });
        }
        serde_json::from_str(&text).map_err(|error| ScriptError::NotJson(error.to_string()))
    }

    fn late(&self) -> ScriptError {
        ScriptError::Time(self.script.limits.time)
    }

    fn failed(&self, error: Error) -> ScriptError {
        let why = self.why(error);
        // Reading an exception may run the script too.
        if self.watch.is_over() {
            self.late()
        } else {
            why
        }
    }

    fn why(&self, error: Error) -> ScriptError {
        let full = ScriptError::Memory(self.script.limits.memory);
        match CaughtError::from_error(&self.ctx, error) {
            CaughtError::Exception(exception) => self.thrown(&exception),
            // Not even an exception fits.
            CaughtError::Value(value) if value.is_null() => full,
            CaughtError::Value(value) => match value.get::<Coerced<String>>() {
                Ok(Coerced(message)) => self.threw("", &message),
                Err(_) => self.threw("", "something that has no words"),
            },
            CaughtError::Error(Error::Allocation) => full,
            CaughtError::Error(Error::InvalidString(_)) => self.threw("", "a NUL character"),
            CaughtError::Error(other) => ScriptError::Engine(other.to_string()),
        }
    }

    fn thrown(&self, exception: &Exception<'js>) -> ScriptError {
        let name = exception.get::<_, Coerced<String>>("name");
        let name = name.map_or_else(|_| "Error".to_owned(), |name| name.0);
        let message = exception.message().unwrap_or_default();
        match (&*name, &*message) {
            // The message is empty if it didn't fit either.
            ("InternalError", "out of memory" | "") => {
                ScriptError::Memory(self.script.limits.memory)
            }
            ("RangeError", "Maximum call stack size exceeded") => ScriptError::Stack,
            _ if message.starts_with(NOT_LOADED) => {
                let module = message[NOT_LOADED.len()..].trim_end_matches('\'');
                ScriptError::Import(module.to_owned())
            }
            _ => {
                let stack = exception.stack().unwrap_or_default();
                let at = position(&stack, &self.script.name).unwrap_or_default();
                self.threw(at, &format!("{name}: {message}"))
            }
        }
    }

    /// `at` is `:line:column`, or empty.
    fn threw(&self, at: &str, message: &str) -> ScriptError {
        let message = message.chars().take(MOST_MESSAGE).collect();
        ScriptError::Threw(format!("{}{at}", self.script.name), message)
    }
}

/// The first position in this module of a stack, as `:3:9` of `at add (sums.js:3:9)`.
fn position<'a>(stack: &'a str, module: &str) -> Option<&'a str> {
    stack.lines().find_map(|line| {
        let line = line.trim_end_matches(')');
        let (_, at) = line.rsplit_once(&format!("{module}:"))?;
        let (row, column) = at.split_once(':')?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        (is_number(row) && is_number(column)).then(|| &line[line.len() - at.len() - 1..])
    })
}
