// The table of contents, and what is folded: a link opens what it leads to.
(() => {
  'use strict';

  // reveal opens a place that is folded away, and all that it is folded into.
  function reveal(place) {
    for (let e = place; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
    }
  }

  // arrive opens what the address names, and goes there.
  function arrive() {
    const id = decodeURIComponentSafely(location.hash.slice(1));
    const place = id && document.getElementById(id);
    if (!place) return;
    reveal(place);
    place.scrollIntoView();
  }

  function decodeURIComponentSafely(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return '';
    }
  }

  addEventListener('hashchange', arrive);
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash === location.hash) arrive(); // folded again since
  });
  addEventListener('beforeprint', () => document.querySelectorAll('details.printed').forEach((d) => { d.open = true; }));

  const contents = document.querySelector('.contents');
  if (contents) {
    // Beside the sections it is always open; above them it takes their room.
    const beside = matchMedia('(min-width: 1360px)');
    const details = contents.querySelector('details');
    const fit = () => { details.open = beside.matches; };
    fit();
    beside.addEventListener('change', fit);
    contents.addEventListener('click', (event) => {
      if (event.target.closest('a') && !beside.matches) details.open = false;
    });

    // The current section is the last one that begins above the upper third.
    const links = [...contents.querySelectorAll('a')];
    const places = links.map((a) => document.getElementById(a.hash.slice(1)));
    let current;
    function mark() {
      const line = innerHeight / 3;
      let at = places.findLastIndex((p) => p && p.getBoundingClientRect().top <= line);
      if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) at = places.length - 1;
      const link = links[Math.max(at, 0)];
      if (link === current) return;
      current?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'true');
      current = link;
      if (beside.matches && contents.scrollHeight > contents.clientHeight) {
        contents.scrollTo({ top: link.offsetTop - contents.clientHeight / 2 });
      }
    }
    let asked = false;
    addEventListener('scroll', () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        mark();
      });
    }, { passive: true });
    mark();
  }
  arrive();
})();
