// What a person does with the conversation of the page, and how well everybody can use it.

function writes(text) {
  const box = document.getElementById('composer-text');
  box.value = text;
  box.dispatchEvent(new Event('input'));
  box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

function shows(text) {
  return document.getElementById('message-list').innerText.includes(text);
}

// Clicks the last button with these words, if there is one to be seen.
function clicks(words) {
  const fits = (one) => one.checkVisibility() && (one.innerText.trim().endsWith(words) || one.ariaLabel === words);
  const found = [...document.querySelectorAll('button')].findLast(fits);
  found?.click();
  return found !== undefined;
}

// Each violation in a line, by its rule and the first elements that break it.
async function violations() {
  const { violations } = await axe.run();
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.target} (${node.failureSummary})`).join(', ')}`);
}
