use alfred_core::Taint;
use alfred_core::policy::{Mode, Setting};

/// The approval mode: the stricter of the administrator's and the run owner's. The owner's
/// `approve_all` doesn't apply to calls that an administrator wants asked, nor to tainted runs.
pub fn mode_in_run(
    set: Mode,
    chosen: Mode,
    administrator: &[Option<Setting>],
    taint: &Taint,
) -> Mode {
    let asks = administrator.contains(&Some(Setting::Ask));
    match (set, chosen) {
        (Mode::AutoDeny, _) | (_, Mode::AutoDeny) => Mode::AutoDeny,
        (_, Mode::ApproveAll) if !asks && taint.untrusted.is_empty() => Mode::ApproveAll,
        _ => set,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{ApproveAll, AutoDeny, Interactive};

    #[test]
    fn a_choice_only_spares_what_nobody_else_asks_for() {
        for (set, chosen, asks, tainted, expected) in [
            (Interactive, Interactive, false, false, Interactive),
            (Interactive, ApproveAll, false, false, ApproveAll),
            (Interactive, ApproveAll, true, false, Interactive),
            (Interactive, ApproveAll, false, true, Interactive),
            (Interactive, AutoDeny, false, false, AutoDeny),
            (ApproveAll, Interactive, true, true, ApproveAll),
            (ApproveAll, AutoDeny, false, false, AutoDeny),
            (AutoDeny, ApproveAll, false, false, AutoDeny),
        ] {
            let mut taint = Taint::default();
            taint.untrusted.extend(tainted.then(|| "mail".into()));
            let mode = mode_in_run(set, chosen, &[None, asks.then_some(Setting::Ask)], &taint);
            assert_eq!(mode, expected, "{set:?} {chosen:?} {asks} {tainted}");
        }
    }
}
