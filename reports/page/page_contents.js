// The table of contents and folded sections: a link opens its target.
(() => {
  'use strict';

  // reveal opens a folded element and all folded elements around it.
  function reveal(place) {
    for (let e = place; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
    }
  }

  // arrive opens the element named by the address, and scrolls to it.
  function arrive() {
    const id = decodeURIComponentSafely(location.hash.slice(1).split('&')[0]); // a view of a table may follow
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
    if (link && link.hash === location.hash) arrive(); // it may have been folded again
  });
  addEventListener('beforeprint', () => document.querySelectorAll('details.printed').forEach((d) => { d.open = true; }));

  const contents = document.querySelector('.contents');
  if (contents) {
    // Next to the sections it is always open; above them it would take their space.
    const wide = matchMedia('(min-width: 1360px)');
    const details = contents.querySelector('details');
    const fit = () => { details.open = wide.matches; };
    fit();
    wide.addEventListener('change', fit);
    contents.addEventListener('click', (event) => {
      if (event.target.closest('a') && !wide.matches) details.open = false;
    });

    // The current section is the last one that starts within the upper third.
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
      if (wide.matches && contents.scrollHeight > contents.clientHeight) {
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
