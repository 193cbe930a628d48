/** npm run bench -- console: measures how the console opens and scrolls a folder of 10,000 items, as a list and as a grid, in headless Chromium. */
import { createClient } from '#client'
import { launchBrowser } from '../scripts/browser.ts'
import { onOwnServer } from '../scripts/demo/server.ts'
import { developmentToken } from '../scripts/development.ts'
import { landscape } from '../scripts/screenshots/media.ts'
import { signIn } from '../scripts/screenshots/scenes.ts'

const ITEMS = 10_000
/** How many of the items are pictures. They are among the first that are scrolled to. */
const PICTURES = 300
const SECONDS = 5
const PORT = 8791

await onOwnServer(PORT, async (origin) => {
  const user = `bench-${crypto.randomUUID()}`
  const client = createClient({ baseUrl: origin, token: await developmentToken(user) })
  const folder = await client.files.createFolder({ name: 'Many' })
  let next = 0
  console.error(`Making ${ITEMS} items …`)
  const picture = new Blob([new Uint8Array(landscape(210))], { type: 'image/png' })
  const make = async () => {
    for (let number = next++; number < ITEMS; number = next++) {
      const place = { name: `item ${String(number).padStart(5, '0')}`, parent_id: folder.id }
      if (number < PICTURES) await client.files.upload({ content: picture, ...place })
      else await client.files.createFolder({ ...place })
    }
  }
  await Promise.all(Array.from({ length: 12 }, make))
  console.log(await measured(origin, user))
})

/** Signs in, opens the folder, and scrolls it from the top for SECONDS, a hundred pixels a frame. */
async function measured(origin: string, user_id: string): Promise<string> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.goto(`${origin}/console/`)
    await signIn(page, user_id, [])
    const many = page.getByRole('row', { name: 'Many', exact: true })
    await many.waitFor()
    // Folders first would be the whole scroll.
    await page.getByRole('button', { name: /^Order/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Folders first' }).click()
    await page.keyboard.press('Escape')
    const began = performance.now()
    await many.click()
    await page.getByRole('row', { name: 'item 00000', exact: true }).waitFor()
    const opened_ms = Math.round(performance.now() - began)
    const list = await page.evaluate(scrolled, SECONDS)
    await page.getByRole('radio', { name: 'Grid' }).click()
    await page.locator('img.thumbnail').first().waitFor()
    const grid = await page.evaluate(scrolled, SECONDS)
    return `opened in ${opened_ms} ms; as a list: ${text(list)}; as a grid: ${text(grid)}`
  } finally {
    await browser.close()
  }
}

function text(figures: Figures): string {
  return [
    `${figures.frames} frames in ${SECONDS} s, ${figures.late} of them later than 25 ms, the longest ${figures.longest_ms} ms`,
    `${figures.long_tasks} tasks of 50 ms or more, the longest ${figures.longest_task_ms} ms`,
    `scrolled ${figures.pixels} pixels`,
  ].join(', ')
}

interface Figures {
  frames: number
  late: number
  longest_ms: number
  long_tasks: number
  longest_task_ms: number
  pixels: number
}

/** Runs in the page: scrolls the grid, a frame at a time, and counts frames and long tasks. */
async function scrolled(seconds: number): Promise<Figures> {
  const grid = document.querySelector('[role=grid]')
  if (!grid) throw new Error('There is no grid.')
  const tasks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  })
  observer.observe({ type: 'longtask' })
  const frames: number[] = []
  let last = performance.now()
  const end = last + seconds * 1_000
  while (last < end) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    frames.push(now - last)
    last = now
    grid.scrollTop += 100
  }
  observer.disconnect()
  return {
    frames: frames.length,
    late: frames.filter((ms) => ms > 25).length,
    longest_ms: Math.round(Math.max(...frames)),
    long_tasks: tasks.length,
    longest_task_ms: Math.round(Math.max(0, ...tasks)),
    pixels: grid.scrollTop,
  }
}
