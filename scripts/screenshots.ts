/** npm run screenshot -- docs: takes the pictures of the console for docs/, on a server that it starts and fills. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { faultsOf, launchBrowser } from './browser.ts'
import { onOwnServer } from './demo/server.ts'
import { project } from './development.ts'
import { announce, fill } from './screenshots/content.ts'
import { leave, scenes, signIn } from './screenshots/scenes.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `npm run screenshot -- docs [OPTIONS]
  --port 8790      the port of the server that it starts
  --all            every screen and dialog, at both widths, in both themes, for a review by eye
  --only NAME      with --all, only this scene; may be given several times
  --out FOLDER     docs/screenshots by default, out/screenshots with --all`

const { values } = readArguments(usage, {
  port: { type: 'string', default: '8790' },
  all: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] },
  out: { type: 'string' },
})
const port = Number(values.port)
if (!Number.isInteger(port) || port < 1 || port > 65_535)
  refuse('--port takes a number from 1 to 65535.', usage)
const out = resolve(project, values.out ?? (values.all ? 'out/screenshots' : 'docs/screenshots'))

type Theme = 'light' | 'dark'

/** A picture to take of a scene. `sign-in` is the page before anyone has signed in. */
interface Shot {
  scene: string
  width: number
  theme: Theme
  file: string
}

/** The pictures in docs/console.md. */
const documented: Shot[] = [
  ...[
    'sign-in',
    'files',
    'preview-picture',
    'share',
    'shared-with-me',
    'trash',
    'save-conflict',
    'asset',
    'lineage',
    'discover',
    'inbox',
    'operators',
    'requests-selected',
  ].map((scene) => shot(scene, 1_280, 'light', scene)),
  shot('two-users', 1_280, 'dark', 'two-users-dark'),
  shot('files', 375, 'dark', 'files-phone-dark'),
  shot('lineage', 375, 'light', 'lineage-phone'),
]

const every: Shot[] = ['sign-in', ...Object.keys(scenes)]
  .filter((scene) => values.only.length === 0 || values.only.includes(scene))
  .flatMap((scene) =>
    [1_280, 375].flatMap((width) =>
      (['light', 'dark'] as const).map((theme) => shot(scene, width, theme, `${scene}-${width}-${theme}`)),
    ),
  )

function shot(scene: string, width: number, theme: Theme, name: string): Shot {
  return { scene, width, theme, file: `${name}.webp` }
}

/** Takes pictures of one width and theme, in one window. Returns the faults of the page. */
async function take(browser: Browser, origin: string, shots: readonly Shot[]): Promise<string[]> {
  const [first] = shots
  if (!first) return []
  const { width, theme } = first
  const page = await browser.newPage({
    viewport: { width, height: width < 760 ? 760 : 800 },
    colorScheme: theme,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  page.setDefaultTimeout(10_000)
  const faults = faultsOf(page, [origin])
  await page.goto(`${origin}/console/`)
  await page.getByText('Sign in as anybody').waitFor()
  const session = await page.context().newCDPSession(page)
  const save = async ({ file }: Shot) => {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
    writeFileSync(join(out, file), Buffer.from(data, 'base64'))
  }
  for (const signedOut of shots.filter(({ scene }) => scene === 'sign-in')) await save(signedOut)
  const stage = { page, ...cast, pane: await signIn(page, cast.ada) }
  for (const one of shots) {
    const show = scenes[one.scene]
    if (!show) continue
    await show(stage)
    await save(one)
    await leave(stage)
  }
  await page.close()
  // Scenes that show an error response cause this line in the browser's console.
  return faults.filter((fault) => !fault.startsWith('console: Failed to load resource'))
}

const cast = { ada: 'ada', grace: 'grace' }
const shots = values.all ? every : documented
const browser = await launchBrowser()
await onOwnServer(port, async (origin) => {
  await fill(origin, cast)
  await announce(origin)
  mkdirSync(out, { recursive: true })
  const groups = Map.groupBy(shots, ({ width, theme }) => `${width} ${theme}`)
  for (const group of groups.values())
    for (const fault of await take(browser, origin, group)) console.error(fault)
  const sizes = shots.map(({ file }) => statSync(join(out, file)).size)
  const kib = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_024)
  console.log(`${shots.length} pictures of ${kib} KiB in ${out}`)
}).finally(() => browser.close())
