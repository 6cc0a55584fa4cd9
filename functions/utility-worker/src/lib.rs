//! One agent with all tools: runs a request to its answer.
