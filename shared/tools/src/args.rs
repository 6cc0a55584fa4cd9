//! Types of arguments. A value that can't be used fails while a call's arguments are parsed, with an error that
//! names the argument.

use alfred_planner::{ClockTime, InputError, parse_date};
use jiff::civil::date;
use schemars::{Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer, Error};
use std::borrow::Cow;
use std::ops::Deref;

use crate::fields::{bad, title};
use crate::prelude::*;
use crate::time::zone::parse_zone;

/// Arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

pub trait Rule {
    type Json: DeserializeOwned + JsonSchema;
    type Value;
    /// The error's field is empty; parsing adds the argument's name.
    fn check(written: &Self::Json) -> Result<Self::Value, InputError>;
}

/// An argument that keeps a rule. Dereferences to its value.
pub struct Checked<R: Rule> {
    pub value: R::Value,
    /// As the call has it, for later errors.
    pub written: R::Json,
}

impl<R: Rule> Deref for Checked<R> {
    type Target = R::Value;

    fn deref(&self) -> &R::Value {
        &self.value
    }
}

impl<'de, R: Rule> Deserialize<'de> for Checked<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = R::Json::deserialize(deserializer)?;
        match R::check(&written) {
            Ok(value) => Ok(Self { value, written }),
            Err(error) => {
                let bad = serde_json::to_string(&bad(&error)).map_err(D::Error::custom)?;
                Err(D::Error::custom(bad))
            }
        }
    }
}

impl<R: Rule> JsonSchema for Checked<R> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        R::Json::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        R::Json::json_schema(generator)
    }
}

/// A title on one line, 1 to 200 characters.
pub type Title = Checked<TitleRule>;
/// Text of at most `N` characters, which may be empty.
pub type Text<const N: usize> = Checked<TextRule<true, N>>;
/// Text of 1 to `N` characters.
pub type Words<const N: usize> = Checked<TextRule<false, N>>;
pub type Number<const A: u32, const B: u32> = Checked<NumberRule<A, B>>;
/// A date, or a word such as "tomorrow".
pub type Day = Checked<DayRule>;
/// A date as in [`Day`], or "none" to remove the stored one.
pub type DayOrNone = Checked<DayOrNoneRule>;
/// A time at which something starts.
pub type Clock = Checked<ClockRule<false>>;
/// A time at which something ends, also "24:00".
pub type EndClock = Checked<ClockRule<true>>;
/// An IANA time zone, a city or an offset.
pub type Zone = Checked<ZoneRule>;
/// A time zone that can be stored: the IANA name of a zone or a city.
pub type NamedZone = Checked<NamedZoneRule>;

pub struct TitleRule;
pub struct TextRule<const MAY_BE_EMPTY: bool, const N: usize>;
pub struct NumberRule<const A: u32, const B: u32>;
pub struct DayRule;
pub struct DayOrNoneRule;
pub struct ClockRule<const IS_END: bool>;
pub struct ZoneRule;
pub struct NamedZoneRule;

impl Rule for TitleRule {
    type Json = String;
    type Value = String;
    fn check(written: &String) -> Result<String, InputError> {
        title("", written)
    }
}

impl<const MAY_BE_EMPTY: bool, const N: usize> Rule for TextRule<MAY_BE_EMPTY, N> {
    type Json = String;
    type Value = String;
    fn check(written: &String) -> Result<String, InputError> {
        match text_up_to("", written, N)? {
            text if text.is_empty() && !MAY_BE_EMPTY => Err(InputError::new("", "", "is empty.")),
            text => Ok(text),
        }
    }
}

impl<const A: u32, const B: u32> Rule for NumberRule<A, B> {
    type Json = i64;
    type Value = u32;
    fn check(written: &i64) -> Result<u32, InputError> {
        within("", *written, &(A..=B))
    }
}

impl Rule for DayRule {
    type Json = String;
    type Value = String;
    /// Whether a text is a date doesn't depend on the current day.
    fn check(written: &String) -> Result<String, InputError> {
        parse_date("", written, date(2000, 1, 1)).map(|_| written.clone())
    }
}

/// Words count from the day on which the request began.
fn date_of(day: &str, context: &ToolContext) -> Result<Date> {
    parse_date("", day, request_date(context)).map_err(|error| ToolError::Stop(Failure::bug(error)))
}

impl Day {
    pub fn on(&self, context: &ToolContext) -> Result<Date> {
        date_of(self, context)
    }

    pub fn or_today(day: Option<&Self>, context: &ToolContext) -> Result<Date> {
        day.map_or_else(|| Ok(request_date(context)), |day| day.on(context))
    }
}

/// The argument that removes a stored value.
pub const NONE: &str = "none";

impl Rule for DayOrNoneRule {
    type Json = String;
    type Value = Option<String>;
    fn check(written: &String) -> Result<Option<String>, InputError> {
        if written.trim().eq_ignore_ascii_case(NONE) {
            Ok(None)
        } else {
            DayRule::check(written).map(Some)
        }
    }
}

impl DayOrNone {
    pub fn on(&self, context: &ToolContext) -> Result<Option<Date>> {
        let day = self.value.as_deref();
        day.map(|day| date_of(day, context)).transpose()
    }
}

impl<const IS_END: bool> Rule for ClockRule<IS_END> {
    type Json = String;
    type Value = ClockTime;
    fn check(written: &String) -> Result<ClockTime, InputError> {
        if IS_END {
            ClockTime::parse_end("", written)
        } else {
            ClockTime::parse("", written)
        }
    }
}

impl Rule for ZoneRule {
    type Json = String;
    type Value = TimeZone;
    fn check(written: &String) -> Result<TimeZone, InputError> {
        parse_zone("", written)
    }
}

impl Rule for NamedZoneRule {
    type Json = String;
    type Value = (String, TimeZone);
    fn check(written: &String) -> Result<(String, TimeZone), InputError> {
        let zone = parse_zone("", written)?;
        let name = zone.iana_name().map(str::to_owned);
        let name = name.ok_or_else(|| {
            let problem = "can't be kept, since no zone has it all year. Name a city there.";
            InputError::new("", written, problem)
        })?;
        Ok((name, zone))
    }
}
