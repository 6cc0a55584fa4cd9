//! Pure planning: blocks, gaps, scores. No I/O, no clock.
