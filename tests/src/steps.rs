use alfred_agent::{Step, StepKind};

/// The steps of a journal, one word each. A tool result appears as its tool's name.
pub fn story(steps: &[Step]) -> String {
    let words: Vec<&str> = steps.iter().map(|step| word(&step.did)).collect();
    words.join(" ")
}

fn word(did: &StepKind) -> &str {
    match did {
        StepKind::Classified(found) if found.fallback_reason.is_some() => "unclassified",
        StepKind::Classified(_) => "classified",
        StepKind::Context { .. } => "context",
        StepKind::Turn(_) => "turn",
        StepKind::ToolResult(result) if result.ok => &result.name,
        StepKind::ToolResult { .. } => "failed",
        StepKind::Planned(_) => "planned",
        StepKind::Asked { .. } => "asked",
        StepKind::Decided { .. } => "decided",
        StepKind::Intent { .. } => "intent",
        StepKind::NotReached { .. } => "not-reached",
        StepKind::Compacted { .. } => "compacted",
        StepKind::Attached { .. } => "attached",
    }
}
