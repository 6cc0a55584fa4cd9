//! How sure a pattern is.

/// From here on a pattern is sure enough to be followed: four of four
/// observations, or seven of eight.
pub const SURE: f64 = 0.5;

/// The 97.5 % point of the normal distribution: the bound leaves out 2.5 % below it.
const Z: f64 = 1.96;

/// The lower end of the Wilson interval, at 95 %, of the share that agrees:
/// `(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)` with `p = agree/of`,
/// `n = of` and `z = 1.96`, to two decimals. Three of three give 0.44, ten of
/// ten 0.72, five of ten 0.24; it only reaches 1 in the limit. 0 without observations.
pub fn confidence(agree: usize, of: usize) -> f64 {
    let (Ok(agree), Ok(n)) = (u32::try_from(agree.min(of)), u32::try_from(of)) else {
        return 0.0;
    };
    if n == 0 {
        return 0.0;
    }
    let (share, n) = (f64::from(agree) / f64::from(n), f64::from(n));
    let square = Z * Z;
    let spread = (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let low = (share + square / (2.0 * n) - Z * spread) / (1.0 + square / n);
    (low.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(agree: usize, of: usize, expected: f64) {
        let found = confidence(agree, of);
        assert!((found - expected).abs() < 1e-9, "{agree}/{of}: {found}");
    }

    #[test]
    fn it_is_the_lower_end_of_wilsons_interval() {
        about(0, 0, 0.0);
        about(0, 10, 0.0);
        about(3, 3, 0.44);
        about(4, 4, 0.51);
        about(6, 7, 0.49);
        about(7, 8, 0.53);
        about(5, 10, 0.24);
        about(10, 10, 0.72);
        about(100, 100, 0.96);
    }

    #[test]
    fn more_of_the_same_is_surer_and_disagreement_less_sure() {
        for of in 1..200 {
            assert!(confidence(of + 1, of + 1) >= confidence(of, of));
            for agree in 0..of {
                assert!(confidence(agree + 1, of) >= confidence(agree, of));
            }
            assert!((0.0..=1.0).contains(&confidence(of, of)));
        }
    }
}
