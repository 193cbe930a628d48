/**
 * npm run screenshot -- URL --out FILE.png [--width 1280] [--theme light|dark] …: takes a picture of a page; with `docs` in place of the
 * URL, those of the console for docs/ (scripts/screenshots.ts).
 */
import { faultsOf, launchBrowser } from './browser.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `npm run screenshot -- URL --out FILE.png, or npm run screenshot -- docs for the pictures of docs/
  --width 1280        the width of the window, in CSS pixels; --height 800 the height
  --theme light       or dark: what the page gets for prefers-color-scheme
  --scale 1           device pixels for each CSS pixel
  --full              the whole page, not only the window
  --click SELECTOR    clicks an element first; may be given several times
  --wait SELECTOR     waits until an element is visible
Prints errors of the page and requests to other hosts; the exit code is then 1.`

if (process.argv[2] === 'docs') {
  process.argv.splice(2, 1)
  await import('./screenshots.ts')
  process.exit()
}

const { values, positionals } = readArguments(
  usage,
  {
    out: { type: 'string' },
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '800' },
    theme: { type: 'string', default: 'light' },
    scale: { type: 'string', default: '1' },
    full: { type: 'boolean', default: false },
    click: { type: 'string', multiple: true, default: [] },
    wait: { type: 'string' },
  },
  { takesOthers: true },
)
const [url = ''] = positionals
const { out, theme } = values
if (!URL.canParse(url) || !out) refuse('Name the URL of a page, and the file to write.', usage)
if (theme !== 'light' && theme !== 'dark') refuse('--theme takes light or dark.', usage)

const browser = await launchBrowser()
try {
  const page = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    deviceScaleFactor: Number(values.scale),
    colorScheme: theme,
  })
  const faults = faultsOf(page, [new URL(url).origin])
  const response = await page.goto(url, { waitUntil: 'load' })
  for (const selector of values.click) await page.click(selector)
  if (values.wait) await page.waitForSelector(values.wait)
  await page.screenshot({ path: out, fullPage: values.full })
  console.log(`${out}: ${url} answered ${response?.status()}, "${await page.title()}"`)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  await browser.close()
}
