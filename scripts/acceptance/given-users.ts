/** The two users whose tokens are given: with SMOKE_ERASE_TOKEN they are erased at the end, if they had nothing at the beginning. */
import { type Client, createClient } from '#client'
import { createStudio } from '#client/studio'
import { subjectOf } from './subject.ts'

export default async function givenUsers(): Promise<(() => Promise<void>) | undefined> {
  const { ACCEPTANCE_URL: baseUrl, SMOKE_TOKEN, SMOKE_OTHER_TOKEN, SMOKE_ERASE_TOKEN } = process.env
  if (!baseUrl || !SMOKE_TOKEN || !SMOKE_OTHER_TOKEN) return undefined
  if (!SMOKE_ERASE_TOKEN)
    return async () =>
      console.log(
        'The two users stay, with nothing in their accounts. With SMOKE_ERASE_TOKEN they are erased.',
      )
  const tokens = [SMOKE_TOKEN, SMOKE_OTHER_TOKEN]
  const areNew = await Promise.all(tokens.map((token) => isNew(createClient({ baseUrl, token }))))
  if (!areNew.every(Boolean))
    throw new Error(
      'One of the two users has content of its own, which would be erased: use two empty users, or unset SMOKE_ERASE_TOKEN.',
    )
  const { users } = createStudio({ baseUrl, token: SMOKE_ERASE_TOKEN })
  return async () => {
    for (const user_id of tokens.map(subjectOf)) await users.erase({ user_id })
  }
}

/** Whether a user has no content that an erasure would remove. */
async function isNew(client: Client): Promise<boolean> {
  const one = { limit: 1 }
  const lists = [
    client.files.list(one),
    client.trash.list(one),
    client.assets.list(one),
    client.assets.list({ ...one, deleted: true }),
    client.shares.listSharedWithMe(one),
    client.inbox.list(one),
  ]
  const [{ used_bytes }, ...areEmpty] = await Promise.all([client.quota.get(), ...lists.map(isEmpty)])
  return used_bytes === 0 && areEmpty.every(Boolean)
}

async function isEmpty(list: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of list) return false
  return true
}
