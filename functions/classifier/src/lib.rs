//! The orchestrator: who asks, simple or complex, which teams; aggregates.
