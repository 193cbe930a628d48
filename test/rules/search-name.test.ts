import { expect, it } from 'vitest'
import { MARKS_PER_STEP } from '../../src/features/catalogue/tasks.ts'
import type { MarkedRow } from '../../src/features/catalogue/write.ts'
import { searchName } from '../../src/platform/lib/text.ts'
import { bytes } from '../support/content.ts'

it('a step of the catalogue binds less than the 2 MB of D1, whatever names assets have', () => {
  // U+FDFA is the character with the longest decomposition: a sentence of 18.
  const name = '\uFDFA'.repeat(255)
  const id = '01234567-89ab-7cde-8f01-23456789abcd'
  const state: MarkedRow & { is_here: 0 | 1 } = {
    asset_id: id,
    mark: '0123456789ABCDEF',
    is_here: 1,
    revision: Number.MAX_SAFE_INTEGER,
    recounts: Number.MAX_SAFE_INTEGER,
    owner_id: '🏰'.repeat(128),
    type: 'avatar',
    name,
    search_name: searchName(name),
    tags: JSON.stringify(Array.from({ length: 16 }, () => 'a'.repeat(32))),
    preview_key: id,
    preview_width: 4_096,
    preview_height: 4_096,
    current_version: Number.MAX_SAFE_INTEGER,
    created_at: 2_000_000_000,
    published_at: 2_000_000_000,
    updated_at: 2_000_000_000,
    favorites: Number.MAX_SAFE_INTEGER,
    rating: 'everyone',
    is_shown: 1,
    platforms: ` :only${` :for:${'a'.repeat(32)}`.repeat(9)}`,
  }
  const states = JSON.stringify(Array.from({ length: MARKS_PER_STEP }, () => state))
  expect(bytes(states).byteLength).toBeLessThan(1_900_000)
})
