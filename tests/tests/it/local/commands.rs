use crate::local::cli::Cli;

#[tokio::test]
async fn the_tools_are_listed_with_their_schemas() {
    let cli = Cli::new();
    let tools = cli.said_json("tools --json").await;
    let tools = tools.as_array().unwrap();
    let catalogue = alfred_tools::catalogue();
    assert_eq!(tools.len(), catalogue.len());
    let words = cli.said("tools").await;
    for (listed, tool) in tools.iter().zip(&catalogue) {
        let name = &*tool.def().name;
        assert_eq!(listed["name"], name);
        assert_eq!(listed["parameters"]["type"], "object", "{name}");
        jsonschema::validator_for(&listed["parameters"]).expect(name);
        assert!(words.contains(name), "{name}");
    }
    let open_anything = std::fs::read_dir(cli.data()).unwrap().next().is_some();
    assert!(!open_anything, "listing tools needs no data folder");
}
