/** An owner shares a file for some time; the grantee downloads it. */
import { Share, SharedWithMe, SignedUrl } from './answers.ts'
import { bytes, clock, nothing, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { expectSame, receiveContent } from './transfer.ts'
import type { Stored } from './walk.ts'

const SHARED_SECONDS = 600

/** Shares the file with a friend, who downloads it; then revokes the share. */
export async function shareAndRevoke(user: User, friend: User, stored: Stored): Promise<void> {
  printStep('Share the file for ten minutes')
  const { body: share } = await send(user, 'POST', `/v1/files/${stored.file_id}/shares`, Share, {
    json: {
      grantee_id: friend.id,
      permission: 'view',
      expires_at: Math.floor(Date.now() / 1000) + SHARED_SECONDS,
    },
  })
  printFact('share', share.id)
  printFact('with', `${share.grantee_id}, to ${share.permission}, ${until(share.expires_at)}`)

  printStep('As the friend: list what is shared with me')
  const { body: list } = await send(friend, 'GET', '/v1/shares', SharedWithMe)
  for (const { file, expires_at } of list.shares)
    printFact(
      'file',
      `"${file.name}", ${bytes(file.size_bytes)}, from ${file.owner_id}, ${until(expires_at)}`,
    )

  printStep('As the friend: get a URL, and download')
  const { body: download } = await send(friend, 'GET', `/v1/shares/${share.id}/url`, SignedUrl)
  printFact('signed', `${until(download.expires_at)}, no longer than the share`)
  expectSame('The download', await receiveContent(download.url), stored.content.size_bytes, stored.sha256)

  printStep('Revoke the share; then, as the friend, ask again')
  await send(user, 'DELETE', `/v1/shares/${share.id}`, nothing)
  await sendRejected(friend, 'GET', `/v1/shares/${share.id}/url`, 'SHARE_NOT_FOUND')
  printFact('note', `the URL that was signed before stays good ${until(download.expires_at)}`)
}

function until(expires_at: number | null): string {
  return expires_at === null ? 'for good' : `until ${clock(expires_at)}`
}
