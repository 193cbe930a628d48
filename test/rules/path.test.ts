import { describe, expect, it } from 'vitest'
import { isOwn, visibleTo } from '../../src/features/files/path.ts'
import { creationError, moveError } from '../../src/features/files/placement.ts'
import type { FileRow } from '../../src/features/files/row.ts'

const row = (id: string, parent_id: string | null, different: Partial<FileRow> = {}): FileRow => ({
  id,
  parent_id,
  owner_id: 'ada',
  name: id,
  asset_type: 'folder',
  size_bytes: 0,
  mime_type: null,
  processing_state: null,
  is_public: 0,
  blocked: 0,
  object_key: null,
  revision: 1,
  share_count: 0,
  expired_share_count: 0,
  created_at: 1,
  updated_at: 1,
  trashed_at: null,
  purging: 0,
  ...different,
})

/** A path from the item up: c in b in a. */
const path = (c = {}, b = {}, a = {}) => [row('c', 'b', c), row('b', 'a', b), row('a', null, a)]
const shown = { is_public: 1 as const }
const seen = (rows: FileRow[], user: string) => {
  const sight = visibleTo(rows, user)
  return sight && [...sight.ancestors, sight.item].map(({ id }) => id).join('/')
}

describe('what a user sees of an item', () => {
  it.each([
    ['the owner', 'everything up to the root', path(), 'ada', 'a/b/c'],
    ['the owner', 'also what is blocked', path({ blocked: 1 }), 'ada', 'a/b/c'],
    ['the owner', 'nothing that is in the trash', path({ trashed_at: 1 }), 'ada', undefined],
    ['the owner', 'nothing below what is in the trash', path({}, {}, { trashed_at: 1 }), 'ada', undefined],
    ['the owner', 'nothing whose folder is gone', path().slice(0, 2), 'ada', undefined],
    ['anyone', 'nothing of what is not there', [], 'ada', undefined],
    ['a stranger', 'nothing that is private', path(), 'bob', undefined],
    ['a stranger', 'a public item, alone', path(shown), 'bob', 'c'],
    ['a stranger', 'what lies in a public folder, from it down', path({}, shown), 'bob', 'b/c'],
    ['a stranger', 'from the topmost public folder down', path(shown, {}, shown), 'bob', 'a/b/c'],
    [
      'a stranger',
      'nothing that is public but in the trash',
      path({ ...shown, trashed_at: 1 }),
      'bob',
      undefined,
    ],
    ['a stranger', 'nothing public below the trash', path(shown, {}, { trashed_at: 1 }), 'bob', undefined],
    ['a stranger', 'nothing that is blocked', path({ ...shown, blocked: 1 }), 'bob', undefined],
    ['a stranger', 'nothing in a blocked folder', path({}, { ...shown, blocked: 1 }), 'bob', undefined],
  ])('%s sees %s', (_, __, rows, user, expected) => {
    expect(seen(rows, user)).toBe(expected)
  })

  it('hides the parent of the topmost public item from a stranger, and shows other parents', () => {
    expect(visibleTo(path(shown), 'bob')?.item.parent_id).toBeNull()
    expect(visibleTo(path({}, shown), 'bob')?.item.parent_id).toBe('b')
    expect(visibleTo(path(), 'ada')?.item.parent_id).toBe('b')
  })
})

describe('why nothing may be put into a folder', () => {
  it.each([
    ['it may', path(), undefined],
    ['it is not there', [], 'FILE_PARENT_NOT_FOUND'],
    ['it is in the trash', path({}, { trashed_at: 1 }), 'FILE_PARENT_NOT_FOUND'],
    ['it is another user’s', path().map((above) => ({ ...above, owner_id: 'bob' })), 'FILE_PARENT_NOT_FOUND'],
    ['it is a file', path({ asset_type: 'file' }), 'FILE_PARENT_NOT_FOLDER'],
  ])('%s', (_, rows, code) => {
    expect(creationError(rows, 'ada', 3)?.code).toBe(code)
    expect(moveError('x', rows, 'ada', undefined)?.code).toBe(code)
  })

  it('counts the folders above', () => {
    expect(creationError(path(), 'ada', 2)?.code).toBe('LIMIT_REACHED')
    expect(moveError('x', path(), 'ada', 'folder_depth')?.code).toBe('LIMIT_REACHED')
  })

  it('refuses the moved item as an ancestor before it refuses the depth', () => {
    for (const id of ['a', 'b', 'c'])
      expect(moveError(id, path(), 'ada', 'folder_depth')?.code).toBe('FILE_CYCLIC_MOVE')
  })
})

describe('an item is one’s own', () => {
  it('when it is live and one owns it', () => {
    expect([
      isOwn(path(), 'ada'),
      isOwn(path(), 'bob'),
      isOwn(path({ trashed_at: 1 }), 'ada'),
      isOwn([], 'ada'),
    ]).toEqual([true, false, false, false])
  })
})
