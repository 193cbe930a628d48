import { expect } from 'vitest'
import { JobOverview } from '../../../src/operators/job/schema.ts'
import { stages } from '../../../src/operators/reconcile/names.ts'
import { Reconciled } from '../../../src/operators/reconcile/schema.ts'
import { MoveProgress, ShardsOverview } from '../../../src/operators/shards/schema.ts'
import { partitionOf } from '../../../src/platform/db/id.ts'
import {
  countOf,
  databaseNames,
  everyDatabase,
  everywhere,
  holdersOf,
  isMoving,
} from '../../support/databases.ts'
import type { Answer } from '../../support/exchange.ts'
import { endMoves } from '../../support/moving.ts'
import { agrees, type Command } from './act.ts'
import { aPlayer } from './choose.ts'
import { neededKeys } from './mirror.ts'
import type { World } from './state.ts'

/** What the commands for databases and for going back in time ask for. */

/** What the counters of users count, each in a table. */
const COUNTED = [
  'files',
  'uploads',
  'game_assets',
  'asset_versions',
  'asset_variants',
  'favorites',
  'mutes',
  'idempotency',
]

export const getShards: Command = {
  operation: 'getShards',
  writes: false,
  draw: (world) => {
    let [users, rows] = [0, 0]
    return {
      says: `${world.operator} asks which database has what`,
      send: async (service) => {
        await endMoves()
        users = await countOf('usage')
        rows = users
        for (const table of COUNTED) rows += await countOf(table)
        return service.request(world.operator, 'GET', '/shards')
      },
      judge: (_, answer) => {
        expect(answer.status, answer.text).toBe(200)
        const { databases, move } = ShardsOverview.parse(answer.body)
        const blocks = databases.flatMap(({ blocks }) => blocks)
        const partitions = blocks.flatMap(({ first, last }) => {
          const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last, 16)]
          return Array.from({ length: to - from + 1 }, (_, index) => from + index)
        })
        expect(move).toBeNull()
        expect(databases.map(({ database }) => database)).toEqual(databaseNames)
        expect([partitions.length, new Set(partitions).size], 'each partition once').toEqual([4_096, 4_096])
        const sum = (of: 'users' | 'rows') => databases.reduce((total, counts) => total + counts[of], 0)
        expect([sum('users'), sum('rows')]).toEqual([users, rows])
      },
    }
  },
}

export const getJob: Command = {
  operation: 'getJob',
  writes: false,
  draw: (world) => ({
    says: `${world.operator} asks what the job did`,
    send: (service) => service.request(world.operator, 'GET', '/job'),
    judge: (_, answer) => {
      expect(answer.status, answer.text).toBe(200)
      const { databases } = JobOverview.parse(answer.body)
      expect(databases.map(({ database }) => database)).toEqual(databaseNames)
    },
  }),
}

export const movePartitions: Command = {
  operation: 'movePartitions',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const partition = partitionOf(aPlayer(world, draw))
    const place = draw.below(databaseNames.length)
    const database = databaseNames[place] ?? ''
    let holder: D1Database | undefined
    return {
      says: `${world.operator} moves ${partition} to ${database}`,
      send: async (service) => {
        service.moves.begun++
        const json = { first: partition, last: partition, database }
        const answer = await service.request(world.operator, 'POST', '/shards/move', { json })
        holder = (await holdersOf([partition])).get(partition)
        return answer
      },
      judge: (_, answer) => {
        expect(answer.status, answer.text).toBe(200)
        const { state, partitions_left } = MoveProgress.parse(answer.body)
        expect(['moved', 'moving', 'undone', 'waiting']).toContain(state)
        if (everyDatabase.length === 1) expect(state).toBe('moved')
        if (state === 'moved') expect([partitions_left, holder]).toEqual([0, everyDatabase[place]])
      },
    }
  },
}

export const undoMove: Command = {
  operation: 'undoMove',
  writes: true,
  alone: true,
  draw: (world) => {
    let wasMoving = false
    return {
      says: `${world.operator} takes the move back`,
      send: async (service) => {
        wasMoving = await isMoving()
        return service.request(world.operator, 'POST', '/shards/undo')
      },
      judge: (_, answer) => {
        if (!wasMoving) return agrees(answer, 200, { state: 'idle', partitions_left: 0, opened: [] })
        expect(answer.status, answer.text).toBe(200)
        const { state, reason } = MoveProgress.parse(answer.body)
        expect(['moving', 'undone', 'idle']).toContain(state)
        if (state === 'undone') expect(reason).toEqual(expect.any(String))
      },
    }
  },
}

export const getReconcileExtent: Command = {
  operation: 'getReconcileExtent',
  writes: false,
  draw: (world) => ({
    says: `${world.operator} asks what there is to compare`,
    send: (service) => service.request(world.operator, 'GET', '/reconcile'),
    judge: (_, answer) => agrees(answer, 200, { databases: databaseNames, stages }),
  }),
}

/**
 * What may be found in a world in which nothing was lost: users whose erasure the job has yet to end, objects that nothing
 * has any more, and content that has arrived for an upload that is open. These are left as they are.
 */
const expected: Partial<
  Record<(typeof stages)[number], (world: World, id: string, named: Set<string>) => boolean>
> = {
  erasures: (world, id) => world.erased_until[id] !== undefined,
  objects: (world, id, named) => !neededKeys(world).has(id) && !named.has(id),
  uploads: (world, id) => world.uploads.get(id)?.state === 'open' && world.objects.has(id),
}

/** The keys of content that files name. The world does not know those of content that came in one request. */
async function keysOfFiles(): Promise<Set<string>> {
  const rows = await everywhere<{ key: string }>(
    'SELECT object_key AS key FROM files WHERE object_key IS NOT NULL',
  )
  return new Set(rows.map(({ key }) => key))
}

export const reconcilePage: Command = {
  operation: 'reconcilePage',
  writes: false,
  draw: (world, draw) => {
    const stage = draw.of(stages) ?? 'files'
    const database = draw.of(databaseNames) ?? ''
    const repair = draw.chance(50) && !expected[stage]
    let named = new Set<string>()
    return {
      says: `${world.operator} compares ${stage} of ${database}${repair ? ', to repair them' : ''}`,
      send: async (service) => {
        const found: unknown[] = []
        const before = await keysOfFiles()
        for (let after = ''; ; ) {
          const json = { database, stage, after, repair }
          const answer: Answer = await service.request(world.operator, 'POST', '/reconcile', { json })
          if (answer.status !== 200) return answer
          const page = Reconciled.parse(answer.body)
          found.push(...page.found)
          if (page.next === null) {
            const after = await keysOfFiles()
            named = new Set([...before].filter((key) => after.has(key)))
            return { ...answer, body: { ...page, found } }
          }
          after = page.next
        }
      },
      judge: (world, answer) => {
        expect(answer.status, answer.text).toBe(200)
        const { found } = Reconciled.parse(answer.body)
        const isExpected = expected[stage] ?? (() => false)
        expect(found.filter(({ id, is_repaired }) => is_repaired || !isExpected(world, id, named))).toEqual(
          [],
        )
      },
    }
  },
}
