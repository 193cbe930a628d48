/** Applies the chosen theme before the page is drawn: so this is no module, and blocks. pages/bar.ts and the console change it. */
try {
  const chosen = localStorage.getItem('console theme') ?? ''
  if (['light', 'dark'].includes(chosen)) document.documentElement.dataset.theme = chosen
} catch {
  // Storage is off: the theme is the system's.
}
