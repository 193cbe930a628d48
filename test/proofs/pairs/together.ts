import { vi } from 'vitest'
import { endMoves } from '../../support/moving.ts'
import { outgoing } from '../../support/outgoing.ts'
import { type Act, type Command, codeOf, DRAWN, Draw } from '../model/act.ts'
import { BoundService } from '../model/bound-service.ts'
import { expectMirrored } from '../model/mirror.ts'
import { listsNotifications } from '../model/notifications.ts'
import { listens } from '../model/sockets.ts'
import type { World } from '../model/state.ts'
import { act, keepTime } from '../model/story.ts'
import { passes, runsJob } from '../model/time.ts'
import { type Done, permutations, worldAfter } from './order.ts'
import { Turns } from './turns.ts'

/** Numbers from 0 up to but not including `end`. */
export type Random = (end: number) => number

/**
 * What each command does in a world, mostly chosen so that they have to do with the same thing; undefined when one of
 * them has nothing to do.
 */
export function drawTogether(world: World, commands: Command[], random: Random): Act[] | undefined {
  const isToMeet = random(100) < 75
  let drawn: Act[] | undefined
  for (let tries = 0; tries < 30; tries++) {
    const common = Array.from({ length: DRAWN }, () => random(10_000))
    const acts = commands.flatMap((command) => {
      const numbers = random(100) < 65 ? common : common.map(() => random(10_000))
      return command.draw(world, new Draw(numbers)) ?? []
    })
    if (acts.length < commands.length) continue
    drawn = acts
    if (!isToMeet || meet(acts)) return acts
  }
  return drawn
}

/** Whether two of the acts have to do with the same thing. */
export function meet(acts: Act[]): boolean {
  const ids = acts.flatMap(({ says }) => [...new Set(says.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g))])
  return new Set(ids).size < ids.length
}

/** What came of acts that were done at the same time. */
export interface Together {
  world: World
  /** Each act's code or status. */
  came: string[]
}

/**
 * Does acts at the same time, their calls in an order that is `random`'s, and tells how the world is then: as it would
 * be if they had been done one after the other in some order.
 */
export async function together(
  world: World,
  commands: Command[],
  acts: Act[],
  random: Random,
): Promise<Together> {
  vi.setSystemTime(world.now_ms)
  const turns = new Turns(acts.length, random)
  const moves = { begun: 0 }
  const done = await Promise.all(
    acts.map(async (act, task): Promise<Done> => {
      const service = new BoundService(
        outgoing(async (_, __, call) => {
          await turns.wait(task)
          return call()
        }),
        moves,
      )
      return { act, answer: await turns.of(() => act.send(service)) }
    }),
  )
  const service = new BoundService()
  await endMoves()
  // What was refused because a partition moved has not been done, unless it says that it has.
  const isRefused = ({ answer }: Done) => answer.status === 503 && moves.begun > 0
  const answers = await Promise.all(
    done.map(({ act, answer }) => (isRefused({ act, answer }) ? act.tookEffect?.(world) : answer)),
  )
  const isErasing = commands.some(({ operation }) => operation === 'eraseUser')
  const afterwards = isErasing ? await waits(world, service) : []
  // The job first where that is possible: what came after it may not have been released yet.
  const isJob = (index: number) => acts[index]?.says === JOB
  const effects = acts.flatMap((act, index) => {
    const answer = answers[index]
    return answer ? [{ done: { act, answer }, isFirst: isJob(index) }] : []
  })
  const jobFirst = [...effects.filter(({ isFirst }) => isFirst), ...effects.filter(({ isFirst }) => !isFirst)]
  const orders = permutations(jobFirst.map(({ done }) => done))
  const hasNotices = commands.some(({ operation }) => inboxes.includes(operation))
  try {
    const after = await worldAfter(world, orders, afterwards, async (possible) => {
      await keepTime(possible, service)
      await expectMirrored(possible)
      if (hasNotices) await expectInboxes(possible, service)
    })
    for (const act of acts) if (act.key !== undefined) after.keyed.push(act)
    return { world: after, came: done.map(({ answer }) => codeOf(answer) ?? String(answer.status)) }
  } catch (error) {
    const told = done.map(
      ({ act, answer }, task) => `${task}: ${act.says}\n   ${answer.status} ${answer.text}`,
    )
    throw new Error(`calls in the order ${turns.order}\n${told.join('\n')}`, { cause: error })
  }
}

const JOB = runsJob().says

const inboxes = [
  'publishNotification',
  'markNotificationsRead',
  'deleteNotification',
  'deleteNotifications',
  'eraseUser',
  'again',
]

async function expectInboxes(world: World, service: BoundService): Promise<void> {
  for (const player of world.players) {
    await act(world, service, listsNotifications(player, 100, 0))
    await act(world, service, listens(player, world.inboxes.get(player)?.base.seq ?? 0))
  }
}

/** Lets the time pass in which what is made has a time ahead, and the job run. */
async function waits(world: World, service: BoundService): Promise<Done[]> {
  const [time, job] = [passes(61), runsJob()]
  const answer = await time.send(service)
  vi.setSystemTime(world.now_ms + 61_000)
  return [
    { act: time, answer },
    { act: job, answer: await job.send(service) },
  ]
}
