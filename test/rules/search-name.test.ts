import { expect, it } from 'vitest'
import { MARKS_PER_STEP } from '../../src/features/catalogue/apply.ts'
import { absentState } from '../../src/features/catalogue/state.ts'
import { searchName } from '../../src/platform/lib/search-name.ts'
import { bytes } from '../support/content.ts'

it('a step of the catalogue binds less than the 2 MB of D1, whatever names assets have', () => {
  // U+FDFA is the character with the longest decomposition: a sentence of 18.
  const name = '\uFDFA'.repeat(255)
  const state = {
    ...absentState('01234567-89ab-7cde-8f01-23456789abcd'),
    name,
    search_name: searchName(name),
    owner_id: '🏰'.repeat(128),
    tags: JSON.stringify(Array.from({ length: 16 }, () => 'a'.repeat(32))),
  }
  const states = JSON.stringify(Array.from({ length: MARKS_PER_STEP }, () => state))
  expect(bytes(states).byteLength).toBeLessThan(1_900_000)
})
