import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { purposes } from '../../scripts/capacity/purposes.ts'
import { project } from './citations.ts'
import { finished } from './server.ts'

const capacity = (...options: string[]) => finished(['scripts/capacity.ts', ...options])

/** The number of a line of the second table, for each number of players. */
function amounts(output: string, line: string): string[] {
  const [, ...cells] =
    output
      .split('\n')
      .find((one) => one.startsWith(`| ${line} `))
      ?.split(' | ') ?? []
  return cells.map((cell) => cell.replace(/ \|$/, ''))
}

describe('npm run capacity', () => {
  it('prints what docs/costs.md shows', async () => {
    const { code, output } = await capacity()
    expect(code, output).toBe(0)
    const page = readFileSync(`${project}docs/costs.md`, 'utf8')
    for (const part of output.trim().split('\n\n')) expect(page).toContain(part)
  })

  it.each([
    ['--saves', 'docs/costs.md'],
    ['--each', 'docs/performance.md'],
    ['--indexes', 'docs/architecture.md'],
  ])('prints with %s what %s shows', async (option, name) => {
    const { code, output } = await capacity(option)
    expect(code, output).toBe(0)
    const page = readFileSync(project + name, 'utf8')
    for (const part of output.trim().split('\n\n')) expect(page).toContain(part)
  })

  it('has in docs/performance.md the calls and rows of an announcement that were measured', () => {
    const measured: { requests: Record<string, { few: Record<string, number> }> } = JSON.parse(
      readFileSync(`${project}scripts/capacity/requests.json`, 'utf8'),
    )
    const page = readFileSync(`${project}docs/performance.md`, 'utf8')
    const of = (request: string) => measured.requests[request]?.few ?? {}
    const { rows_written: made } = of('announce to all users')
    const { rows_written: ended } = of('end an announcement')
    expect(page).toContain(`| the announcement | ${made} rows written in D1, and ${ended} when it ends |`)
    for (const [request, line] of [
      ['take in an announcement', 'taking it in, at the next look'],
      ['lose an ended announcement', 'or its going, when it was ended'],
    ] as const) {
      const { inbox_calls = 0, inbox_rows_written } = of(request)
      expect(page).toMatch(
        new RegExp(`\\| ${line} \\| ${inbox_calls - 1} calls more .*${inbox_rows_written} rows written`),
      )
    }
  })

  it('knows what each index is for, and no index that there is not', () => {
    const written: Record<string, unknown> = JSON.parse(
      readFileSync(`${project}scripts/capacity/indexes.json`, 'utf8'),
    )
    expect(Object.keys(purposes).sort()).toEqual(Object.keys(written).sort())
  })

  it('computes with the assumptions that it is given', async () => {
    const [assumed, busier] = [
      await capacity('--players', '1000000'),
      await capacity(
        '--players',
        '1000000',
        '--active',
        '0.2',
        '--day',
        'browse=30, search=0',
        '--fill-gb',
        '2',
      ),
    ]
    expect(busier.code, busier.output).toBe(0)
    expect(busier.output).toContain('20 % of the players play on a day, with 132 requests each')
    expect(busier.output).toMatch(/^\| 1 M \| 10\.\d GB \| 6 \|/m)
    expect(assumed.output).toMatch(/^\| 1 M \| 10\.\d GB \| 2 \|/m)
    expect(amounts(busier.output, 'D1: stored, GB')).not.toEqual(amounts(assumed.output, 'D1: stored, GB'))
    expect(amounts(busier.output, 'R2: stored, GB')).toEqual(amounts(assumed.output, 'R2: stored, GB'))
  })

  it('counts events: operations of the queue, rows of the outbox, deliveries and their log lines', async () => {
    const [withEvents, without] = [await capacity(), await capacity('--events', '0')]
    expect(amounts(without.output, 'Queues: operations')).toEqual(Array(4).fill('0: $0.00'))
    for (const line of ['Workers: requests', 'Workers: log events', 'D1: rows written', 'Queues: operations'])
      expect(amounts(withEvents.output, line)).not.toEqual(amounts(without.output, line))
  })

  it('counts pictures: the cache leaves a request of each that it answers, and Analytics Engine counts the others', async () => {
    const [none, all, measured] = [
      await capacity('--hits', '0'),
      await capacity('--hits', '1'),
      await capacity('--metrics', '1'),
    ]
    const without = await capacity('--hits', '1', '--day', 'show a preview=0,show a profile picture=0')
    expect(amounts(all.output, 'Workers: requests')).toEqual(amounts(none.output, 'Workers: requests'))
    for (const line of ['Workers: log events', 'Workers: CPU, ms', 'D1: rows read', 'R2: reads (class B)']) {
      expect(amounts(all.output, line)).toEqual(amounts(without.output, line))
      expect(amounts(all.output, line)).not.toEqual(amounts(none.output, line))
    }
    expect(amounts(none.output, 'Analytics Engine: data points')).toEqual(Array(4).fill('0: $0.00'))
    expect(amounts(measured.output, 'Analytics Engine: data points')[1]).toBe('224 M: $53.43')
  })

  it('counts saves: calls, rows and bytes of the player’s object, and nothing of D1', async () => {
    const [without, small, large] = [
      await capacity('--day', 'write a save=0, read a save=0, list saves=0', '--save-slots', '0'),
      await capacity(),
      await capacity('--save-kib', '64'),
    ]
    for (const line of ['Workers: requests', 'Durable Objects: requests', 'Durable Objects: rows written'])
      expect(amounts(small.output, line)).not.toEqual(amounts(without.output, line))
    expect(amounts(small.output, 'D1: rows written')).toEqual(amounts(without.output, 'D1: rows written'))
    const stored = (output: string) => parseFloat(amounts(output, 'Durable Objects: stored, GB')[0] ?? '')
    expect(stored(small.output)).toBeGreaterThan(stored(without.output))
    const revisions = 10_000 * 2 * 5
    expect(stored(large.output) - stored(small.output)).toBeCloseTo((revisions * 32 * 1_024) / 1e9, 1)
  })

  it.each([
    [['--players', 'many'], '--players takes a number, not "many".'],
    [['--active', '2'], '--active is a part of all, from 0 to 1.'],
    [['--hits', '1.1'], '--hits is a part of all, from 0 to 1.'],
    [['--save-kib', 'large'], '--save-kib takes a number, not "large".'],
    [['--day', 'dance=3'], '"dance=3" names no request; --requests lists them.'],
    [['--day', 'browse'], '"browse" names no request; --requests lists them.'],
    [['--colour', 'red'], "Unknown option '--colour'"],
  ])('refuses %s', async (options, reason) => {
    const { code, output } = await capacity(...options)
    expect(code).toBe(2)
    expect(output).toContain(reason)
    expect(output).toContain('Usage: npm run capacity')
  })

  it('lists the requests of the assumed day, each of which was measured', async () => {
    const { code, output } = await capacity('--requests')
    expect(code).toBe(0)
    const day = output.trim().split('\n').join(',')
    expect((await capacity('--day', day)).output).toBe((await capacity()).output)
  })
})
