/** A patch breaks the saves of a game: the studio recalls them, and a player goes on from before it. */
import { setTimeout as wait } from 'node:timers/promises'
import { SaveConflict } from '#client'
import type { Output } from './gifts.ts'
import type { User } from './user.ts'

const SLOT = 'demo.autosave'

/** Recalls what a player has written since a patch, and ends the recall. @throws Error when a step shows anything else */
export async function recallSaves(player: User, studio: User, { step, fact }: Output): Promise<void> {
  const gold = (amount: number) =>
    player.client.saves.write({ slot: SLOT, bytes: `{ "gold": ${amount} }`, label: `${amount} gold` })

  step('As a player: save before a patch, and after it')
  await gold(10)
  const from = await nextSecond()
  const broken = await gold(9_999)
  const until = await nextSecond()
  fact('the save', `${broken.label}, revision ${broken.revision}`)

  step('As the studio: recall what was written since the patch')
  const { id } = await studio.studio.recalls.create({
    ...{ from, until, slots: [SLOT] },
    newer: 'keep',
    reason: 'Patch 1.4.2 multiplied gold',
  })
  const trial = await studio.studio.onBehalfOf(player.id).saves.list({ recall: id })
  const [planned] = trial.recall?.slots ?? []
  if (planned?.outcome !== 'reverted') throw new Error('The recall does not concern the save.')
  fact(
    'for a player',
    `${planned.slot} goes back from revision ${planned.revision} to ${planned.to_revision}`,
  )

  step('As the player: play on with the broken save')
  const refusal: unknown = await gold(10_009).catch((error: unknown) => error)
  if (!(refusal instanceof SaveConflict)) throw new Error('The write over the recalled save was no conflict.')
  const now = await player.client.saves.read({ slot: SLOT })
  const before = new TextDecoder().decode(now.bytes)
  if (before !== '{ "gold": 10 }') throw new Error('The save did not go back.')
  fact('refused', `the save is at revision ${now.revision} now, which the recall has made: ${now.label}`)
  await studio.studio.recalls.end({ id })
  await player.client.saves.delete({ slot: SLOT })
}

/** The next second, once it has begun: a recall counts in whole seconds. */
async function nextSecond(): Promise<number> {
  const next = Math.floor(Date.now() / 1_000) + 1
  while (Date.now() < next * 1_000) await wait(next * 1_000 - Date.now())
  return next
}
