import { expect, it } from 'vitest'
import { inboxNotes, moverNotes, notes, notesOfSeveral } from '../support/noted-plans.ts'
import { keyOf } from '../support/plans.ts'
import { unusedOf } from '../support/unused-notes.ts'

const note = (statement: string, plan = 'SCAN a') => ({ statement, plan, reason: 'a test' })

it('a note that no plan needs is unused, and so is one that is there twice', () => {
  const used = new Set([note('FROM a'), note('FROM b')].map(keyOf))
  expect(unusedOf([note('FROM  a'), note('FROM b')], used)).toEqual([])
  expect(unusedOf([note('FROM a'), note('FROM c')], used)).toEqual(['SCAN a, in: FROM c'])
  expect(unusedOf([note('FROM a', 'SCAN c')], used)).toEqual(['SCAN c, in: FROM a'])
  expect(unusedOf([note('FROM a'), note('FROM b'), note('FROM a')], used)).toEqual(['SCAN a, in: FROM a'])
})

it('no note of the service is there twice', () => {
  const all = [...notes, ...notesOfSeveral, ...moverNotes, ...inboxNotes]
  expect(unusedOf(all, new Set(all.map(keyOf)))).toEqual([])
})
