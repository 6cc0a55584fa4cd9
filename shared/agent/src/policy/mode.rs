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
        (Mode::Interactive, Mode::ApproveAll) if !asks && taint.untrusted.is_empty() => {
            Mode::ApproveAll
        }
        (Mode::Interactive | Mode::ApproveAll, Mode::Interactive | Mode::ApproveAll) => set,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{ApproveAll, AutoDeny, Interactive};

    #[test]
    fn a_choice_only_spares_what_nobody_else_asks_for() {
        let clean = Taint::default();
        let mut read = Taint::default();
        read.untrusted.insert("mail".into());
        let (none, ask) = ([None, None, None], [None, None, Some(Setting::Ask)]);
        for (set, chosen, administrator, taint, expected) in [
            (Interactive, Interactive, none, &clean, Interactive),
            (Interactive, ApproveAll, none, &clean, ApproveAll),
            (Interactive, ApproveAll, ask, &clean, Interactive),
            (Interactive, ApproveAll, none, &read, Interactive),
            (Interactive, AutoDeny, none, &clean, AutoDeny),
            (ApproveAll, Interactive, ask, &read, ApproveAll),
            (ApproveAll, AutoDeny, none, &clean, AutoDeny),
            (AutoDeny, ApproveAll, none, &clean, AutoDeny),
        ] {
            let mode = mode_in_run(set, chosen, &administrator, taint);
            assert_eq!(mode, expected, "{set:?} {chosen:?} {administrator:?}");
        }
    }
}
