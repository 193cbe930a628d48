/** Applies the chosen theme before the page is drawn. A classic script: a module runs too late. pages/bar.ts and the console store the choice. */
try {
  const chosen = localStorage.getItem('console theme') ?? ''
  if (['light', 'dark'].includes(chosen)) document.documentElement.dataset.theme = chosen
} catch {
  // Storage is off: the theme is the system's.
}
