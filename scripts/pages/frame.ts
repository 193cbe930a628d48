/** The document around a page of the site: its head, the link to its content, and the bar of links. */
import { escaped } from './escaped.ts'

interface Frame {
  title: string
  /** The page's own style sheet and scripts, by their names below /static/. */
  style: string
  scripts: string[]
  /** The link of the bar that this page is. */
  current?: string
}

const links = { '/docs': 'Reference', '/guides/': 'Guides' }

/** The HTML of a page with this content below the bar. */
export function framed({ title, style, scripts, current }: Frame, content: string): string {
  const styles = ['base.css', 'style.css', 'code.css', style]
  const bar = Object.entries(links).map(
    ([address, label]) =>
      `<a href="${address}"${address === current ? ' aria-current="page"' : ''}>${label}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Edge game storage</title>
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/static/mark.svg" type="image/svg+xml">
<link rel="preload" href="/static/figtree.woff2" as="font" type="font/woff2" crossorigin>
${styles.map((name) => `<link rel="stylesheet" href="/static/${name}">`).join('\n')}
<script src="/static/theme.js"></script>
${[...scripts, 'bar.js'].map((name) => `<script type="module" src="/static/${name}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav class="bar" aria-label="Pages"><strong><a href="/">Edge game storage</a></strong>${bar.join('')}<a id="to-console" href="/console/" hidden>Console</a><button type="button" id="theme" title="Theme" hidden></button></nav>
${content}
</body>
</html>
`
}
