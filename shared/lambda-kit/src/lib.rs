//! What every function shares: telemetry, SQS batch runner, deadlines.
