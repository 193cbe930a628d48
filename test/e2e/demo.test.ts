import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project } from './citations.ts'
import { finished, Server } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.stop())

/** The steps of the demo that docs/commands.md shows, and how many it says there are. */
async function stepsOnThePage(): Promise<{ count: number; steps: string[] }> {
  const page = await readFile(`${project}docs/commands.md`, 'utf8')
  const [, count] = /walks through (\d+) steps/.exec(page) ?? []
  const [, steps = ''] = /^```text\n(.*?)^```$/ms.exec(page) ?? []
  expect(steps).toContain('Restore the folder')
  return { count: Number(count), steps: steps.trimEnd().split('\n') }
}

/** The worlds that a step of the demo lists. */
function shelf(output: string, step: string): string[] {
  const [, shown = ''] = output.split(step)
  const [facts = ''] = shown.split('\n\n')
  return [...facts.matchAll(/^ +world +(.*)$/gm)].map(([, world = '']) => world)
}

// The demo sends and receives 112 MiB.
describe('npm run demo', { timeout: 120_000 }, () => {
  it('shows everything on one screen, and ends with the pages to open next', {
    tags: 'release',
  }, async () => {
    const { code, output } = await finished(['scripts/demo/demo.ts', '--port', String(server.port)])
    expect(code, output).toBe(0)
    const shown = output.trim().split('\n')
    expect(shown.length).toBeLessThanOrEqual(25)
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(100)
    for (const name of [
      'Upload',
      'Share',
      'Trash',
      'Quota',
      'Save',
      'World',
      'Branch',
      'Catalogue',
      'Release',
      'Moderate',
      'Inbox',
      'Gift',
      'Announce',
    ])
      expect(output).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
    expect(output).toContain('calm ones: Sky islands; updated: Castle at dusk; 2 favorites')
    expect(output).toMatch(/cut off after [1-6] of 7 parts/)
    expect(output).toContain('All of it held')
    expect(output).toContain(`${server.url()}/docs`)
    expect(output).toContain('npm run demo -- --all')
  })

  it('walks through every step with --all, and compares the downloads byte for byte', {
    tags: 'release',
  }, async () => {
    const port = String(server.port)
    const { code, output } = await finished(['scripts/demo/demo.ts', '--all', '--port', port])
    expect(code, output).toBe(0)
    const { count, steps } = await stepsOnThePage()
    for (const step of steps) expect(output).toContain(step)
    expect(output.match(/^ ?\d+\. /gm)).toHaveLength(count)
    expect(output).toContain('compared     the same 8,388,608 bytes')
    expect(output).toContain('compared     the same 117,440,512 bytes')
    expect(output).toContain('compared     the phone shows the same 3, 1 unread, at seq 7')
    expect(output).toContain('compared     the desktop shows the same 3, 1 unread, at seq 7')
    expect(output).toContain('phone        friend.online {"name":"Grace"}')
    expect(output).toContain('deleted      3 notifications; 1 unread stay')
    expect(output).toContain('phone        studio.maintenance, at seq 11')
    expect(output).toContain('phone        1 notifications, at seq 12')
    expect(shelf(output, '46. As a player: list the catalogue, last published first')).toEqual([
      'Sky islands      version 1  islands calm players-4',
      'Hedge maze       version 1  maze calm players-1',
      'Castle at dusk   version 1  castle adventure players-4',
    ])
    expect(shelf(output, '48. List the calm worlds that are no maze')).toHaveLength(1)
    expect(output).toContain('version      2, "A second gate."')
    expect(shelf(output, '50. As the player: list them, last updated first')[0]).toMatch(
      /^Castle at dusk +version 2/,
    )
    expect(output).toContain('player       has version 1, and would get 2')
    expect(output).toContain('player       has version 2, and would get 1')
    expect(output).toContain('appeal       reversed: You did: thank you for the sketches.')
    expect(output).toMatch(/player +sees "[\w ]+" again/)
    expect(output.match(/GET \S+\/pictures\/assets\/\S+ → 200/g)).toHaveLength(3)
    expect(output).toMatch(/favorite +Hedge maze\n +favorite +Sky islands/)
  })

  it('takes a file of one’s own, can be interrupted, and says so when there is no such file', async () => {
    const port = String(server.port)
    const own = await finished(
      ['scripts/demo/demo.ts', '--all', '--port', port, 'package.json'],
      'a world of',
    )
    expect(own.code, own.output).toBe(130)
    expect(own.output).toContain('with "package.json"')
    expect(own.output).toContain('compared     the same')
    expect(own.output).toContain('Interrupted by SIGINT.')
    const none = await finished(['scripts/demo/demo.ts', '--port', port, 'no such file'])
    expect(none.code, none.output).toBe(2)
    expect(none.output).toContain('no such file')
  })
})
