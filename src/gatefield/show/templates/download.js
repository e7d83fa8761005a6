"use strict";
/* Links that save a figure as it is shown: the page holds each picture once. */
for (const link of document.querySelectorAll("figcaption a.svg")) {
  const image = link.closest("figure").querySelector("img");
  if (!image) continue;
  link.href = image.src;
  link.hidden = false;
}
