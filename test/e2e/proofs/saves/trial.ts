import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type Client, createClient } from '#client'
import { createStudio, type Studio } from '../../../../client/src/studio.ts'
import { developmentToken } from '../../../../scripts/development.ts'
import { Content, type Orders, slots, Told } from './orders.ts'

const script = fileURLToPath(new URL('./player.ts', import.meta.url))

/** A program that plays, and takes its orders as its last argument. */
export type Program = readonly [file: string, ...args: string[]]

/**
 * One user with a device that is killed again and again, another one that writes to the same slots meanwhile, and an operator who
 * recalls what was written.
 */
export class Trial {
  /** The steps at which the device was killed, with how often. */
  readonly killed = new Map<string, number>()
  readonly #orders: Pick<Orders, 'baseUrl' | 'token' | 'directory'>
  readonly #random: () => number
  readonly #program: Program
  readonly #other: Client
  readonly #studio: Studio
  /** The revisions that recalls have made. */
  recalled = 0
  readonly #told: Told[] = []
  #number = 0

  private constructor(
    orders: Pick<Orders, 'baseUrl' | 'token' | 'directory'>,
    random: () => number,
    program: Program,
    studio: Studio,
  ) {
    this.#orders = orders
    this.#random = random
    this.#program = program
    this.#other = createClient(orders)
    this.#studio = studio
  }

  static async begin(
    baseUrl: string,
    user: string,
    random: () => number,
    program: Program = ['node', script],
  ): Promise<Trial> {
    const [token, recaller, directory] = await Promise.all([
      developmentToken(user),
      developmentToken('recaller', { scope: 'saves:recall' }),
      mkdtemp(join(tmpdir(), 'edge-game-storage-')),
    ])
    const studio = createStudio({ baseUrl, token: recaller })
    return new Trial({ baseUrl, token, directory }, random, program, studio)
  }

  /** Plays, and is killed at this step, if there are so many. Returns how many steps it took, if it was not killed. */
  async play(killAt: number): Promise<number | undefined> {
    if (this.#random() < 0.4) await this.#writeElsewhere()
    if (this.#random() < 0.3) return this.#duringRecall(() => this.#run(killAt, 3))
    return this.#run(killAt, 3)
  }

  /** Recalls what was written in the last seconds. The device meets it when it next sends something. */
  async #duringRecall<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    const until = Math.floor(Date.now() / 1_000)
    const from = until - 1 - Math.floor(this.#random() * 3)
    const recall = { newer: 'revert' as const, reason: 'a proof', slots: [...slots] }
    const { id } = await this.#studio.recalls.create({ from, until, ...recall })
    try {
      return await act()
    } finally {
      await this.#studio.recalls.end({ id })
    }
  }

  /** Lets the device come to rest, and requires what must hold. */
  async finish(): Promise<void> {
    await this.#run(0, 0)
    for (const slot of slots) await this.#expectHistory(slot)
    await rm(this.#orders.directory, { recursive: true })
  }

  async #run(killAt: number, writes: number): Promise<number | undefined> {
    const seed = Math.floor(this.#random() * 2 ** 31)
    const orders: Orders = { ...this.#orders, killAt, writes, first: this.#number, seed }
    const [file, ...args] = this.#program
    const child = spawn(file, [...args, JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr)])
    const told = printed
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [Told.parse(JSON.parse(line))] : []))
    this.#told.push(...told)
    for (const one of told) if (one.what === 'writing') this.#number = one.number
    expectToldOnce(told)
    const last = told.at(-1)
    if (last?.what === 'ended') return last.steps
    if (last?.what !== 'killed') throw new Error(`The process ended by itself: ${printed}\n${failed}`)
    this.killed.set(last.step, (this.killed.get(last.step) ?? 0) + 1)
    return undefined
  }

  async #writeElsewhere(): Promise<void> {
    const slot = slots[this.#random() < 0.7 ? 0 : 1]
    this.#number += 1
    const content: Content = { number: this.#number, author: 'other' }
    const bytes = new TextEncoder().encode(JSON.stringify(content))
    await this.#other.saves.write({ slot, bytes, device: 'other' }, { overwrite: true })
  }

  /** Every acknowledged save is there, once; every other one was sent or replaced by its device; nothing unseen is lost. */
  async #expectHistory(slot: string): Promise<void> {
    const told = this.#told.filter((one) => 'slot' in one && one.slot === slot)
    const attempts = told.flatMap((one) => (one.what === 'writing' ? [one.number] : []))
    const { saves } = (await this.#other.saves.list()).saves.some((save) => save.slot === slot)
      ? this.#other
      : { saves: undefined }
    const history: (Content & { text: string; revision: number; isRecalled: boolean })[] = []
    if (saves)
      for (const { revision, recall_id } of (await saves.listRevisions({ slot })).revisions.toReversed()) {
        const read = new TextDecoder().decode((await saves.read({ slot, revision })).bytes)
        const isRecalled = recall_id !== null
        history.push({ ...Content.parse(JSON.parse(read)), text: read, revision, isRecalled })
      }
    expect(history.map(({ revision }) => revision)).toEqual(history.map((_, index) => index + 1))
    const written = history.filter(({ isRecalled }) => !isRecalled)
    this.recalled += history.length - written.length
    const numbers = written.map(({ number }) => number)
    expect(new Set(numbers).size).toBe(numbers.length)

    for (const one of told) {
      if (one.what === 'saved')
        expect(history[one.revision - 1]).toMatchObject({ author: 'killed', number: Number(one.label) })
      if (one.what === 'conflict') {
        const found = history[(one.current?.revision ?? 0) - 1]
        expect(found?.isRecalled || one.current?.device === 'other').toBe(true)
      }
    }

    const own = written.filter(({ author }) => author === 'killed')
    const kept = Math.max(0, ...told.flatMap((one) => (one.what === 'kept' ? [one.number] : [])))
    expect(own.at(-1)?.number ?? 0).toBeGreaterThanOrEqual(kept)
    expect(attempts).toEqual(expect.arrayContaining(own.map(({ number }) => number)))

    for (const [index, { author, merges, isRecalled }] of history.entries()) {
      const before = history[index - 1]
      const isUnseen = before && (before.author === 'other' || before.isRecalled)
      if (author === 'killed' && !isRecalled && isUnseen) expect(merges).toBe(before.text)
    }
  }

  get count(): number {
    return [...this.killed.values()].reduce((sum, times) => sum + times, 0)
  }
}

/** A process tells each conflict once. */
function expectToldOnce(told: Told[]): void {
  const conflicts = told.flatMap((one) =>
    one.what === 'conflict' ? [`${one.slot} ${one.current?.revision}`] : [],
  )
  expect(new Set(conflicts).size).toBe(conflicts.length)
}
