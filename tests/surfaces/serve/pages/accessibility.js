// What is wrong with a page for those who do not see it, see it badly or use no mouse: a list of words.
() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const blame = (rule, element) =>
    found.push(`${rule}: ${element.outerHTML.replace(/\s+/g, " ").slice(0, 160)}`);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

  if (!document.documentElement.lang) found.push("lang: none");
  if (!document.title) found.push("title: none");
  if (all("main").length !== 1) found.push("landmark: not one main");
  if (all("h1").length !== 1) found.push("heading: not one h1");

  // Headings go down one level at a time.
  let level = 0;
  for (const heading of all("main h1, main h2, main h3, main h4, main h5, main h6")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) blame("heading", heading);
    level = own;
  }

  // Landmarks of one kind are told apart by their names.
  const names = all("nav").map((nav) => nav.getAttribute("aria-label"));
  if (names.includes(null) || new Set(names).size !== names.length) found.push("landmark: nav without a name of its own");

  const ids = all("[id]").map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) found.push(`id: ${id} twice`);

  for (const field of all("input:not([type=hidden]), select, textarea")) {
    const text = [...(field.labels || [])].map((label) => label.textContent.trim()).join("");
    if (!text && !field.getAttribute("aria-label")) blame("label", field);
  }
  for (const element of all("a[href], button, summary")) {
    const images = [...element.querySelectorAll("img[alt], svg[aria-label]")];
    const spoken = images.map((one) => one.alt || one.getAttribute("aria-label")).join("");
    const text = element.textContent.trim() || element.getAttribute("aria-label") || spoken;
    if (!text) blame("name", element);
  }
  for (const image of all("img:not([alt]), svg[role=img]:not([aria-label])")) blame("alt", image);
  for (const element of all("a a, a button, button a, button button, a input, a select, label label")) blame("nested", element);
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) blame("tabindex", element);
  for (const child of all("ul > :not(li), ol > :not(li)")) blame("list", child);
  for (const table of all("table")) if (!table.querySelector("th")) blame("table", table);
  for (const element of all("[aria-labelledby], [aria-describedby]")) {
    const named = element.getAttribute("aria-labelledby") || element.getAttribute("aria-describedby");
    if (!document.getElementById(named)) blame("reference", element);
  }

  // Text differs enough from what is behind it.
  const parts = (color) => {
    const numbers = color.match(/[\d.]+/g).map(Number);
    return numbers.length < 4 ? [...numbers, 1] : numbers;
  };
  const over = (front, back) => {
    const share = front[3];
    return [0, 1, 2].map((at) => front[at] * share + back[at] * (1 - share)).concat(1);
  };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      layers.push(parts(getComputedStyle(one).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255, 1]);
  };
  const light = (color) => {
    const [red, green, blue] = color.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element) || !isShown(element)) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const back = behind(element);
    let front = over(parts(style.color), back);
    for (let one = element; one; one = one.parentElement) {
      const share = Number(getComputedStyle(one).opacity);
      if (share < 1) front = over([...front.slice(0, 3), share], back);
    }
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) blame(`contrast: ${ratio.toFixed(2)}`, element);
  }
  return found;
}
