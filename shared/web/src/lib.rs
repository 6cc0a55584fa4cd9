//! The web: searching it with a provider, and reading its pages.

mod answer;
mod checked;
mod domains;
mod one_click;
mod openai;
mod page;
mod readable;
mod searxng;
mod settings;
mod tavily;

pub use checked::Checked;
pub use openai::{CostOf, DEFAULT_OPENAI_URL, OpenAiSearch};
pub use page::WebPages;
pub use searxng::Searxng;
pub use settings::from_settings;
pub use tavily::{DEFAULT_TAVILY_URL, Tavily};
