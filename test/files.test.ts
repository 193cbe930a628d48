import { describe, expect, it } from 'vitest'
import { signUp } from './support/user.ts'

describe('a smoke', () => {
  it('refuses to move a folder into its own descendant', async () => {
    const ada = await signUp()
    const outer = await ada.folder('outer')
    const inner = await ada.folder('inner', { in: outer })
    expect(await ada.move(outer, { into: inner })).toBeProblem(409, 'FILE_CYCLIC_MOVE')
    expect(await ada.names()).toEqual(['outer'])
    expect(await ada.names({ parent_id: outer.id })).toEqual(['inner'])
  })
  it('uploads', async () => {
    const ada = await signUp()
    const file = await ada.file('a.txt', 'hello', { mime_type: 'text/plain' })
    const got = await ada.download(file)
    expect([...got.headers]).toEqual([])
    expect(await got.text()).toBe('hello')
  })
})
