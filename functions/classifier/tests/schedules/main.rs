//! What runs by itself, through the sweep, on a clock that the test sets.

mod office;
mod rules;
mod year;
