//! Verifies, parses, enqueues, answers 200.
