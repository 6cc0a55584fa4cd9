//! Maps other agents' tool names to tools here.

use alfred_agent::tool::ToolDef;

/// Another agent's tool name, and the equivalent toolset and tool here.
const KNOWN: [(&str, &str, &str); 6] = [
    ("Read", "filesystem", "read_file"),
    ("Write", "filesystem", "write_file"),
    ("Glob", "filesystem", "list_files"),
    ("LS", "filesystem", "list_files"),
    ("WebSearch", "web", "web_search"),
    ("WebFetch", "web", "web_readPage"),
];

/// The toolset and tool for another agent's tool name.
pub fn of(theirs: &str) -> Option<(&'static str, &'static str)> {
    let found = KNOWN.iter().find(|(name, ..)| *name == theirs);
    found.map(|(_, toolset, tool)| (*toolset, *tool))
}

/// Whether a name means this tool: its own name, its toolset's, or another agent's name for it.
pub fn is(name: &str, tool: &ToolDef) -> bool {
    let own = name == tool.name || name == tool.toolset.name;
    own || of(name)
        .is_some_and(|(toolset, named)| toolset == tool.toolset.name && named == tool.name)
}
