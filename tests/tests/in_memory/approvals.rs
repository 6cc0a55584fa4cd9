//! Approvals through the front door: a request, its card, a click.
