//! Reads the cases of tests: lines of `input ==> expected`, where `\n` is a line break.

pub fn check(cases: &str, outcome: impl Fn(&str) -> String) {
    for case in cases.lines() {
        let (input, expected) = case.split_once(" ==> ").unwrap();
        let [input, expected] = [input, expected].map(|text| text.replace("\\n", "\n"));
        assert_eq!(outcome(&input), expected, "{case}");
    }
}
