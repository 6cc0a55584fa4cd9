//! The catalogue: one line a tool. Toolsets are the parts of the names before
//! the first underscore.

use alfred_agent::tool::SharedTool;
use std::sync::LazyLock;

use crate::{
    approval, calendar, email, preference, schedule, slack, system, task, time, toolset as sets,
    user,
};

static TOOLS: LazyLock<Vec<SharedTool>> = LazyLock::new(|| {
    vec![
        time::now::tool(),
        time::convert::tool(),
        time::add::tool(),
        user::list::tool(),
        user::lookup::tool(),
        preference::update_preferences::tool(),
        schedule::view_schedule::tool(),
        schedule::view_week::tool(),
        schedule::create_time_block::tool(),
        schedule::move_time_block::tool(),
        schedule::delete_time_block::tool(),
        schedule::fill_work_block::tool(),
        schedule::find_gaps::tool(),
        schedule::batch_create_blocks::tool(),
        schedule::analyze_utilization::tool(),
        task::create_task::tool(),
        task::view_tasks::tool(),
        task::delete_task::tool(),
        task::update_task::tool(),
        task::complete_task::tool(),
        task::get_backlog_with_scores::tool(),
        task::assign_to_time_block::tool(),
        task::suggest_for_duration::tool(),
        email::view_emails::tool(),
        email::read_email::tool(),
        email::process_email::tool(),
        email::get_backlog::tool(),
        email::categorize_email::tool(),
        email::batch_categorize::tool(),
        email::group_by_sender::tool(),
        email::archive_batch::tool(),
        email::restore_batch::tool(),
        email::create_task_from_email::tool(),
        calendar::schedule_meeting::tool(),
        calendar::reschedule_meeting::tool(),
        slack::send_message::tool(),
        approval::list::tool(),
        approval::state::tool(),
        system::present_proposal::tool(),
        system::await_confirmation::tool(),
        system::confirm_proposal::tool(),
        system::modify_proposal::tool(),
        system::show_workflow_history::tool(),
        system::resume_workflow::tool(),
        system::provide_feedback::tool(),
        system::show_patterns::tool(),
        system::clear_context::tool(),
        sets::open::tool(),
    ]
});

/// Every tool, in the order in which models see them.
#[must_use]
pub fn catalogue() -> Vec<SharedTool> {
    TOOLS.clone()
}

/// The tool of this name.
#[must_use]
pub fn tool(name: &str) -> Option<SharedTool> {
    TOOLS.iter().find(|tool| tool.def().name == name).cloned()
}

/// The tools of a toolset; empty when there is none of this name.
#[must_use]
pub fn toolset(category: &str) -> Vec<SharedTool> {
    TOOLS
        .iter()
        .filter(|tool| tool.def().category() == category)
        .cloned()
        .collect()
}

/// The names of all toolsets, each once, in the order of the catalogue.
#[must_use]
pub fn toolsets() -> Vec<&'static str> {
    let mut names = Vec::new();
    for tool in TOOLS.iter() {
        let category = tool.def().category();
        if !names.contains(&category) {
            names.push(category);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_agent::tool::Effect;
    use alfred_core::Role;
    use serde_json::Value;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_read_category_verb_noun() {
        let mut seen = HashSet::new();
        for tool in catalogue() {
            let name = tool.def().name;
            assert!(seen.insert(name), "{name} twice");
            let (category, verb) = name.split_once('_').unwrap();
            assert!(category.bytes().all(|b| b.is_ascii_lowercase()), "{name}");
            assert!(verb.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            assert!(verb.bytes().all(|b| b.is_ascii_alphabetic()), "{name}");
            assert!(name.len() <= 64, "{name}: the longest name providers take");
        }
    }

    #[test]
    fn every_tool_is_found_by_name_and_in_its_toolset() {
        let mut found = 0;
        for category in toolsets() {
            for member in toolset(category) {
                assert_eq!(tool(member.def().name).unwrap().def(), member.def());
                found += 1;
            }
        }
        assert_eq!(found, catalogue().len());
        assert!(tool("time_travel").is_none() && toolset("travel").is_empty());
    }

    #[test]
    fn whoever_only_reads_is_open_to_guests_and_nobody_else_is() {
        for tool in catalogue() {
            let def = tool.def();
            assert_eq!(
                def.allows(Role::Guest),
                def.effect == Effect::Read,
                "{}",
                def.name
            );
        }
    }

    fn walk(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    visit(name, value);
                    walk(value, visit);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }

    #[test]
    fn schemas_are_flat_closed_and_described() {
        for tool in catalogue() {
            let name = tool.def().name;
            let schema = tool.schema();
            walk(&schema, &mut |key, _| {
                assert!(
                    !["$ref", "$defs", "oneOf"].contains(&key),
                    "{name} has {key}"
                );
            });
            assert_eq!(schema["type"], "object", "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
            for (field, property) in schema["properties"].as_object().unwrap() {
                let text = property["description"].as_str().unwrap_or_default();
                assert!(text.len() > 10, "{name}.{field} is not described");
                assert!(!field.contains('_'), "{name}.{field} is not camelCase");
            }
        }
    }

    #[test]
    fn the_interface_of_every_tool() {
        let specs: Vec<Value> = catalogue()
            .iter()
            .map(|tool| {
                let spec = tool.spec();
                serde_json::json!({
                    "name": spec.name,
                    "description": spec.description,
                    "rules": tool.def().rules,
                    "effect": tool.def().effect,
                    "approval": tool.def().approval,
                    "flow": tool.def().flow,
                    "parameters": spec.parameters,
                })
            })
            .collect();
        insta::with_settings!({ sort_maps => true }, {
            insta::assert_json_snapshot!("tools", specs);
        });
    }
}
