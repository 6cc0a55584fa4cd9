//! A plan's budget is shared out and given back; all runs together keep to it.
