/** An owner shares a file for some time; the grantee downloads it. */
import { receive } from './content.ts'
import { bytes, clock, printFact, printStep } from './print.ts'
import { printRefused, type User } from './user.ts'
import { printSame, type Stored } from './walk.ts'

const SHARED_SECONDS = 600

/** Shares the file with a friend, who downloads it; then revokes the share. */
export async function shareAndRevoke({ client }: User, friend: User, stored: Stored): Promise<void> {
  printStep('Share the file for ten minutes')
  const share = await client.shares.create({
    id: stored.file_id,
    grantee_id: friend.id,
    permission: 'view',
    expires_at: Math.floor(Date.now() / 1000) + SHARED_SECONDS,
  })
  printFact('share', share.id)
  printFact('with', `${share.grantee_id}, to ${share.permission}, ${until(share.expires_at)}`)

  printStep('As the friend: list what is shared with me')
  for await (const { file, expires_at } of friend.client.shares.listSharedWithMe())
    printFact(
      'file',
      `"${file.name}", ${bytes(file.size_bytes)}, from ${file.owner_id}, ${until(expires_at)}`,
    )

  printStep('As the friend: download it')
  const received = await receive(await friend.client.shares.download({ id: share.id }))
  printSame(received, stored.content.size, stored.sha256)

  printStep('Revoke the share; then, as the friend, ask again')
  await client.shares.revoke({ id: share.id })
  await printRefused('SHARE_NOT_FOUND', friend.client.shares.getUrl({ id: share.id }))
  printFact('note', `the URL that was signed before is valid ${until(share.expires_at)} at most`)
}

function until(expires_at: number | null): string {
  return expires_at === null ? 'without end' : `until ${clock(expires_at)}`
}
