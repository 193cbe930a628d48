import { useEffect, useState } from 'react'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]
const KEY = 'console theme'

/** The theme, and a function that switches to the next. The choice is stored for the next visit. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((known) => known === localStorage.getItem(KEY)) ?? 'system',
  )
  useEffect(() => {
    localStorage.setItem(KEY, theme)
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  return [theme, () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system')]
}
