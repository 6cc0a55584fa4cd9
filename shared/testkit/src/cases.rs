//! Reads the cases of tests: lines of `input ==> expected`. `\n` is a line break, and `#` begins a comment.

pub fn check(cases: &str, outcome: impl Fn(&str) -> String) {
    let is_comment = |line: &&str| line.starts_with('#') && !line.contains(" ==> ");
    for case in cases.lines().filter(|line| !is_comment(line)) {
        let (input, expected) = case.split_once(" ==> ").unwrap();
        let [input, expected] = [input, expected].map(|text| text.replace("\\n", "\n"));
        assert_eq!(outcome(&input), expected, "{case}");
    }
}

/// The columns of an input, with `|` between them.
pub fn columns<const N: usize>(input: &str) -> [&str; N] {
    let columns: Vec<&str> = input.split('|').map(str::trim).collect();
    columns.try_into().unwrap()
}
